package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/models"
)

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain PROPERTY",
		Short: "Explain one property: what it says, who promises it, how it is broken",
		Args:  takes(1, 1, "one property, such as watch/no-gap"),
		RunE: func(cmd *cobra.Command, args []string) error {
			properties, err := session.Select(args)
			if err != nil {
				return err
			}
			for i, p := range properties {
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				explain(cmd.OutOrStdout(), p)
			}
			return nil
		},
	}
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
		found = append(found, fmt.Sprintf("    checker run --target 'memory://?mutant=%s'\n        %s\n", m.ID, m.Sentence))
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
