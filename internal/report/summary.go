package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteSummary writes the report as Markdown, for the summary of a CI step: the
// verdict, what needs attention, each violation with its plan, and the whole table
// folded away.
func (r *Report) WriteSummary(w io.Writer) error {
	s := &summary{}
	s.head(r)
	s.attention(r)
	s.violations(r)
	s.remarks(r)
	s.table(r)
	if _, err := io.WriteString(w, s.String()); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return nil
}

type summary struct{ strings.Builder }

func (s *summary) printf(format string, args ...any) { fmt.Fprintf(s, format, args...) }

func (s *summary) head(r *Report) {
	s.printf("## rvcheck: %s\n\n", r.Verdict)
	t := r.Target
	s.printf("Target %s", code(t.URL))
	for _, word := range []string{t.Server, labelled("profile", t.Profile), labelled("world", t.World)} {
		if word != "" {
			s.printf(" · %s", cell(word))
		}
	}
	s.printf("\n\nSeed %d · %s · %s · %.1f s\n\n", r.Seed, Plural(r.Plans, "plan"), Plural(r.Operations, "operation"), r.Seconds)
}

// attention is the table of the properties that did not pass.
func (s *summary) attention(r *Report) {
	var shown []Property
	passed := 0
	for _, p := range r.Properties {
		switch p.Status {
		case Passed:
			passed++
		case Unsupported, NotExercised:
		default:
			shown = append(shown, p)
		}
	}
	s.printf("%s of %d passed.\n\n", Plural(passed, "property"), len(r.Properties))
	if len(shown) > 0 {
		s.rows(shown)
	}
}

func (s *summary) rows(properties []Property) {
	s.printf("| property | strength | exercised | status |\n|---|---|---:|---|\n")
	for _, p := range properties {
		s.printf("| %s | %s | %d | %s |\n", p.ID, p.Strength, p.Exercised, cell(status(p)))
	}
	s.printf("\n")
}

// violations shows each broken property by its shortest example.
func (s *summary) violations(r *Report) {
	for _, p := range r.Properties {
		if examples := r.Examples(p.ID); len(examples) > 0 && p.Status == Broken {
			s.violation(examples[0])
		}
	}
}

func (s *summary) violation(v *Violation) {
	s.printf("### %s\n\n%s\n\n%s\n\n", v.Property, cell(v.Statement), cell(v.Explanation))
	if v.Reproduced != "" {
		s.printf("Reproduced %s.\n\n", v.rate())
	}
	if plan := v.planLines(); plan != "" {
		s.fenced(plan)
	}
	s.printf("<details><summary>the operations involved</summary>\n\n")
	shown := *v
	shown.PlanText = ""
	s.fenced(shown.text())
	s.printf("</details>\n\n")
}

func (s *summary) remarks(r *Report) {
	var lines []string
	for _, w := range r.Waivers {
		if w.Advice != "" {
			lines = append(lines, "waiver: "+w.Advice)
		}
	}
	lines = append(lines, r.Doubts()...)
	lines = append(lines, prefixed("not decided: ", r.Inconclusive)...)
	lines = append(lines, prefixed("error: ", r.Errors)...)
	lines = append(lines, prefixed("note: ", r.Notes)...)
	for _, line := range lines {
		s.printf("- %s\n", cell(line))
	}
	if len(lines) > 0 {
		s.printf("\n")
	}
}

func prefixed(prefix string, texts []string) []string {
	lines := make([]string, 0, len(texts))
	for i, text := range texts {
		if i == maxRemarks {
			return append(lines, fmt.Sprintf("%s%d more", prefix, len(texts)-i))
		}
		lines = append(lines, prefix+text)
	}
	return lines
}

func (s *summary) table(r *Report) {
	if len(r.Properties) == 0 {
		return
	}
	s.printf("<details><summary>all properties</summary>\n\n")
	s.rows(r.Properties)
	s.printf("</details>\n")
}

// fenced is a block that the text cannot end.
func (s *summary) fenced(text string) {
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	s.printf("%s\n%s\n%s\n\n", fence, strings.TrimRight(text, "\n"), fence)
}

// code is a span that the text cannot end.
func code(text string) string {
	text = Printable(text)
	ticks := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

func longestRun(text string, of rune) int {
	longest, run := 0, 0
	for _, r := range text {
		if r != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// markdown are the characters that would be read as markup.
var markdown = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "[", `\[`, "]", `\]`, "#", `\#`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "~", `\~`,
)

// cell is running text, in a table or outside.
func cell(text string) string { return markdown.Replace(Printable(text)) }
