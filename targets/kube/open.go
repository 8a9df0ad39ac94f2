package kube

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// OpenURL opens the target of a URL. See ParseURL and Open.
func OpenURL(ctx context.Context, text string) (targets.Target, error) {
	config, err := ParseURL(text)
	if err != nil {
		return nil, err
	}
	return Open(ctx, config)
}

// Open reads the kubeconfig, contacts each server, makes the run's type of objects and
// its namespaces, and finds out how the servers behave. What it made is gone when it
// fails. Its errors are a *targets.UsageError for a configuration that makes no sense,
// and a *targets.SetupError for a kubeconfig, a server or rights that are not there.
func Open(ctx context.Context, config Config) (targets.Target, error) {
	endpoints, err := config.endpoints()
	if err != nil {
		return nil, err
	}
	first, err := newAdmin(endpoints[0])
	if err != nil {
		return nil, err
	}
	t := &target{config: config, endpoints: endpoints, admin: first, run: newRun()}
	if err := t.prepare(ctx); err != nil {
		return nil, errors.Join(err, t.undo(ctx))
	}
	return t, nil
}

// newRun names a run, as a part of names in the cluster.
func newRun() string { return strings.ToLower(rand.Text()[:runLength]) }

// runLength is that of a run's name.
const runLength = 10

// undo takes away what a failed preparation has made. That it is not allowed to is no
// news then.
func (t *target) undo(ctx context.Context) error {
	defer t.admin.close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	if t.places == 0 && !t.kind.own {
		return nil
	}
	return t.admin.removeRun(ctx, t.run, t.types())
}

func (t *target) prepare(ctx context.Context) error {
	versions, minor, err := t.versions(ctx)
	if err != nil {
		return err
	}
	if err := t.checkEtcd(ctx); err != nil {
		return err
	}
	if t.bare, err = t.admin.lacksNamespaces(ctx); err != nil {
		return err
	}
	if err := t.chooseType(ctx); err != nil {
		return err
	}
	first, _ := t.take()
	if err := t.makePlace(ctx, first); err != nil {
		return err
	}
	found, err := t.settle(ctx, first)
	if err != nil {
		return err
	}
	if err := t.checkBelow(ctx, first.names); err != nil {
		return err
	}
	found.profile.minor = minor
	t.giveBack(first)
	return t.describe(versions, found)
}

// settle waits until each server serves the type of a place, and asks how they behave.
func (t *target) settle(ctx context.Context, p place) (findings, error) {
	for _, e := range t.endpoints {
		if err := t.awaitServed(ctx, e, p); err != nil {
			return findings{}, err
		}
	}
	return t.probe(ctx, p)
}

// versions are those of all servers, and the oldest minor version among them.
func (t *target) versions(ctx context.Context) (text string, minor int, err error) {
	var versions []string
	for _, e := range t.endpoints {
		version, its, err := versionOf(ctx, e, t.config)
		if err != nil {
			return "", 0, err
		}
		if minor == 0 || its < minor {
			minor = its
		}
		if !slices.Contains(versions, version) {
			versions = append(versions, version)
		}
	}
	return strings.Join(versions, ", "), minor, nil
}

// versionOf refuses a server that is too old, unless the user says how it behaves.
func versionOf(ctx context.Context, e endpoint, config Config) (string, int, error) {
	c, err := connect(e)
	if err != nil {
		return "", 0, &targets.SetupError{Where: e.String(), Expected: "expected usable credentials", Err: err}
	}
	defer c.close()
	version, minor, err := serverVersion(ctx, c)
	if errors.Is(err, errNoVersion) && config.Profile != "" {
		return "a server without a version", 0, nil
	}
	if err != nil {
		return "", 0, &targets.SetupError{Where: e.String(), Expected: "expected a kube-apiserver", Err: err}
	}
	if config.Profile != "" {
		return version, minor, nil
	}
	return version, minor, checkVersion(e, version, minor)
}

// chooseType finds or makes the type of objects.
func (t *target) chooseType(ctx context.Context) error {
	if t.config.Resource != "" {
		var err error
		if t.kind, err = typeNamed(t.config.Resource); err != nil {
			return err
		}
		return t.learnType(ctx)
	}
	own := ownType(t.run)
	own.clusterScoped = t.config.ClusterScoped
	made, err := t.admin.makeType(ctx, t.run, &own)
	switch {
	case made, err != nil: // one that failed may have been made nevertheless
		t.kind = own
		return err
	case own.clusterScoped:
		return t.noType(&own)
	default:
		t.kind = builtIn["configmaps"]
		return nil
	}
}

// learnType finds out about the type that the user named. In a cluster-scoped one the names
// of the run's objects keep them apart from others'.
func (t *target) learnType(ctx context.Context) error {
	if err := t.admin.learnType(ctx, &t.kind); err != nil || !t.kind.clusterScoped {
		return err
	}
	if t.config.Below != nil {
		return usage("parameter also", "expected a namespaced resource= beside it, or none, and "+t.kind.name()+" are cluster-scoped")
	}
	t.kind.prefix = runPrefix(t.run)
	return nil
}

// makeFurtherType makes a type beside the one that the run has.
func (t *target) makeFurtherType(ctx context.Context, own *objectType) error {
	made, err := t.admin.makeType(ctx, t.run, own)
	if !made && err == nil {
		return t.noType(own)
	}
	return err
}

// noType says that the run may not make a type where it cannot do without.
func (t *target) noType(own *objectType) error {
	return &targets.SetupError{
		Where:    t.admin.endpoint.String(),
		Expected: "expected the right to make the type " + own.name() + ", without which there is no scope=cluster (deploy/rbac.yaml lists what a run needs)",
	}
}

func (t *target) awaitServed(ctx context.Context, e endpoint, p place) error {
	a, err := newAdmin(e)
	if err != nil {
		return err
	}
	defer a.close()
	if err := a.awaitType(ctx, p.kind, p.names.all()[0]); err != nil {
		return err
	}
	return a.awaitType(ctx, p.kind, "")
}

// describe says what was found out.
func (t *target) describe(versions string, found findings) error {
	profile := found.profile
	if t.config.Profile != "" {
		var err error
		if profile, err = parseProfile(t.config.Profile); err != nil {
			return err
		}
	}
	world := histories.Open
	if t.kind.own {
		world = histories.Closed
	}
	if t.bare {
		versions += " without namespaces"
	}
	t.description = targets.Description{
		URL: t.publicURL(), Layer: histories.KubeLayer, Server: fmt.Sprintf("%s, %s", versions, t.kind.name()),
		Profile: profile.String(), World: world, Endpoints: len(t.endpoints), Exclusive: t.config.Exclusive,
		Unsupported: t.unsupported(found),
	}
	return nil
}

// publicURL names the type where the run has chosen another one than it would.
func (t *target) publicURL() string {
	text := orElse(t.config.URL, Scheme+"://")
	if t.config.Resource != "" || t.kind.own {
		return text
	}
	separator := "?"
	if strings.Contains(text, "?") {
		separator = "&"
	}
	return text + separator + "resource=" + t.kind.plural
}
