package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
)

// What "checker mutants --run --seeds N" measures: in how many plans, from how many
// seeds, the generators find each mutant, and what swarm selection and scenes are
// worth for that.

// setting is a way to draw plans.
type setting struct {
	name string
	mix  session.Mix
	// compared: the usual setting is compared with it. Such settings leave many mutants
	// alive, each of which costs a seed all of its plans, so that they get less: a
	// quarter of the seeds, a third of the plans.
	compared bool
}

// settings are the ways to draw, the usual one first.
var settings = []setting{
	{name: "default"},
	{name: "no swarm", mix: session.Mix{NoSwarm: true}, compared: true},
	{name: "no scenes", mix: session.Mix{NoScenes: true}, compared: true},
	{name: "neither", mix: session.Mix{NoSwarm: true, NoScenes: true}, compared: true},
}

// budget is what the setting has of so many seeds with so many plans each.
func (s setting) budget(seeds, plans int) (int, int) {
	if s.compared {
		return (seeds + 3) / 4, (plans + 2) / 3
	}
	return seeds, plans
}

// sample is what it took to kill a mutant from one seed.
type sample struct {
	Killed     bool `json:"killed"`
	Plans      int  `json:"plans"`
	Operations int  `json:"operations"`
}

// measured is a mutant in one setting: a sample for each seed.
type measured struct {
	Setting string `json:"setting"`
	// Seeds is how many seeds it had, Limit how many plans each.
	Seeds   int      `json:"seeds"`
	Limit   int      `json:"limit"`
	Samples []sample `json:"samples"`
	// Settled: more than half of the seeds survived, which settles both figures; the
	// other seeds were left out.
	Settled bool `json:"settled,omitempty"`
}

// measurement is a mutant in all settings.
type measurement struct {
	ID       string     `json:"id"`
	Family   int        `json:"family"`
	Primary  string     `json:"primary"`
	Settings []measured `json:"settings"`
}

const (
	// measuringDeadline is short, since a fault of liveness costs it each time, and
	// long for a store in memory.
	measuringDeadline = 2 * time.Second
	// measuringPlans is how many plans a seed has if nothing else was asked for.
	measuringPlans = 300
	// goodMedian is how many plans the usual mix may need for a mutant.
	goodMedian = 20
	// tableSeeds is the number of seeds for --table.
	tableSeeds = 20
)

// measureMutants runs each mutant from many seeds, 1 and up if no other was asked
// for, with at most 300 plans each.
func measureMutants(cmd *cobra.Command, f hunter, mutants []faulty, seeds int, table bool) error {
	if seeds < 1 {
		return usage("--seeds %d; expected at least 1", seeds)
	}
	if !cmd.Flags().Changed("plans") {
		f.plans = measuringPlans
	}
	if err := f.complete(cmd); err != nil {
		return err
	}
	if !cmd.Flags().Changed("seed") {
		f.seed = 1
	}
	chosen := settings[:1]
	if table {
		chosen = settings
	}
	var all []measurement
	err := f.withTarget(cmd.Context(), func(h hunter) (err error) {
		all, err = h.measurements(cmd, mutants, chosen, seeds)
		return err
	})
	if err != nil {
		return err
	}
	switch out := cmd.OutOrStdout(); {
	case f.json:
		err = printJSON(out, map[string]any{"mutants": all})
	default:
		err = f.printMeasurements(out, all, seeds)
	}
	if err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		return exitCode(report.ExitInconclusive)
	}
	if slices.ContainsFunc(all, func(m measurement) bool { return !m.Settings[0].good() }) {
		return exitCode(report.ExitViolated)
	}
	return nil
}

// measurements takes all samples, those of the usual setting first. Runs mostly wait,
// so that many are under way at a time.
func (f hunter) measurements(cmd *cobra.Command, mutants []faulty, chosen []setting, seeds int) ([]measurement, error) {
	var (
		group errgroup.Group
		mu    sync.Mutex
		done  int
	)
	all := make([]measurement, len(mutants))
	group.SetLimit(f.parallel(10 * runtime.GOMAXPROCS(0)))
	for i, m := range mutants {
		all[i] = measurement{ID: m.ID, Family: m.Family, Primary: m.Primary, Settings: make([]measured, len(chosen))}
	}
	for j, s := range chosen {
		for i, m := range mutants {
			group.Go(func() error {
				taken, err := f.samples(cmd.Context(), m, s, seeds)
				mu.Lock()
				defer mu.Unlock()
				all[i].Settings[j] = taken
				done++
				if !f.quiet && cmd.Context().Err() == nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d: %s, %s: %s\n",
						done, len(mutants)*len(chosen), m.ID, s.name, taken.text())
				}
				return err
			})
		}
	}
	return all, group.Wait()
}

// samples runs a mutant in one setting from one seed after the other.
func (f hunter) samples(ctx context.Context, m faulty, s setting, seeds int) (measured, error) {
	seeds, plans := s.budget(seeds, f.plans)
	taken, survived := measured{Setting: s.name, Seeds: seeds, Limit: plans}, 0
	mix := s.mix
	mix.Clients, mix.Steps = f.clients, f.steps
	for i := range seeds {
		r, err := f.chase(ctx, m, chase{seed: f.seed + uint64(i), plans: plans, mix: mix, deadline: measuringDeadline})
		switch {
		case ctx.Err() != nil:
			return taken, nil
		case err != nil:
			return taken, err
		case len(r.Errors) > 0:
			return taken, fmt.Errorf("mutant %s: %s", m.ID, r.Errors[0])
		}
		killed := slices.Contains(violatedBy(r), m.Primary)
		taken.Samples = append(taken.Samples, sample{Killed: killed, Plans: r.Plans, Operations: r.Operations})
		if !killed {
			survived++
		}
		if taken.Settled = 2*survived > seeds; taken.Settled {
			break
		}
	}
	return taken, nil
}

// sorted are the samples from the quickest on; those that survived are last.
func (m measured) sorted() []sample {
	return slices.SortedFunc(slices.Values(m.Samples), func(a, b sample) int {
		switch {
		case a.Killed != b.Killed && a.Killed:
			return -1
		case a.Killed != b.Killed:
			return 1
		default:
			return a.Plans - b.Plans
		}
	})
}

// median is the sample that half of the seeds do not exceed; not killed if more
// than half survive.
func (m measured) median() sample {
	if m.Settled || len(m.Samples) == 0 {
		return sample{}
	}
	return m.sorted()[(len(m.Samples)-1)/2]
}

func (m measured) worst() sample {
	if m.Settled || len(m.Samples) == 0 {
		return sample{}
	}
	return m.sorted()[len(m.Samples)-1]
}

// good reports whether every seed kills, and most of them soon.
func (m measured) good() bool {
	median := m.median()
	return len(m.Samples) == m.Seeds && median.Killed && median.Plans <= goodMedian && m.worst().Killed
}

// text words the median and the worst.
func (m measured) text() string {
	word := func(s sample) string {
		if !s.Killed {
			return fmt.Sprintf("over %d", m.Limit)
		}
		return fmt.Sprintf("%d (%d)", s.Plans, s.Operations)
	}
	return "median " + word(m.median()) + ", worst " + word(m.worst())
}

// printMeasurements writes the measurements as a table of Markdown, which is fine to
// read in a terminal too.
func (f hunter) printMeasurements(w io.Writer, all []measurement, seeds int) error {
	var b strings.Builder
	head := []string{f.kind(), "family", "primary property"}
	for _, s := range all[0].Settings {
		head = append(head, s.Setting)
	}
	rows := [][]string{head}
	good := 0
	for _, m := range all {
		row := []string{"`" + m.ID + "`", fmt.Sprint(m.Family), m.Primary}
		for _, s := range m.Settings {
			row = append(row, s.cell())
		}
		if m.Settings[0].good() {
			good++
		}
		rows = append(rows, row)
	}
	markdown(&b, rows)
	fmt.Fprintf(&b, "\n%d of %s: killed from each of %s within %s, from half of them within %d. Seeds %d to %d, %s, at most %d operations a plan.\n",
		good, report.Plural(len(all), f.kind()), report.Plural(seeds, "seed"), report.Plural(f.plans, "plan"), goodMedian,
		f.seed, f.seed+uint64(seeds)-1, report.Plural(f.clients, "client"), f.steps)
	if len(all[0].Settings) > 1 {
		compared := all[0].Settings[1]
		fmt.Fprintf(&b, "The other settings: the first %s, up to %s.\n", report.Plural(compared.Seeds, "seed"), report.Plural(compared.Limit, "plan"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell is "median / worst" in plans, and the median in operations; a dash if the
// measurement was interrupted.
func (m measured) cell() string {
	if !m.Settled && len(m.Samples) < max(m.Seeds, 1) {
		return "–"
	}
	word := func(s sample) string {
		if !s.Killed {
			return fmt.Sprintf(">%d", m.Limit)
		}
		return fmt.Sprint(s.Plans)
	}
	median := m.median()
	text := word(median) + " / " + word(m.worst())
	if median.Killed {
		text += fmt.Sprintf(" · %d", median.Operations)
	}
	return text
}

// markdown writes rows as a table, the first as its head.
func markdown(b *strings.Builder, rows [][]string) {
	for i, row := range rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
}
