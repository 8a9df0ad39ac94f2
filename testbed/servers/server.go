package servers

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Source is what a server is built from.
type Source struct {
	Binary  string // the name of the program
	Module  string
	Package string // the main package
	Tags    string // build tags, separated by commas
	CFlags  string // for what is written in C, empty: the Go command's own
	// Requires are modules, as module@version, that the build needs beside its own.
	Requires []string
	// Staging: what the module requires at v0.0.0 are parts of itself, published with it
	// as v0.MINOR.PATCH.
	Staging bool
	// LinkerFlags may name {version} and {minor}, those of the release of Kubernetes.
	LinkerFlags string
}

// Server is one kind of server, or a component: a program that serves only together
// with others, and so has no URL and no Command.
type Server struct {
	Name   string
	Source Source
	// Current are the versions that users run, the newest first; Old those that are
	// kept for their faults. Any other version of the module can be named too.
	Current []string
	Old     []string
	// URL is the target, Command starts the server: see checker run --help for the
	// places. {bin} is the binary, {script} the file of Script, where there is one.
	URL     string
	Command []string
	Script  string
	// OldURL is the target of old releases that must not be asked what they offer, since
	// some questions end them; empty: URL.
	OldURL string
	// OldWithout are the features that an old release, with an OldURL, does not offer
	// yet, joined by commas.
	OldWithout map[string]string
	// KnownFailing is the file of what the current versions are known to fail, from the
	// root of the repository.
	KnownFailing string
	// Needs says what this machine lacks, nil: nothing is needed beside the binary.
	Needs func() error
}

// Release is a server at one version.
type Release struct {
	Server
	Version string
}

func (r Release) String() string { return r.Name + "@" + r.Version }

// Find resolves a name such as kine-sqlite@v0.17.5, or kine-sqlite for its newest.
func Find(text string) (Release, error) {
	name, version, named := strings.Cut(text, "@")
	at := slices.IndexFunc(all, func(s Server) bool { return s.Name == name })
	if at < 0 {
		return Release{}, fmt.Errorf("%q: expected a server as NAME or NAME@VERSION, NAME being one of %s", text, strings.Join(names(), ", "))
	}
	if !named {
		version = all[at].Current[0]
	}
	if !strings.HasPrefix(version, "v") || strings.ContainsAny(version, "/ \t\n@") {
		return Release{}, fmt.Errorf("%q: expected a version such as %s behind the @", text, all[at].Current[0])
	}
	return release(all[at], version), nil
}

func release(s Server, version string) Release {
	if s.OldURL != "" && !slices.Contains(s.Current, version) {
		s.URL = s.OldURL
	}
	if features := s.OldWithout[version]; features != "" {
		s.URL += "&without=" + features
	}
	return Release{s, version}
}

// all are servers and components.
var all = slices.Concat(Table, Components)

func names() (names []string) {
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

// Pinned are all releases that the tables name.
func Pinned() (releases []Release) {
	for _, s := range all {
		for _, version := range slices.Concat(s.Current, s.Old) {
			releases = append(releases, release(s, version))
		}
	}
	return releases
}

// ErrUnsupported is a server that this machine cannot run.
var ErrUnsupported = errors.New("unsupported here")

// Supported says whether this machine has what the server needs; its error is an
// ErrUnsupported.
func (r Release) Supported() error {
	if r.Needs == nil {
		return nil
	}
	if err := r.Needs(); err != nil {
		return fmt.Errorf("%s: %w: %w", r, ErrUnsupported, err)
	}
	return nil
}

// Installed is a release that can be started.
type Installed struct {
	Release
	Binary     string
	ScriptFile string
}

// Install finds a release by its name, and builds it if that was not done before. A
// release that this machine cannot run is an ErrUnsupported.
func Install(ctx context.Context, name string) (Installed, error) {
	release, err := Find(name)
	if err == nil {
		err = release.Supported()
	}
	if err != nil {
		return Installed{}, err
	}
	binary, err := release.Build(ctx)
	if err != nil {
		return Installed{}, err
	}
	script, err := release.keepScript()
	return Installed{release, binary, script}, err
}

// CommandLine starts the server.
func (i Installed) CommandLine() []string {
	words := slices.Clone(i.Command)
	for at, word := range words {
		words[at] = strings.NewReplacer("{bin}", i.Binary, "{script}", i.ScriptFile).Replace(word)
	}
	return words
}

var (
	//go:embed cluster.sh
	clusterScript string
	//go:embed postgres.sh
	postgresScript string
)

// postgresNeeds looks for PostgreSQL where Debian's package puts it, or in PATH.
func postgresNeeds() error {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err == nil && len(found) == 0 {
		err = errors.New("there is no PostgreSQL; apt-get install postgresql")
	}
	return err
}
