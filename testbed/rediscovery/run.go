package rediscovery

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/testbed/servers"
)

// Budget is what every run has.
type Budget struct {
	Time time.Duration
	// Out is where the folders of the runs are made.
	Out string
}

// Outcome is what one run gave.
type Outcome struct {
	Seed  int
	Found bool
	// Property is the one that was violated, Plan the number of the first plan that
	// violated it, Seconds the time until then, the start of the server included.
	Property string
	Plan     int
	Seconds  float64
	// Operations is the length of the plan that the run left, Reproduced how often it
	// failed again.
	Operations int
	Reproduced string
	// Report is what the run ended with.
	Report Report
}

// Loud reports whether the run was anything but silent.
func (o Outcome) Loud() bool { return o.Report.Verdict != "conformant" }

// Report is the part of the checker's document that is needed here.
type Report struct {
	Verdict    string  `json:"verdict"`
	Plans      int     `json:"plans"`
	Operations int     `json:"operations"`
	Seconds    float64 `json:"seconds"`
	Violations []struct {
		Property   string `json:"property"`
		Plan       string `json:"plan"`
		Operations int    `json:"operations"`
		Reproduced string `json:"reproduced"`
	} `json:"violations"`
	Errors []string `json:"errors"`
}

// Hunt runs the checker on a release until a property of the row is violated.
func (row Row) Hunt(ctx context.Context, server servers.Installed, seed int, budget Budget) (Outcome, error) {
	args := []string{"--fail-fast"}
	for _, property := range row.Properties {
		args = append(args, "--property", property)
	}
	outcome, err := run(ctx, server, seed, budget, args)
	if err != nil {
		return outcome, err
	}
	for _, v := range outcome.Report.Violations {
		outcome.Found, outcome.Property = true, v.Property
		outcome.Operations, outcome.Reproduced = v.Operations, v.Reproduced
		break
	}
	return outcome, nil
}

// Watch runs the checker on a release that should stay silent.
func Watch(ctx context.Context, server servers.Installed, seed int, budget Budget) (Outcome, error) {
	var args []string
	if _, err := os.Stat(server.KnownFailing); err == nil {
		args = []string{"--known-failing", server.KnownFailing}
	}
	return run(ctx, server, seed, budget, args)
}

// run runs the checker; a verdict of any kind is no error.
func run(ctx context.Context, server servers.Installed, seed int, budget Budget, args []string) (Outcome, error) {
	outcome := Outcome{Seed: seed}
	args = append([]string{
		"run", "--json", "--seed", fmt.Sprint(seed), "--duration", budget.Time.String(),
		"--out", filepath.Join(budget.Out, strings.ReplaceAll(server.String(), "@", "-")), "--target", server.URL,
	}, args...)
	args = append(append(args, "--"), server.CommandLine()...)
	command := exec.CommandContext(ctx, servers.Checker(), args...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	var document, said bytes.Buffer
	command.Stdout = &document
	progress, err := command.StderrPipe()
	if err != nil {
		return outcome, err
	}
	began := time.Now()
	if err := command.Start(); err != nil {
		return outcome, fmt.Errorf("starting the checker: %w; make build makes it", err)
	}
	outcome.follow(io.TeeReader(progress, &said), began)
	err = command.Wait()
	if unreadable := json.Unmarshal(document.Bytes(), &outcome.Report); unreadable != nil {
		return outcome, fmt.Errorf("the checker printed no report (%w): %s", errors.Join(err, ctx.Err()), said.Bytes())
	}
	if outcome.Report.Verdict == "error" {
		return outcome, fmt.Errorf("%s, seed %d: %s", server, seed, strings.Join(outcome.Report.Errors, "; "))
	}
	return outcome, ctx.Err()
}

// follow reads the checker's progress and notes when a plan first violates a property.
func (o *Outcome) follow(progress io.Reader, began time.Time) {
	lines := bufio.NewScanner(progress)
	for lines.Scan() {
		var plan int
		if _, err := fmt.Sscanf(lines.Text(), "plan %d violates", &plan); err == nil && o.Plan == 0 {
			o.Plan, o.Seconds = plan, time.Since(began).Seconds()
		}
	}
}
