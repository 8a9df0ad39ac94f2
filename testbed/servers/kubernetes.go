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
		// The newest, the oldest that is supported, and one between them.
		Current: []string{"v1.37.2", "v1.30.14", "v1.34.4"},
	},
	{Name: "kube-controller-manager", Source: kubernetes("kube-controller-manager"), Current: []string{"v1.37.2"}},
}

// kubernetes is a program of Kubernetes, which asks its linker which release it is.
func kubernetes(program string) Source {
	const version = "k8s.io/component-base/version."
	return Source{
		Binary: program, Module: "k8s.io/kubernetes", Package: "k8s.io/kubernetes/cmd/" + program, Staging: true,
		LinkerFlags: "-X " + version + "gitVersion={version} -X " + version + "gitMajor=1 -X " + version + "gitMinor={minor}",
	}
}

// linkerFlags are those of the source for this release.
func (r Release) linkerFlags() string {
	return strings.NewReplacer("{version}", r.Version, "{minor}", r.minor()).Replace(r.Source.LinkerFlags)
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
