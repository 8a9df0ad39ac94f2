// Command rediscover measures whether ordinary runs find what old releases of real
// servers are known for, and prints a table in Markdown.
//
//	rediscover -rows E01,K03 -seeds 10 -budget 60s
//
// It exits with 1 if a row was not found often enough or a control was not silent.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/testbed/rediscovery"
	"github.com/rvcheck/rvcheck/testbed/servers"
)

// options are the flags.
type options struct {
	rows     string
	seeds    int
	first    int
	budget   rediscovery.Budget
	controls bool
}

func main() {
	var o options
	flag.StringVar(&o.rows, "rows", "", "ids of rows, separated by commas (default: all)")
	flag.IntVar(&o.seeds, "seeds", 10, "number of seeds")
	flag.IntVar(&o.first, "first", 1, "the first seed")
	flag.DurationVar(&o.budget.Time, "budget", time.Minute, "the time that each run has")
	flag.StringVar(&o.budget.Out, "out", "runs", "where the folders of the runs are made")
	flag.BoolVar(&o.controls, "controls", true, "run the controls too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	missed, err := o.run(ctx)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "rediscover:", err)
		os.Exit(2)
	case missed:
		os.Exit(1)
	}
}

// run reports whether a row was missed.
func (o options) run(ctx context.Context) (missed bool, err error) {
	rows, err := o.chosen()
	if err != nil {
		return false, err
	}
	silent := map[string][]rediscovery.Outcome{}
	var results []rediscovery.Result
	for _, row := range rows {
		result := rediscovery.Result{Row: row}
		result.Outcomes, err = o.hunt(ctx, row)
		if _, done := silent[row.Control]; err == nil && o.controls && !done {
			silent[row.Control], err = o.control(ctx, row.Control)
		}
		result.Silent = silent[row.Control]
		results = append(results, result)
		if err != nil { // what was measured is not lost
			return false, errors.Join(err, rediscovery.WriteTable(os.Stdout, results))
		}
		missed = missed || !result.Passed()
	}
	return missed, rediscovery.WriteTable(os.Stdout, results)
}

func (o options) chosen() ([]rediscovery.Row, error) {
	if o.rows == "" {
		return rediscovery.Rows, nil
	}
	var rows []rediscovery.Row
	for id := range strings.SplitSeq(o.rows, ",") {
		at := slices.IndexFunc(rediscovery.Rows, func(r rediscovery.Row) bool { return r.ID == id })
		if at < 0 {
			return nil, fmt.Errorf("-rows: %q is no row; expected ids such as %s", id, rediscovery.Rows[0].ID)
		}
		rows = append(rows, rediscovery.Rows[at])
	}
	return rows, nil
}

func (o options) hunt(ctx context.Context, row rediscovery.Row) ([]rediscovery.Outcome, error) {
	server, err := servers.Install(ctx, row.Server)
	if err != nil {
		return nil, err
	}
	return o.each(row.ID+" "+row.Server, func(seed int) (rediscovery.Outcome, error) {
		return row.Hunt(ctx, server, seed, o.budget)
	})
}

func (o options) control(ctx context.Context, name string) ([]rediscovery.Outcome, error) {
	server, err := servers.Install(ctx, name)
	if err != nil {
		return nil, err
	}
	return o.each("control "+name, func(seed int) (rediscovery.Outcome, error) {
		return rediscovery.Watch(ctx, server, seed, o.budget)
	})
}

// each runs something with every seed and says what came of it.
func (o options) each(what string, run func(seed int) (rediscovery.Outcome, error)) ([]rediscovery.Outcome, error) {
	if o.seeds < 1 {
		return nil, errors.New("-seeds: expected at least 1")
	}
	var outcomes []rediscovery.Outcome
	for seed := o.first; seed < o.first+o.seeds; seed++ {
		outcome, err := run(seed)
		if err != nil {
			return outcomes, fmt.Errorf("%s, seed %d: %w", what, seed, err)
		}
		fmt.Fprintf(os.Stderr, "%s, seed %d: %s\n", what, seed, words(outcome))
		outcomes = append(outcomes, outcome)
	}
	return outcomes, nil
}

func words(o rediscovery.Outcome) string {
	if !o.Found {
		return fmt.Sprintf("%s, %d plans in %.0f s", o.Report.Verdict, o.Report.Plans, o.Report.Seconds)
	}
	return fmt.Sprintf("%s in plan %d after %.1f s, reduced to %d operations (%s)", o.Property, o.Plan, o.Seconds, o.Operations, o.Reproduced)
}
