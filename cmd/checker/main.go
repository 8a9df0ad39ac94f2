// Command checker runs property-based conformance checks against stores of
// Kubernetes objects, and judges what others have recorded.
//
// Results go to stdout, progress and errors to stderr. The exit code is 0 for
// conformant, 1 for a violation, 2 for a usage error, 3 for inconclusive and 4
// for a target that could not be set up or a fault of the checker itself.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/internal/report"
)

func main() {
	ctx, stop := context.WithCancel(context.Background())
	signals, ending := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	go obey(signals, stop, ending, func() {
		if err := held.abandon(lastMoments); err != nil {
			fmt.Fprintf(os.Stderr, "checker: interrupted again: %s\n", oneLine(err))
		}
		os.Exit(report.ExitInconclusive)
	})
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	select {
	case <-ending:
		select {} // the second signal ends the process
	default:
		os.Exit(code)
	}
}

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var code exitCode
	switch {
	case err == nil:
		return report.ExitConformant
	case errors.As(err, &code):
		return int(code)
	default:
		for _, line := range messages(err) {
			fmt.Fprintf(stderr, "checker: %s\n", oneLine(line))
		}
		return classify(err)
	}
}

// oneLine is a message as a terminal may have it.
func oneLine(message any) string {
	return report.Printable(strings.Join(strings.Fields(fmt.Sprint(message)), " "))
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "checker",
		Short:         "Check that a store of Kubernetes objects keeps the contract of resourceVersion",
		Long:          about,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		Version:       version(),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.AddCommand(newRun(), newCheck(), newReplay(), newShrink(), newBaseline(), newShow(), newList(), newExplain(), newMutants(), newClean())
	return root
}

// version is that of the module, as the build knows it.
func version() string {
	build, known := debug.ReadBuildInfo()
	if !known || build.Main.Version == "" {
		return "(unknown)"
	}
	return build.Main.Version
}

// newHelp is the command help, for which a command that does not exist is a mistake.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Say how a command is used",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd.Root(), args)
			}
			return about.Help()
		},
	}
}

const about = `checker draws interleaved histories of writes, reads, paged lists and watches,
runs them against a store, and judges what came back against the Kubernetes
contract for resourceVersion.

  checker run                                     an etcd server in this process
  checker run --target 'etcd://127.0.0.1:2379'    any etcd v3 endpoint
  checker run --target 'etcd://127.0.0.1:{port}' -- SERVER --listen 127.0.0.1:{port}
                                                  a server that the run starts and ends
  checker run --target 'memory://?mutant=ID'      a store that is known to be broken
  checker check runs/latest                       judge again what was recorded

Exit code: 0 conformant, 1 violated, 2 usage, 3 inconclusive, 4 setup failed.`
