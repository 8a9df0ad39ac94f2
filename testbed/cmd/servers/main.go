// Command servers builds the testbed's servers and runs the checker on them.
//
//	servers list                 what there is
//	servers build [NAME…]        build, all that are pinned by default; prints the paths
//	servers command NAME         the target and the command line, for a shell
//	servers check NAME ARGS…     checker ARGS… on the server, such as run --plans 50
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"github.com/rvcheck/rvcheck/testbed/servers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := do(ctx, os.Args[1:])
	var ended *checkerEnded
	switch {
	case err == nil:
	case errors.As(err, &ended):
		os.Exit(ended.ExitCode())
	default:
		fmt.Fprintln(os.Stderr, "servers:", err)
		os.Exit(2)
	}
}

const usage = "expected list, build [NAME…], command NAME or check NAME ARGS…"

func do(ctx context.Context, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "list":
		return list()
	case len(args) >= 1 && args[0] == "build":
		return build(ctx, args[1:])
	case len(args) == 2 && args[0] == "command":
		return command(ctx, args[1])
	case len(args) >= 3 && args[0] == "check":
		return check(ctx, args[1], args[2:])
	default:
		return errors.New(usage)
	}
}

func list() error {
	for _, release := range servers.Pinned() {
		line := release.String()
		if err := release.Supported(); err != nil {
			line += "  (" + err.Error() + ")"
		}
		fmt.Println(line)
	}
	return nil
}

func build(ctx context.Context, names []string) error {
	releases := servers.Pinned()
	if len(names) > 0 {
		releases = nil
	}
	for _, name := range names {
		release, err := servers.Find(name)
		if err != nil {
			return err
		}
		releases = append(releases, release)
	}
	var failed []error
	for _, release := range releases {
		binary, err := release.Build(ctx)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		fmt.Println(binary)
	}
	return errors.Join(failed...)
}

// target is what names a server to the checker.
func target(ctx context.Context, name string) ([]string, error) {
	if release, err := servers.Find(name); err == nil && release.Command == nil {
		return nil, fmt.Errorf("%s: expected a server that runs alone; cmd/controlplane starts this one", name)
	}
	server, err := servers.Install(ctx, name)
	if err != nil {
		return nil, err
	}
	return append([]string{"--target", server.URL, "--"}, server.CommandLine()...), nil
}

func command(ctx context.Context, name string) error {
	words, err := target(ctx, name)
	if err != nil {
		return err
	}
	for i, word := range words {
		words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	fmt.Println(strings.Join(words, " "))
	return nil
}

// checkerEnded is the checker's exit code, which it has explained by itself.
type checkerEnded struct{ *exec.ExitError }

func check(ctx context.Context, name string, args []string) error {
	words, err := target(ctx, name)
	if err != nil {
		return err
	}
	checker := exec.Command(servers.Checker(), append(args, words...)...) // it minds Ctrl-C by itself
	checker.Stdin, checker.Stdout, checker.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = checker.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &checkerEnded{exit}
	}
	return err
}
