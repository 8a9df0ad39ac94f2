package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/models"
)

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain PROPERTY|RULE",
		Short: "Explain a property or a rule: what it says, who promises it, how it is broken",
		Args:  takes(1, 1, "one property, such as watch/no-gap, or one rule, such as ETCD-09"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var text strings.Builder
			err := explainAny(&text, args[0])
			if err != nil {
				return err
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text.String())
			return err
		},
	}
}

func explainAny(w io.Writer, id string) error {
	if ruleID.MatchString(id) {
		return explainRule(w, id)
	}
	return explainProperties(w, []string{id})
}

// ruleID is what a rule is asked for by; no property has a capital letter.
var ruleID = regexp.MustCompile(`^[A-Z]+(-\d*)?$`)

func explainRule(w io.Writer, id string) error {
	r, found := models.LookupRule(id)
	if !found {
		return usage("unknown rule %q; expected one of checker list --markdown%s", id, ruleRange(id))
	}
	fmt.Fprintf(w, "%s (%s)\n\n%s\n\n", r.ID, r.Strength, r.Statement)
	fmt.Fprintf(w, "source:    %s\n", r.Source)
	fmt.Fprintf(w, "layer:     %s\n", r.Level)
	claims := r.Claims()
	if len(claims) == 0 {
		fmt.Fprintf(w, "decided:   by no property: %s\n", r.Standing())
		return nil
	}
	fmt.Fprintf(w, "decided:   by %s\n", r.Standing())
	for _, p := range claims {
		fmt.Fprintf(w, "\n    checker explain %s\n        %s\n", p.ID, p.Statement)
	}
	return nil
}

// ruleRange says which rules the family of an id has, empty if it is none.
func ruleRange(id string) string {
	family, _, _ := strings.Cut(id, "-")
	var ids []string
	for _, r := range models.Rules() {
		if r.Family() == family {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return ", " + ids[0] + " to " + ids[len(ids)-1]
}

func explainProperties(w io.Writer, patterns []string) error {
	properties, err := session.Select(patterns)
	if err != nil {
		return err
	}
	for i, p := range properties {
		if i > 0 {
			fmt.Fprintln(w)
		}
		explain(w, p)
	}
	return nil
}

func explain(w io.Writer, p models.Property) {
	fmt.Fprintf(w, "%s (%s)\n\n%s\n\n", p.ID, p.Strength, p.Statement)
	fmt.Fprintf(w, "rules:     %s\n", strings.Join(p.Rules, ", "))
	fmt.Fprintf(w, "source:    %s\n", p.Source)
	fmt.Fprintf(w, "versions:  %s\n", orAll(p.Versions))
	fmt.Fprintf(w, "layers:    %s\n", layerNames(p))
	if len(p.Needs) > 0 {
		fmt.Fprintf(w, "needs:     %s\n", strings.Join(p.Needs, ", "))
	}
	if text, ok := example(p.ID); ok {
		fmt.Fprintf(w, "\nan example of a violation:\n\n")
		for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			fmt.Fprintf(w, "    %s\n", line)
		}
	}
	explainMutants(w, p)
}

func explainMutants(w io.Writer, p models.Property) {
	var found []string
	for _, m := range mutantsOf(p.ID) {
		found = append(found, fmt.Sprintf("    checker run --target '%s'\n        %s\n", targetOf(m), m.Sentence))
	}
	if len(found) > 0 {
		fmt.Fprintf(w, "\nsee it broken:\n\n%s", strings.Join(found, ""))
	}
}

func orAll(versions string) string {
	if versions == "" {
		return "all"
	}
	return versions
}

func layerNames(p models.Property) string {
	names := make([]string, 0, len(p.Layers))
	for _, layer := range p.Layers {
		names = append(names, string(layer))
	}
	return strings.Join(names, ", ")
}
