package servers

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Components are the programs of a Kubernetes control plane, which starts them.
var Components = []Server{
	{
		Name: "kube-apiserver", Source: kubernetes("kube-apiserver"),
		KnownFailing: knownKube,
		// The newest, the oldest that is supported, and one between them.
		Current: []string{"v1.37.2", "v1.30.14", "v1.34.4"},
	},
	{
		Name: "apiextensions-apiserver", Current: []string{"v0.37.2"}, Old: []string{"v0.24.1"}, KnownFailing: knownKube,
		Source: Source{
			Binary: "apiextensions-apiserver", Module: "k8s.io/apiextensions-apiserver", Package: "k8s.io/apiextensions-apiserver",
			LinkerFlags: kubernetesVersion,
		},
	},
	{Name: "kube-controller-manager", Source: kubernetes("kube-controller-manager"), Current: []string{"v1.37.2"}},
}

const (
	knownKube = "testbed/known-failing/kube.txt"
	// kubernetesVersion is what a program of Kubernetes asks its linker for.
	variables         = "k8s.io/component-base/version."
	kubernetesVersion = "-X " + variables + "gitVersion={version} -X " + variables + "gitMajor=1 -X " + variables + "gitMinor={minor}"
)

// kubernetes is a program of Kubernetes.
func kubernetes(program string) Source {
	return Source{
		Binary: program, Module: "k8s.io/kubernetes", Package: "k8s.io/kubernetes/cmd/" + program, Staging: true,
		LinkerFlags: kubernetesVersion,
	}
}

// linkerFlags are those of the source for this release. What is published as v0.24.1 is
// of Kubernetes v1.24.1.
func (r Release) linkerFlags() string {
	version := r.Version
	if rest, part := strings.CutPrefix(version, "v0."); part {
		version = "v1." + rest
	}
	return strings.NewReplacer("{version}", version, "{minor}", r.minor()).Replace(r.Source.LinkerFlags)
}

// minor is the second number of the version.
func (r Release) minor() string {
	_, rest, _ := strings.Cut(r.Version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	return minor
}

// staged replaces the parts of the module, which its own go.mod has in a folder, by
// what was published with it.
func (r Release) staged(ctx context.Context, folder string) (string, error) {
	var module struct{ GoMod string }
	if err := r.goJSON(ctx, folder, &module, "mod", "download", "-json", r.Source.Module+"@"+r.Version); err != nil {
		return "", err
	}
	var file struct {
		Require []struct{ Path, Version string }
	}
	if err := r.goJSON(ctx, folder, &file, "mod", "edit", "-json", module.GoMod); err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(r.Version, ".")
	var lines strings.Builder
	for _, part := range file.Require {
		if part.Version == "v0.0.0" {
			fmt.Fprintf(&lines, "replace %s => %s v0.%s\n", part.Path, part.Path, rest)
		}
	}
	return lines.String(), nil
}

// goJSON reads what the Go command says.
func (r Release) goJSON(ctx context.Context, folder string, into any, args ...string) error {
	output, err := r.goCommand(ctx, folder, args...)
	if err == nil {
		err = json.Unmarshal(output, into)
	}
	return err
}
