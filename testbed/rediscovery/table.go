package rediscovery

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Result is what became of a row.
type Result struct {
	Row
	Outcomes []Outcome
	// Silent is what the control gave, nil: it was not run.
	Silent []Outcome
}

// Found counts the seeds that found the row.
func (r Result) Found() (n int) {
	for _, o := range r.Outcomes {
		if o.Found {
			n++
		}
	}
	return n
}

// Passed reports whether the row was found often enough and its control was silent.
func (r Result) Passed() bool {
	wanted := len(r.Outcomes)
	if r.Race {
		wanted = (wanted*8 + 9) / 10
	}
	return r.Found() >= wanted && !slices.ContainsFunc(r.Silent, Outcome.Loud)
}

const head = `| id | release | what does not hold | property | found | plans: median, worst | seconds: median, worst | reduced to | again | control |
|---|---|---|---|---|---|---|---|---|---|
`

// WriteTable writes the results as a table in Markdown.
func WriteTable(w io.Writer, results []Result) error {
	var b strings.Builder
	b.WriteString(head)
	for _, r := range results {
		b.WriteString(r.line())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Result) line() string {
	var found []Outcome
	for _, o := range r.Outcomes {
		if o.Found {
			found = append(found, o)
		}
	}
	again := "–"
	if len(found) > 0 {
		again = cmp.Or(found[len(found)/2].Reproduced, "–")
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %d of %d | %s | %s | %s | %s | %s |\n",
		r.ID, r.release(), r.Fault, strings.Join(r.Row.Properties, ", "), len(found), len(r.Outcomes),
		spread(found, "%.0f", func(o Outcome) float64 { return float64(o.Plan) }),
		spread(found, "%.1f", func(o Outcome) float64 { return o.Seconds }),
		spread(found, "%.0f", func(o Outcome) float64 { return float64(o.Operations) }),
		again, r.control())
}

// release is the server, with what it is started with beside what is usual.
func (r Result) release() string {
	return strings.Join(append([]string{r.Server}, r.Flags...), " ")
}

// control says what the control did.
func (r Result) control() string {
	if len(r.Silent) == 0 {
		return "not run"
	}
	plans := 0
	for _, o := range r.Silent {
		plans += o.Report.Plans
		if o.Loud() {
			return fmt.Sprintf("%s: %s with seed %d", r.Control, o.Report.Verdict, o.Seed)
		}
	}
	return fmt.Sprintf("%s: silent in %d plans", r.Control, plans)
}

// spread is the median and the worst of some numbers.
func spread(outcomes []Outcome, format string, number func(Outcome) float64) string {
	if len(outcomes) == 0 {
		return "–"
	}
	var numbers []float64
	for _, o := range outcomes {
		numbers = append(numbers, number(o))
	}
	slices.Sort(numbers)
	return fmt.Sprintf(format+", "+format, numbers[len(numbers)/2], numbers[len(numbers)-1])
}
