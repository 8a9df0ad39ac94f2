package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// TextOptions say how the report looks on a terminal.
type TextOptions struct {
	// Color uses ANSI colours for what needs attention.
	Color bool
	// Verbose shows every violation; else one a property, the shortest.
	Verbose bool
	// OnePlan is for a report on one plan: properties that it has nothing to do with
	// are left out, and so is what it covers.
	OnePlan bool
	// DefaultTarget: the target is one that nobody asked for, and the text says so.
	DefaultTarget bool
}

// WriteText writes the report for people: the table of properties, then each
// violation with what shows it, then the verdict.
func (r *Report) WriteText(w io.Writer, opts TextOptions) error {
	p := &printer{w: w, opts: opts}
	p.head(r)
	p.table(r)
	p.violations(r)
	p.remarks(r)
	p.verdict(r)
	return p.err
}

// printer keeps the first error, so that the text reads as text.
type printer struct {
	w    io.Writer
	opts TextOptions
	err  error
}

// printf prints; strings among the arguments are made printable, unless they are styled.
func (p *printer) printf(format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = Printable(text)
		}
	}
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) head(r *Report) {
	t := r.Target
	words := []string{t.URL}
	if p.opts.DefaultTarget {
		words[0] += " (default)"
	}
	for _, word := range []string{t.Server, labelled("profile", t.Profile), labelled("world", t.World)} {
		if word != "" {
			words = append(words, word)
		}
	}
	p.printf("target  %s\n", strings.Join(words, " · "))
	if t.Command != nil {
		p.printf("command %s\n", strings.Join(t.Command, " "))
	}
	if len(t.Without) > 0 {
		p.printf("without %s\n", strings.Join(slices.Sorted(maps.Keys(t.Without)), ", "))
	}
	p.printf("run     seed %d · %s · %s%s · %.1f s\n\n", r.Seed,
		Plural(r.Plans, "plan"), Plural(r.Operations, "operation"), r.skippedToo(), r.Seconds)
}

// skippedToo says how many operations were skipped, nothing if none was.
func (r *Report) skippedToo() string {
	if r.Skipped == 0 {
		return ""
	}
	return fmt.Sprintf(" · %d skipped", r.Skipped)
}

func labelled(label, word string) string {
	if word == "" {
		return ""
	}
	return label + " " + word
}

func (p *printer) table(r *Report) {
	shown := p.shown(r)
	switch {
	case p.err != nil || len(r.Properties) == 0:
		return
	case len(shown) == 0:
		p.printf("no property was exercised\n\n")
		return
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PROPERTY\tSTRENGTH\tEXERCISED\tSTATUS")
	for _, property := range shown {
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", property.ID, property.Strength, property.Exercised, status(property))
	}
	if p.err = table.Flush(); p.err == nil {
		p.printf("%s\n", p.paint(text.String()))
	}
}

// shown are the properties of the table: of one plan those that it exercised or
// that have a verdict.
func (p *printer) shown(r *Report) []Property {
	if !p.opts.OnePlan {
		return r.Properties
	}
	var shown []Property
	for _, property := range r.Properties {
		if property.Exercised > 0 || property.Status != NotExercised && property.Status != Unsupported {
			shown = append(shown, property)
		}
	}
	return shown
}

// status words a property's status with what is behind it.
func status(p Property) string {
	switch {
	case p.Status == Broken:
		return broken(p)
	case p.Reason != "":
		return fmt.Sprintf("%s (%s)", p.Status, Printable(p.Reason))
	default:
		return string(p.Status)
	}
}

func broken(p Property) string {
	text := fmt.Sprintf("%s: %s", p.Status, Plural(p.Violations-p.Waived, "finding"))
	if p.FailedPlans > 0 {
		text += " in " + Plural(p.FailedPlans, "plan")
	}
	if p.Waived > 0 {
		text += fmt.Sprintf(", and %d known", p.Waived)
	}
	return text
}

// waivers says where the known failures of this run are, and which lines of the
// known-failing file have to go.
func (p *printer) waivers(r *Report) {
	for i := range r.Properties {
		examples := r.KnownExamples(r.Properties[i].ID)
		if len(examples) == 0 || p.opts.Verbose {
			continue
		}
		v := examples[0]
		p.printf("known: %s in %s\n", v.Property, v.place())
	}
	for _, w := range r.Waivers {
		if w.Advice != "" {
			p.printf("%s\n", p.paintVerdict(Violated, "waiver: "+w.Advice))
		}
	}
}

// place is where to find the violation.
func (v *Violation) place() string {
	for _, file := range []string{v.Plan, v.History} {
		if file != "" {
			return file
		}
	}
	return fmt.Sprintf("plan %d", v.PlanNumber)
}

// coverage says how many shapes of operations were tried, and which were not.
func (p *printer) coverage(r *Report) {
	if r.Coverage.Of == 0 || p.opts.OnePlan {
		return
	}
	p.printf("coverage: %d of %d shapes of operations", r.Coverage.Covered, r.Coverage.Of)
	missing := r.Coverage.Missing
	if more := len(missing) - maxRemarks; more > 0 && !p.opts.Verbose {
		missing = append(missing[:maxRemarks:maxRemarks], fmt.Sprintf("%d more", more))
	}
	if len(missing) > 0 {
		p.printf("; missing: %s", strings.Join(missing, ", "))
	}
	p.printf("\n")
}

func (p *printer) remarks(r *Report) {
	p.coverage(r)
	for _, text := range r.Skips {
		p.printf("skipped: %s\n", text)
	}
	p.waivers(r)
	p.list("not decided", r.Inconclusive)
	p.list("error", r.Errors)
	p.list("note", r.Notes)
}

// maxRemarks is how many remarks of one kind are shown.
const maxRemarks = 5

func (p *printer) list(label string, texts []string) {
	for i, text := range texts {
		if i == maxRemarks && !p.opts.Verbose {
			p.printf("%s: %d more (--verbose shows them)\n", label, len(texts)-i)
			break
		}
		p.printf("%s: %s\n", label, text)
	}
}

func (p *printer) verdict(r *Report) {
	if r.Folder != "" {
		p.printf("folder: %s\n", r.Folder)
	}
	text := string(r.Verdict)
	if r.Replayed {
		text += fmt.Sprintf(" (violated in %d of %s%s)", r.Failed, Plural(r.replays(), "run"), r.asKnown())
	}
	if r.Interrupted && r.Verdict != Inconclusive {
		text += " (interrupted: the verdict of what was recorded)"
	}
	for _, doubt := range r.Doubts() {
		text += " (" + doubt + ")"
	}
	p.printf("%s\n", p.paintVerdict(r.Verdict, "verdict: "+text))
}

// replays is how often the plan was run again. A run that was cut short counts only
// if it failed.
func (r *Report) replays() int {
	if r.Interrupted {
		return max(r.Completed, r.Failed)
	}
	return r.Plans
}

// Doubts are the reasons why a run is inconclusive that are no matter of single
// plans.
func (r *Report) Doubts() []string {
	if r.Verdict != Inconclusive {
		return nil
	}
	var doubts []string
	if r.Interrupted {
		doubts = append(doubts, r.interruption())
	}
	if len(r.Unmet) > 0 {
		doubts = append(doubts, r.unmetReason())
	}
	if missing := r.strictReason(); r.Strict && missing != "" {
		doubts = append(doubts, missing)
	}
	return doubts
}

// interruption says how far the run came before it was stopped.
func (r *Report) interruption() string {
	far := Plural(r.Completed, "plan")
	if r.Planned > 0 {
		far = fmt.Sprintf("%d of %s", r.Completed, Plural(r.Planned, "plan"))
	}
	if r.FailedAsKnown > 0 {
		return "interrupted after " + far + "; nothing violated that is not known"
	}
	return "interrupted after " + far + "; nothing violated"
}

// unmetReason says what the plan is meant to show and did not.
func (r *Report) unmetReason() string {
	text := "expected " + strings.Join(r.Unmet, ", ") + ", which was not exercised"
	if r.Skipped > 0 {
		text += ": the plan was not carried out whole"
	}
	return text
}

// asKnown says how often a replayed plan failed as known.
func (r *Report) asKnown() string {
	if r.FailedAsKnown == 0 {
		return ""
	}
	return fmt.Sprintf(", as known in %d", r.FailedAsKnown)
}

// strictReason names what a strict run has missed.
func (r *Report) strictReason() string {
	var ids []string
	for _, p := range r.Properties {
		if missed(p) {
			ids = append(ids, p.ID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return "strict: not exercised: " + strings.Join(ids, ", ")
}

// Plural words a number of things.
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if stem, ends := strings.CutSuffix(thing, "ty"); ends {
		return fmt.Sprintf("%d %sties", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
