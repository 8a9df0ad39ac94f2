package main

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/damaged"
	"github.com/rvcheck/rvcheck/targets/embedded"
	"github.com/rvcheck/rvcheck/targets/etcd"
	"github.com/rvcheck/rvcheck/targets/kube"
	"github.com/rvcheck/rvcheck/targets/memory"
)

const targetForms = "embedded://, memory://?mutant=ID, etcd://HOST:PORT or kube://?kubeconfig=FILE"

// opener opens the target that a URL describes.
type opener func(ctx context.Context, text string) (targets.Target, error)

// schemes are the kinds of targets by the scheme of their URLs.
var schemes = map[string]opener{
	"embedded":  openEmbedded,
	"memory":    openMemory,
	"etcd":      openEtcd,
	kube.Scheme: kube.OpenURL,
}

// withTLS is what a URL of etcd has in place of the scheme https.
var withTLS = map[string]string{"https": "?tls=true"}

// openTarget opens the target of a --target flag. Errors never repeat the URL,
// which may hold a password.
func openTarget(ctx context.Context, text string) (targets.Target, error) {
	scheme, _, found := strings.Cut(text, "://")
	if !found {
		return nil, usage("--target: that is no URL; expected %s", targetForms)
	}
	open, known := schemes[scheme]
	if scheme == "http" || scheme == "https" {
		return nil, usage("--target: unknown scheme %q; expected etcd://HOST:PORT%s for a server that speaks etcd's API", scheme, withTLS[scheme])
	}
	if !known {
		return nil, usage("--target: unknown scheme %q; expected one of %s", scheme,
			strings.Join(slices.Sorted(maps.Keys(schemes)), ", "))
	}
	return openDamaged(ctx, text, open)
}

// openDamaged opens a target, and damages on purpose what passes between it and its
// clients if the URL has the parameter damage.
func openDamaged(ctx context.Context, text string, open opener) (targets.Target, error) {
	text, damages := withoutDamage(text)
	switch len(damages) {
	case 0:
		return open(ctx, text)
	case 1:
	default:
		return nil, usage("--target: damage is there %d times; expected one value", len(damages))
	}
	if _, known := damaged.Lookup(damages[0]); !known {
		return nil, usage("--target: unknown damage %q; expected one of checker mutants", damages[0])
	}
	target, err := open(ctx, text)
	if err != nil {
		return nil, err
	}
	return damaged.Wrap(target, damages[0])
}

// withoutDamage takes the parameter damage, which every kind of target has, out of a URL.
func withoutDamage(text string) (rest string, damages []string) {
	base, query, _ := strings.Cut(text, "?")
	var others []string
	for parameter := range strings.SplitSeq(query, "&") {
		if id, found := strings.CutPrefix(parameter, "damage="); found {
			damages = append(damages, id)
			continue
		}
		others = append(others, parameter)
	}
	switch query = strings.Join(others, "&"); {
	case damages == nil:
		return text, nil
	case query == "":
		return base, damages
	default:
		return base + "?" + query, damages
	}
}

func openEmbedded(ctx context.Context, text string) (targets.Target, error) {
	options, err := embedded.ParseURL(text)
	if err != nil {
		return nil, err
	}
	return embedded.Open(ctx, options)
}

func openMemory(_ context.Context, text string) (targets.Target, error) {
	u, err := parseURL(text)
	if err != nil {
		return nil, err
	}
	target, err := memory.OpenURL(u)
	var wrong *targets.UsageError
	if errors.As(err, &wrong) && wrong.Where == "mutant" {
		return nil, usage("--target: %w; checker mutants lists them", err)
	}
	return target, err
}

func openEtcd(ctx context.Context, text string) (targets.Target, error) {
	config, err := etcd.ParseURL(text)
	if err != nil {
		return nil, err
	}
	return etcd.Open(ctx, config)
}

func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err == nil {
		return u, nil
	}
	var broken *url.Error
	if errors.As(err, &broken) {
		err = broken.Err // without the URL itself
	}
	return nil, usage("--target: %w; expected %s", err, targetForms)
}
