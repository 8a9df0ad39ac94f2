package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/targets/kube"
)

const aboutClean = `Remove what runs that were killed have left in a Kubernetes cluster: the namespaces
and types of objects that carry the label of a run, and nothing else. With resource= in
the target, of a cluster-scoped type also the objects that a run has made there.

A run that ends, also by Ctrl-C, removes its own traces. Nobody can tell a run that
was killed from one that is at work elsewhere, so what is younger than --older-than stays.`

func newClean() *cobra.Command {
	var target string
	var age time.Duration
	cmd := &cobra.Command{
		Use:   "clean --target kube://...",
		Short: "Remove what aborted runs have left in a cluster",
		Long:  aboutClean,
		Args:  takes(0, 0, "no arguments, and --target"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !strings.HasPrefix(target, kube.Scheme+"://") {
				return usage("--target %.60q; expected kube://, as other targets leave nothing that outlives them", withoutQuery(target))
			}
			if age < 0 {
				return usage("--older-than %s; expected a duration such as 1h, or 0s", age)
			}
			target, _ = withoutDamage(target) // it leaves the same
			config, err := kube.ParseURL(target)
			if err != nil {
				return err
			}
			removed, err := kube.Clean(cmd.Context(), config, age)
			printRemoved(cmd.OutOrStdout(), removed)
			return err
		},
	}
	cmd.Flags().StringVar(&target, "target", "", "the cluster, kube://?kubeconfig=FILE&context=NAME")
	cmd.Flags().DurationVar(&age, "older-than", time.Hour, "leave what was made later than that")
	return cmd
}

// withoutQuery leaves out what could be a secret.
func withoutQuery(url string) string {
	base, _, _ := strings.Cut(url, "?")
	return base[strings.LastIndex(base, "@")+1:]
}

func printRemoved(w io.Writer, removed []kube.Removed) {
	if len(removed) == 0 {
		fmt.Fprintln(w, "nothing to remove")
	}
	for _, run := range removed {
		for _, name := range run.Namespaces {
			fmt.Fprintf(w, "removed namespace %s\n", name)
		}
		for _, name := range run.Types {
			fmt.Fprintf(w, "removed type %s\n", name)
		}
		for _, name := range run.Objects {
			fmt.Fprintf(w, "removed object %s\n", name)
		}
	}
}
