// Command soak runs the checker on each current etcd, or on other servers, for a given
// time, prints how much it did, and fails on any violation that is not known. What this
// machine cannot run it says.
//
//	soak -duration 30m [-servers etcd@v3.7.3,etcd-cluster@v3.7.3,t4]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/testbed/rediscovery"
	"github.com/rvcheck/rvcheck/testbed/servers"
)

func main() {
	var budget rediscovery.Budget
	names := flag.String("servers", strings.Join(current("etcd"), ","), "names, separated by commas")
	seed := flag.Int("seed", int(rand.Uint32()), "the seed of all runs")
	flag.DurationVar(&budget.Time, "duration", 10*time.Minute, "the time that each server gets")
	flag.StringVar(&budget.Out, "out", "runs", "where the folders of the runs are made")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	worst := 0
	for name := range strings.SplitSeq(*names, ",") {
		outcome, err := soak(ctx, name, *seed, budget)
		switch {
		case errors.Is(err, servers.ErrUnsupported):
			fmt.Println(err)
		case err != nil:
			// The others have their turn all the same.
			fmt.Fprintln(os.Stderr, "soak:", err)
			worst = 2
		case outcome.Loud():
			worst = max(worst, 1)
		}
		if ctx.Err() != nil {
			break
		}
	}
	os.Exit(worst)
}

// current are the releases of a server that users run.
func current(name string) (names []string) {
	for _, s := range servers.Table {
		if s.Name != name {
			continue
		}
		for _, version := range s.Current {
			names = append(names, servers.Release{Server: s, Version: version}.String())
		}
	}
	return names
}

// soak runs the checker on one server and prints what it did.
func soak(ctx context.Context, name string, seed int, budget rediscovery.Budget) (rediscovery.Outcome, error) {
	server, err := servers.Install(ctx, name)
	if err != nil {
		return rediscovery.Outcome{}, err
	}
	outcome, err := rediscovery.Watch(ctx, server, seed, budget)
	if err != nil {
		return outcome, err
	}
	r := outcome.Report
	fmt.Printf("%s: %s · seed %d · %d plans · %d operations · %.0f s\n", name, r.Verdict, seed, r.Plans, r.Operations, r.Seconds)
	for _, v := range r.Violations {
		fmt.Printf("  %s %s\n", v.Property, v.Plan)
	}
	return outcome, nil
}
