// Command controlplane starts a Kubernetes control plane of real binaries on this
// machine: a store, apiservers, and, if asked for, a controller-manager.
//
//	controlplane [FLAGS]              prints the path of a kubeconfig, and stays until Ctrl-C
//	controlplane [FLAGS] -- CMD…      runs a command with KUBECONFIG set, and ends with its exit code
//
// In the command {kubeconfig} stands for the path of the kubeconfig, {servers} and
// {etcd} for the apiservers' URLs and the store's addresses, separated by commas, and
// {target} for what names all of it to the checker: its URL with every apiserver.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/rvcheck/rvcheck/testbed/controlplane"
)

// request is what the command line asks for.
type request struct {
	controlplane.Options
	manifest string
	account  string
	command  []string
}

func parse(args []string) (request, error) {
	var r request
	flags := flag.NewFlagSet("controlplane", flag.ContinueOnError)
	flags.StringVar(&r.Version, "version", "", "of the apiserver, such as v1.30.14 (default the newest)")
	flags.BoolVar(&r.ExtensionsOnly, "extensions-only", false, "an apiextensions-apiserver, of versions such as v0.24.1: types and their objects, no namespaces")
	flags.StringVar(&r.Store, "store", "etcd", "the server underneath, such as etcd@v3.5.33 or kine-sqlite")
	flags.IntVar(&r.Members, "members", 1, "members of the etcd, 1 or 3")
	flags.IntVar(&r.APIServers, "apiservers", 1, "apiservers on the one store")
	flags.BoolVar(&r.WithoutWatchCache, "no-watch-cache", false, "every read is one of the store")
	flags.BoolVar(&r.ControllerManager, "controller-manager", false, "a kube-controller-manager beside the apiservers")
	flags.DurationVar(&r.Compaction, "compaction", 0, "how often an apiserver compacts the store, negative: never (default 5m)")
	flags.Func("apiserver-flag", "a further flag of kube-apiserver, such as --feature-gates=WatchList=false; may be repeated",
		func(text string) error { r.Flags = append(r.Flags, text); return nil })
	flags.StringVar(&r.Logs, "logs", "", "a folder for what the components print")
	flags.StringVar(&r.manifest, "manifest", "", "a file of objects that are applied first")
	flags.StringVar(&r.account, "service-account", "", "the NAMESPACE/NAME of the ServiceAccount that the kubeconfig is for (default an administrator)")
	flags.SetOutput(io.Discard) // main says what is wrong
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Println("controlplane [FLAGS] [-- CMD…]")
		flags.SetOutput(os.Stdout)
		flags.PrintDefaults()
		return r, err
	case err != nil:
		return r, err
	}
	r.command = flags.Args()
	if namespace, name, ok := strings.Cut(r.account, "/"); r.account != "" && (!ok || namespace == "" || name == "") {
		return r, fmt.Errorf("--service-account %q: expected NAMESPACE/NAME", r.account)
	}
	return r, nil
}

func main() {
	r, err := parse(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err == nil:
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = r.serve(ctx)
	}
	var ended *commandEnded
	switch {
	case err == nil:
	case errors.As(err, &ended):
		os.Exit(ended.ExitCode())
	default:
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(2)
	}
}

// commandEnded is the command's exit code, which the command has explained by itself. That of
// a component is another matter.
type commandEnded struct{ *exec.ExitError }

// serve starts the control plane, does what it is for, and ends it.
func (r request) serve(ctx context.Context) (err error) {
	var manifest []byte
	if r.manifest != "" {
		if manifest, err = os.ReadFile(r.manifest); err != nil {
			return err
		}
	}
	c, err := controlplane.Start(ctx, r.Options)
	if err != nil {
		return err
	}
	defer func() {
		if stopped := c.Stop(); stopped != nil {
			fmt.Fprintln(os.Stderr, "controlplane:", stopped)
		}
	}()
	kubeconfig := c.Kubeconfig
	if err := c.Apply(ctx, manifest); err != nil {
		return err
	}
	if namespace, name, ok := strings.Cut(r.account, "/"); ok {
		if kubeconfig, err = c.ServiceAccount(ctx, namespace, name); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "apiservers %s on %s %s\n", strings.Join(c.Servers, ", "), r.Store, strings.Join(c.Etcd, ", "))
	if len(r.command) == 0 {
		fmt.Println(kubeconfig)
		return stay(ctx, c)
	}
	return r.run(ctx, c, kubeconfig)
}

// stay waits for Ctrl-C, or for a component that does not go on.
func stay(ctx context.Context, c *controlplane.ControlPlane) error {
	select {
	case err := <-c.Ended():
		return err
	case <-ctx.Done():
		return nil
	}
}

// run runs the command. A terminal's Ctrl-C reaches it by itself, any other request to
// end is passed on.
func (r request) run(ctx context.Context, c *controlplane.ControlPlane, kubeconfig string) error {
	words := make([]string, len(r.command))
	places := strings.NewReplacer(
		"{kubeconfig}", kubeconfig, "{target}", c.Target(kubeconfig),
		"{servers}", strings.Join(c.Servers, ","), "{etcd}", strings.Join(c.Etcd, ","))
	for i, word := range r.command {
		words[i] = places.Replace(word)
	}
	command := exec.Command(words[0], words[1:]...)
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	defer signal.Stop(terminated)
	for {
		select {
		case err := <-ended:
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.Exited() {
				return &commandEnded{exit}
			}
			return err
		case request := <-terminated:
			_ = command.Process.Signal(request) // it may have ended
		case err := <-c.Ended(): // the command sees for itself what that means
			fmt.Fprintln(os.Stderr, "controlplane:", err)
		}
	}
}
