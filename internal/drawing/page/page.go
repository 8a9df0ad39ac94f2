// Package page draws sheets as one HTML page: the violation with what was allowed and
// what was observed on top, below it the lanes with calls, streams and revisions.
//
// The page holds everything that it needs and asks the network for nothing: its
// content security policy forbids it, and allows no script and no style but its own.
// What stands in a history reaches the page only as JSON, and the document only as
// text, whatever it holds.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/rvcheck/rvcheck/internal/drawing"
)

// Page is what is drawn.
type Page struct {
	Title string
	// Report is the run that the histories are of, nil where there is none.
	Report *Report
	Sheets []*drawing.Sheet
}

// Report is a run in short.
type Report struct {
	Verdict string `json:"verdict"`
	// Run words what was run.
	Run        string     `json:"run"`
	Properties []Property `json:"properties"`
	Remarks    []string   `json:"remarks"`
}

// Property is the record of one property.
type Property struct {
	ID        string `json:"id"`
	Strength  string `json:"strength"`
	Exercised int    `json:"exercised"`
	Status    string `json:"status"`
	Reason    string `json:"reason,omitempty"`
}

var (
	//go:embed page.html
	document string
	//go:embed page.css
	style string
	//go:embed layout.js
	layoutScript string
	//go:embed view.js
	viewScript string
	//go:embed page.js
	pageScript string
)

var (
	script = "\n" + layoutScript + viewScript + pageScript
	sheet  = "\n" + style
	// What goes into frame as it is are the page's own parts and the JSON, which is
	// encoded without anything that HTML knows.
	frame = template.Must(template.New("page").Parse(document))
)

// policy allows the page's own script and style, and nothing else.
var policy = fmt.Sprintf("default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'",
	digest(script), digest(sheet))

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Write writes the page. The error is that of w.
func Write(w io.Writer, p Page) error {
	content, err := json.Marshal(struct {
		Report *Report          `json:"report"`
		Sheets []*drawing.Sheet `json:"sheets"`
	}{p.Report, present(p.Sheets)})
	if err != nil {
		return fmt.Errorf("encoding the page: %w", err)
	}
	err = frame.Execute(w, map[string]any{
		"Title": p.Title, "Policy": policy,
		"Style": template.CSS(sheet), "Script": template.JS(script), "Data": template.JS(content),
	})
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// present makes every list of the sheets one, so that the script finds no null.
func present(sheets []*drawing.Sheet) []*drawing.Sheet {
	shown := make([]*drawing.Sheet, 0, len(sheets))
	for _, s := range sheets {
		c := *s
		c.Lanes, c.Calls, c.Events = list(c.Lanes), list(c.Calls), list(c.Events)
		c.Notices, c.Findings = list(c.Notices), list(c.Findings)
		c.Plan, c.Commands = list(c.Plan), list(c.Commands)
		shown = append(shown, &c)
	}
	return shown
}

func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
