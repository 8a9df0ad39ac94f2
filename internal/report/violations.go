package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rvcheck/rvcheck/internal/evidence"
)

// violations shows each broken property by its shortest example; what is known only
// when everything is asked for.
func (p *printer) violations(r *Report) {
	for i := range r.Properties {
		if p.opts.Verbose {
			p.known(r.KnownExamples(r.Properties[i].ID))
		}
		if r.Properties[i].Status != Broken {
			continue
		}
		examples := r.Examples(r.Properties[i].ID)
		for n, violation := range examples {
			if n > 0 && !p.opts.Verbose {
				p.others(examples[n:], r.Properties[i].FailedPlans-n)
				break
			}
			p.violation(violation)
		}
	}
}

func (p *printer) known(examples []*Violation) {
	for _, violation := range examples {
		p.violation(violation)
	}
}

// Examples returns the violations of a property that count, the shortest plan first.
func (r *Report) Examples(property string) []*Violation { return r.examples(property, false) }

// KnownExamples returns the violations of a property that are waived.
func (r *Report) KnownExamples(property string) []*Violation { return r.examples(property, true) }

func (r *Report) examples(property string, waived bool) []*Violation {
	var found []*Violation
	for i := range r.Violations {
		if v := &r.Violations[i]; v.Property == property && (v.Waived != 0) == waived {
			at := len(found)
			for at > 0 && found[at-1].Operations > v.Operations {
				at--
			}
			found = append(found[:at], append([]*Violation{v}, found[at:]...)...)
		}
	}
	return found
}

// WriteText writes the violation for people, without colours.
func (v *Violation) WriteText(w io.Writer) error {
	p := &printer{w: w}
	p.violation(v)
	return p.err
}

func (p *printer) violation(v *Violation) {
	p.printf("%s\n", p.heading(v))
	p.printf("  %s\n", v.Statement)
	p.field("source", v.sources())
	p.involved(v)
	p.field("allowed", v.Allowed)
	p.field("observed", v.Observed)
	p.field("explanation", v.Explanation)
	p.field("layer", v.Layer)
	p.field("reproduced", v.rate())
	if v.Plan != "" {
		p.field("plan", fmt.Sprintf("%s (%s)", v.Plan, Plural(v.Operations, "operation")))
	}
	p.field("reduced", v.Reduced.words())
	p.reduced(v)
	p.field("history", v.History)
	p.follow(v)
	p.printf("\n")
}

// rate words how often the plan failed, empty if nobody has counted. A plan that needs
// what other plans leave behind says so: who runs it again begins without.
func (v *Violation) rate() string {
	if v.Reduced == nil || v.Reduced.Used == "" {
		return v.Reproduced
	}
	return fmt.Sprintf("%s on a fresh server; %s on that of the run, after %s", v.Reproduced, v.Reduced.Used, v.Reduced.After)
}

// maxShown is how many operations a reduced plan may have to be shown whole.
const maxShown = 20

// reduced shows a plan that was reduced, to be read and pasted. One that no file holds
// is for whoever has the report to show.
func (p *printer) reduced(v *Violation) {
	if v.Reduced == nil || v.Plan == "" || v.Operations > maxShown {
		return
	}
	p.printf("\n")
	for line := range strings.Lines(v.PlanText) {
		p.printf("    %s\n", strings.TrimSuffix(line, "\n"))
	}
	p.printf("\n")
}

// words says what a plan was reduced from; nothing if it was not.
func (r *Reduced) words() string {
	if r == nil {
		return ""
	}
	from := Plural(r.Operations, "operation")
	if r.Plan != "" {
		from += " of " + r.Plan
	}
	return fmt.Sprintf("from the %s in %s; %s", from, Plural(r.Executions, "run"), r.Ending)
}

func (p *printer) heading(v *Violation) styled {
	if v.Waived != 0 {
		return p.paintVerdict(Inconclusive, fmt.Sprintf("WAIVED %s (%s) by line %d", v.Property, v.Strength, v.Waived))
	}
	return p.paintVerdict(Violated, fmt.Sprintf("VIOLATED %s (%s)", v.Property, v.Strength))
}

func (v *Violation) sources() string {
	if len(v.Rules) == 0 {
		return v.Source
	}
	return fmt.Sprintf("%s (%s)", v.Source, strings.Join(v.Rules, ", "))
}

func (p *printer) field(name, text string) {
	if text != "" {
		p.printf("  %-12s %s\n", name+":", text)
	}
}

// involved shows the operations as lines of the plan, each with its number and its
// answer. Those that the run added itself have their ids instead.
func (p *printer) involved(v *Violation) {
	p.printf("  operations:\n")
	width, place := 0, 0
	for _, line := range v.Involved {
		width = max(width, min(len(line.Operation), 60))
		place = max(place, len(line.Place()))
	}
	for _, line := range v.Involved {
		p.printf("    %*s: %-*s  → %s  [%s]\n", place, line.Place(), width, line.Operation, line.Answer, span(line))
		for _, event := range line.Events {
			p.printf("        %s\n", event)
		}
	}
}

// span words when the call was under way, in milliseconds since the plan began:
// calls whose spans overlap were concurrent.
func span(line evidence.Line) string {
	if line.Return == 0 {
		return fmt.Sprintf("%.3f… ms", float64(line.Call)/1e6)
	}
	return fmt.Sprintf("%.3f–%.3f ms", float64(line.Call)/1e6, float64(line.Return)/1e6)
}

func (p *printer) follow(v *Violation) {
	if v.Consequences > 0 {
		p.field("and", Plural(v.Consequences, "later disagreement")+" that may follow from it")
	}
	if len(v.Commands) == 0 {
		return
	}
	p.printf("  go on:\n")
	for _, command := range v.Commands {
		p.printf("    %s\n", command)
	}
}

// others names some of the plans that violate the same property; there may be more
// than the report has examples of.
func (p *printer) others(rest []*Violation, total int) {
	var places []string
	for _, v := range rest[:min(len(rest), maxRemarks)] {
		places = append(places, v.place())
	}
	total = max(total, len(rest))
	among := ":"
	if total > len(places) {
		among = ", among them"
	}
	p.printf("  the same property in %s%s %s\n\n", Plural(total, "other plan"), among, strings.Join(places, " "))
}
