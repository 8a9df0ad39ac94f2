package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteJUnit writes the report as JUnit XML, as test runners of CI read it: a case a
// property, and one for each piece of trouble that is no property's. What was not
// exercised, is unsupported or waived is skipped, with the reason; what could not be
// decided is an error, as the exit code has it.
func (r *Report) WriteJUnit(w io.Writer) error {
	suite := r.suite()
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("writing the JUnit file: %w", err)
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	err := encoder.Encode(junitSuites{Suites: []junitSuite{suite}})
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	if err != nil {
		return fmt.Errorf("writing the JUnit file: %w", err)
	}
	return nil
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"` // seconds
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string       `xml:"classname,attr"`
	Name    string       `xml:"name,attr"`
	Failure *junitResult `xml:"failure"`
	Error   *junitResult `xml:"error"`
	Skipped *junitResult `xml:"skipped"`
	Out     string       `xml:"system-out,omitempty"`
}

type junitResult struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",cdata"`
}

func (r *Report) suite() junitSuite {
	suite := junitSuite{
		Name: "rvcheck " + Printable(r.Target.URL),
		Time: strconv.FormatFloat(r.Seconds, 'f', 3, 64),
		Properties: []junitProperty{
			{"seed", strconv.FormatUint(r.Seed, 10)},
			{"plans", strconv.Itoa(r.Plans)},
			{"operations", strconv.Itoa(r.Operations)},
			{"server", Printable(r.Target.Server)},
			{"profile", Printable(r.Target.Profile)},
			{"verdict", string(r.Verdict)},
		},
	}
	for _, p := range r.Properties {
		suite.Cases = append(suite.Cases, r.junitCase(p))
	}
	suite.Cases = append(suite.Cases, r.troubles()...)
	for _, c := range suite.Cases {
		suite.count(c)
	}
	return suite
}

func (s *junitSuite) count(c junitCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

func (r *Report) junitCase(p Property) junitCase {
	group, _, _ := strings.Cut(p.ID, "/")
	c := junitCase{Class: "rvcheck." + group, Name: p.ID}
	switch p.Status {
	case Passed:
		c.Out = fmt.Sprintf("exercised %s", times(p.Exercised))
	case Broken:
		c.Failure = r.failure(p)
	case Undecided:
		c.Error = &junitResult{Message: status(p), Text: joinLines(r.Inconclusive)}
	case Unsupported, NotExercised, Waived:
		c.Skipped = &junitResult{Message: status(p)}
		if p.Status == NotExercised && r.Strict && missed(p) {
			c.Skipped, c.Error = nil, &junitResult{Message: "not exercised, and the run is strict"}
		}
	}
	return c
}

// failure has the property's statement for its message, constant for all violations,
// and the shortest example with its plan for its text.
func (r *Report) failure(p Property) *junitResult {
	result := &junitResult{Message: status(p)}
	examples := r.Examples(p.ID)
	if len(examples) == 0 {
		return result
	}
	result.Message = examples[0].Statement
	result.Text = "\n" + examples[0].text()
	return result
}

// text is the violation with its plan, for readers who do not have the run's folder.
func (v *Violation) text() string {
	var b strings.Builder
	_ = v.WriteText(&b) // a builder takes everything
	if plan := v.planLines(); plan != "" {
		b.WriteString("plan:\n" + plan)
	}
	return b.String()
}

// planLines is the text of the plan, each line printable.
func (v *Violation) planLines() string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(v.PlanText, "\n"), "\n") {
		b.WriteString(Printable(line) + "\n")
	}
	if b.String() == "\n" {
		return ""
	}
	return b.String()
}

// troubles are the cases of what is no property's: errors, waivers that do not hold,
// and why a run is inconclusive as a whole.
func (r *Report) troubles() []junitCase {
	var cases []junitCase
	for _, w := range r.Waivers {
		if w.Advice != "" {
			cases = append(cases, junitCase{
				Class: "rvcheck.known-failing", Name: fmt.Sprintf("line %d", w.Line),
				Failure: &junitResult{Message: Printable(w.Advice)},
			})
		}
	}
	for i, text := range r.Errors {
		cases = append(cases, trouble(fmt.Sprintf("error %d", i+1), text))
	}
	doubts := r.Doubts()
	if r.Verdict == Inconclusive && len(doubts) == 0 && !r.any(func(p Property) bool { return p.Status == Undecided }) {
		doubts = append(doubts, "nothing of what was asked for could be exercised or decided")
	}
	for _, doubt := range doubts {
		cases = append(cases, trouble("inconclusive", doubt))
	}
	return cases
}

func trouble(name, text string) junitCase {
	return junitCase{Class: "rvcheck.run", Name: name, Error: &junitResult{Message: Printable(text)}}
}

func joinLines(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(Printable(line) + "\n")
	}
	return b.String()
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
