package main

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/internal/process"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/embedded"
	"github.com/rvcheck/rvcheck/targets/etcd"
	"github.com/rvcheck/rvcheck/targets/kube"
	"github.com/rvcheck/rvcheck/targets/spawned"
)

const aboutCommand = `Behind -- may stand the command line of a server that speaks etcd's API: it is
started, awaited and ended, and its store belongs to the run. {port}, {port2} to
{port9} and {dir}, a temporary folder, are filled in:

  --target 'etcd://127.0.0.1:{port}' -- SERVER --listen 127.0.0.1:{port} --data {dir}`

const spawnedForm = etcd.Scheme + "://127.0.0.1:" + process.Port

// takes is the check of a command's arguments, as takes; what stands behind -- starts
// the server.
func (f *flags) takes(low, high int, expected string) cobra.PositionalArgs {
	check := takes(low, high, expected)
	return func(cmd *cobra.Command, args []string) error {
		if dash := cmd.ArgsLenAtDash(); dash >= 0 {
			args, f.command = args[:dash], args[dash:]
		}
		if f.command != nil && (len(f.command) == 0 || f.command[0] == "") {
			return usage("--: expected the command line of a server behind it")
		}
		if err := check(cmd, args); err != nil {
			return err
		}
		switch set := cmd.Flags().Changed("start-timeout"); {
		case set && f.command == nil:
			return usage("--start-timeout %s; expected the command line of a server behind --", f.starting)
		case f.starting <= 0:
			return usage("--start-timeout %s; expected a positive duration such as 1m", f.starting)
		}
		return nil
	}
}

// open opens the target of the flags, and starts its server where there is a command.
func (f *flags) open(ctx context.Context) (targets.Target, error) {
	switch {
	case f.also != "":
		return f.openBoth(ctx)
	case f.command == nil && process.HasPlace(f.target):
		return nil, usage("--target: {port} and {dir} are filled in where the run starts the server; expected its command line behind --")
	case f.command == nil:
		return openTarget(ctx, f.target)
	case !strings.HasPrefix(f.target, etcd.Scheme+"://"):
		return nil, usage("-- %q: expected --target %s for a server that the run starts", f.command[0], quoted(spawnedForm))
	}
	return openDamaged(ctx, f.target, func(ctx context.Context, text string) (targets.Target, error) {
		target, err := spawned.Open(ctx, spawned.Options{URL: text, Command: f.command, StartTimeout: f.starting})
		if err != nil {
			return nil, err
		}
		return target, nil
	})
}

// openBoth opens a target with the store below it, which its URL then names too, so that
// whoever runs a plan again has both.
func (f *flags) openBoth(ctx context.Context) (targets.Target, error) {
	switch {
	case !strings.HasPrefix(f.target, kube.Scheme+"://"):
		return nil, usage("--also %s; expected --target kube://… beside it", quoted(targets.WithoutCredentials(f.also)))
	case f.command != nil:
		return nil, usage("-- %q: expected no command beside --also: the servers of kube:// are running", f.command[0])
	}
	separator := "?"
	if strings.Contains(f.target, "?") {
		separator = "&"
	}
	return openTarget(ctx, f.target+separator+"also="+url.QueryEscape(f.also))
}

// reopen opens the target anew, nil where that gives no store of its own: only a server
// that the run starts begins empty, on ports and in a folder that are not taken. In memory
// each plan has a store of its own anyway.
func (f *flags) reopen() session.Reopen {
	inFolder := slices.ContainsFunc(f.command, func(word string) bool { return strings.Contains(word, process.Dir) })
	started := f.command != nil && inFolder && strings.Contains(f.target, process.Port)
	if !started && !strings.HasPrefix(f.target, embedded.Scheme+"://") {
		return nil
	}
	return held.opener(f.open)
}
