package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/targets/memory"
)

func newMutants() *cobra.Command {
	f := &flags{}
	var (
		runs, table bool
		seeds       int
	)
	cmd := &cobra.Command{
		Use:   "mutants [ID...]",
		Short: "List the named faults of the memory store; with --run, see each one found",
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, err := chooseMutants(args)
			if err != nil {
				return err
			}
			switch set := cmd.Flags().Changed; {
			case !runs && (table || set("seeds")):
				return usage("--seeds and --table; expected --run with them")
			case runs && (table || set("seeds")):
				return measureMutants(cmd, f, chosen, seeds, table)
			case runs:
				return runMutants(cmd, f, chosen)
			default:
				return listMutants(cmd, f, chosen)
			}
		},
	}
	cmd.Flags().BoolVar(&runs, "run", false, "run each one until its primary property is violated, and show the kill table")
	cmd.Flags().IntVar(&seeds, "seeds", tableSeeds, "with --run: measure from so many seeds in how many plans each one is found")
	cmd.Flags().BoolVar(&table, "table", false, "with --run: measure without swarm selection and scenes too, as in docs/GENERATORS.md")
	f.budget(cmd)
	f.output(cmd)
	return cmd
}

// chooseMutants returns the mutants with these ids, all of them without any.
func chooseMutants(ids []string) ([]memory.Mutant, error) {
	all := memory.Mutants()
	slices.SortStableFunc(all, func(a, b memory.Mutant) int { return cmp.Compare(a.Family, b.Family) })
	if len(ids) == 0 {
		return all, nil
	}
	var chosen []memory.Mutant
	for _, id := range ids {
		i := slices.IndexFunc(all, func(m memory.Mutant) bool { return m.ID == id })
		if i < 0 {
			return nil, usage("unknown mutant %q; expected one of checker mutants%s", id, similar(all, id))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// similar names mutants that share a word with the id.
func similar(all []memory.Mutant, id string) string {
	var found []string
	for _, m := range all {
		shares := func(word string) bool { return len(word) > 2 && strings.Contains(m.ID, word) }
		if slices.ContainsFunc(strings.Split(id, "-"), shares) {
			found = append(found, m.ID)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return ", near: " + strings.Join(found[:min(3, len(found))], ", ")
}

// mutantsOf returns the mutants whose primary property this is.
func mutantsOf(property string) []memory.Mutant {
	return slices.DeleteFunc(memory.Mutants(), func(m memory.Mutant) bool { return m.Primary != property })
}

// listedMutant is a mutant as JSON.
type listedMutant struct {
	ID              string `json:"id"`
	Family          int    `json:"family"`
	Sentence        string `json:"sentence"`
	Source          string `json:"source"`
	Primary         string `json:"primary"`
	ConcurrencyOnly bool   `json:"concurrencyOnly"`
}

func listMutants(cmd *cobra.Command, f *flags, mutants []memory.Mutant) error {
	if !f.json {
		return mutantsText(cmd.OutOrStdout(), mutants)
	}
	listed := make([]listedMutant, 0, len(mutants))
	for _, m := range mutants {
		listed = append(listed, listedMutant{m.ID, m.Family, m.Sentence, m.Source, m.Primary, m.ConcurrencyOnly})
	}
	return printJSON(cmd.OutOrStdout(), map[string]any{"mutants": listed})
}

func mutantsText(w io.Writer, mutants []memory.Mutant) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MUTANT\tFAMILY\tPRIMARY\tCONCURRENCY-ONLY\tFAULT\tSOURCE")
	for _, m := range mutants {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\n", m.ID, m.Family, m.Primary, yes(m.ConcurrencyOnly), m.Sentence, m.Source)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s. See one found: checker run --target 'memory://?mutant=ID'; all of them: checker mutants --run\n",
		report.Plural(len(mutants), "mutant"))
	return err
}

func yes(claim bool) string {
	if claim {
		return "yes"
	}
	return "no"
}
