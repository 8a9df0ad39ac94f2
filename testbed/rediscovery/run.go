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

	"github.com/rvcheck/rvcheck/testbed/controlplane"
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
	outcome, err := run(ctx, server, row, seed, budget, args)
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
	return run(ctx, server, Row{}, seed, budget, args)
}

// run runs the checker; a verdict of any kind is no error.
func run(ctx context.Context, server servers.Installed, row Row, seed int, budget Budget, args []string) (outcome Outcome, err error) {
	outcome.Seed = seed
	began := time.Now()
	target, command, stop, err := serve(ctx, server, row.Flags)
	if err != nil {
		return outcome, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	args = append([]string{
		"run", "--json", "--seed", fmt.Sprint(seed), "--duration", budget.Time.String(),
		"--out", filepath.Join(budget.Out, strings.ReplaceAll(server.String(), "@", "-")), "--target", target + row.Parameters,
	}, args...)
	err = outcome.check(ctx, append(args, command...), began)
	return outcome, err
}

// serve is the target of a server and what lets the checker start it. What serves only
// as a part of a control plane is started here, with these flags; stop ends it.
func serve(ctx context.Context, server servers.Installed, flags []string) (target string, command []string, stop func() error, err error) {
	if server.Command != nil {
		return server.URL, append([]string{"--"}, server.CommandLine()...), func() error { return nil }, nil
	}
	options := controlplane.Options{Version: server.Version, ExtensionsOnly: server.Name == controlplane.Extensions, Flags: flags}
	c, err := controlplane.Start(ctx, options)
	if err != nil {
		return "", nil, nil, err
	}
	return c.Target(c.Kubeconfig), nil, c.Stop, nil
}

// check runs the checker.
func (o *Outcome) check(ctx context.Context, args []string, began time.Time) error {
	command := exec.CommandContext(ctx, servers.Checker(), args...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	var document, said bytes.Buffer
	command.Stdout = &document
	progress, err := command.StderrPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("starting the checker: %w; make build makes it", err)
	}
	o.follow(io.TeeReader(progress, &said), began)
	err = command.Wait()
	if unreadable := json.Unmarshal(document.Bytes(), &o.Report); unreadable != nil {
		return fmt.Errorf("the checker printed no report (%w): %s", errors.Join(err, ctx.Err()), said.Bytes())
	}
	if o.Report.Verdict == "error" {
		return fmt.Errorf("the checker failed: %s", strings.Join(o.Report.Errors, "; "))
	}
	return ctx.Err()
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
