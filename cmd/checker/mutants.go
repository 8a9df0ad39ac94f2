package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/targets/memory"
)

func newMutants() *cobra.Command {
	f := &flags{}
	var (
		runs, table bool
		seeds       int
		on, layer   string
	)
	cmd := &cobra.Command{
		Use:   "mutants [ID...]",
		Short: "List stores with one known fault each; with --run, see each fault found",
		Long: `List stores with one known fault each: the mutants of the memory store, and the
damages of what passes between any store and its clients.

With --run each mutant is run until its primary property is violated; with --run
and --on each damage, on a target that is otherwise taken to be honest, such as
embedded://.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			set := cmd.Flags().Changed
			if set("on") && on == "" {
				return usage("--on is empty; expected the URL of a target, such as embedded://")
			}
			if layer != string(histories.EtcdLayer) && layer != string(histories.KubeLayer) {
				return usage("--layer %.40q; expected etcd or kube", layer)
			}
			if !runs {
				if name := first(cmd, func(name string) bool { return name != "json" && name != "layer" }); name != "" {
					return usage("--%s says how the faults are run; expected --run with it", name)
				}
				return listFaulty(cmd, f, histories.Layer(layer), args)
			}
			h, all := hunter{flags: f, on: on}, mutants(histories.Layer(layer))
			if set("on") {
				all = damages()
			}
			chosen, err := choose(h.kind(), all, args)
			if err != nil {
				return err
			}
			if table || set("seeds") {
				return measureMutants(cmd, h, chosen, seeds, table)
			}
			return runMutants(cmd, h, chosen)
		},
	}
	cmd.Flags().BoolVar(&runs, "run", false, "run each one until its primary property is violated, and show the kill table")
	cmd.Flags().StringVar(&layer, "layer", string(histories.EtcdLayer), "the mutants of the memory store at this layer, etcd or kube")
	cmd.Flags().StringVar(&on, "on", "", "with --run: run the damages, on the target of this URL")
	cmd.Flags().IntVar(&seeds, "seeds", tableSeeds, "with --run: measure from so many seeds in how many plans each one is found")
	cmd.Flags().BoolVar(&table, "table", false, "with --run: measure without swarm selection and scenes too, as in docs/GENERATORS.md")
	f.budget(cmd)
	f.shrinking(cmd)
	f.results(cmd)
	return cmd
}

// first is the first flag by name that was given and that matters, empty if there is none.
func first(cmd *cobra.Command, matters func(name string) bool) string {
	name := ""
	cmd.Flags().Visit(func(given *pflag.Flag) {
		if name == "" && matters(given.Name) {
			name = given.Name
		}
	})
	return name
}

// mutantsOf returns the mutants whose primary property this is.
func mutantsOf(property string) []memory.Mutant {
	all := slices.Concat(memory.Mutants(), memory.MutantsOf(histories.KubeLayer))
	return slices.DeleteFunc(all, func(m memory.Mutant) bool { return m.Primary != property })
}

// listFaulty lists the faults with these ids: the mutants of a layer, and the damages,
// which are of etcd's.
func listFaulty(cmd *cobra.Command, f *flags, layer histories.Layer, ids []string) error {
	all := mutants(layer)
	if layer == histories.EtcdLayer {
		all = append(all, damages()...)
	}
	chosen, err := choose("mutant", all, ids)
	if err != nil {
		return err
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), map[string]any{"mutants": chosen})
	}
	return faultyText(cmd.OutOrStdout(), chosen)
}

func faultyText(w io.Writer, all []faulty) error {
	var ofMemory, ofAny []faulty
	for _, f := range all {
		if f.damage {
			ofAny = append(ofAny, f)
		} else {
			ofMemory = append(ofMemory, f)
		}
	}
	err := faultyTable(w, "MUTANT", ofMemory, "See one found: checker run --target 'memory://?mutant=ID'; all of them: checker mutants --run")
	if err == nil && len(ofMemory) > 0 && len(ofAny) > 0 {
		_, err = fmt.Fprintln(w)
	}
	if err != nil {
		return err
	}
	return faultyTable(w, "DAMAGE", ofAny, "See one found: checker run --target 'embedded://?damage=ID'; all of them: checker mutants --run --on embedded://")
}

func faultyTable(w io.Writer, kind string, all []faulty, hint string) error {
	if len(all) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, kind+"\tFAMILY\tPRIMARY\tCONCURRENCY-ONLY\tFAULT\tSOURCE")
	for _, f := range all {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\n", f.ID, f.Family, f.Primary, yes(f.ConcurrencyOnly), f.Sentence, f.Source)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s. %s\n", report.Plural(len(all), map[bool]string{true: "damage", false: "mutant"}[all[0].damage]), hint)
	return err
}

func yes(claim bool) string {
	if claim {
		return "yes"
	}
	return "no"
}
