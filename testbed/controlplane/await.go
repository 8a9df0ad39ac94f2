package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

const (
	// patience is how long a component may take: a busy machine takes a minute for what
	// takes three seconds.
	patience = 5 * time.Minute
	often    = 50 * time.Millisecond
	// tail is how many lines of its log an error shows.
	tail = 10
)

// await waits until a question is answered without an error.
func (p *part) await(ctx context.Context, what string, question func(context.Context) error) error {
	end := time.After(patience)
	for {
		err := question(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.Exited():
			return p.failure("ended while it was awaited", p.Err())
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w (%w)", what, ctx.Err(), err)
		case <-end:
			return p.failure(fmt.Sprintf("expected %s within %v", what, patience), err)
		case <-time.After(often):
		}
	}
}

// failure is a component that did not do what it should, with its last words.
func (p *part) failure(what string, cause error) error {
	return &failure{fmt.Errorf("%s: %s: %w", p.name, what, cause), p.Log().Tail(tail)}
}

type failure struct {
	error
	log []string
}

func (f *failure) Error() string {
	return strings.Join(append([]string{f.error.Error()}, f.log...), "\n\t")
}

func (f *failure) Unwrap() error { return f.error }

// portTaken reports whether somebody took a port between its choice and its use.
func portTaken(err error) bool {
	var f *failure
	return errors.As(err, &f) && strings.Contains(strings.Join(f.log, "\n"), "address already in use")
}

func listens(endpoint string) func(context.Context) error {
	return func(ctx context.Context) error {
		connection, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", endpoint)
		if err == nil {
			err = connection.Close()
		}
		return err
	}
}

// ready asks an apiserver whether it has started, and made the namespace that everybody
// takes for granted.
func (c *ControlPlane) ready(server string, options Options) func(context.Context) error {
	if options.ExtensionsOnly {
		// It is never ready: it looks for the services of webhooks, and serves none.
		return c.answers(server, "/livez", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
	}
	return c.answers(server, "/readyz", "/api/v1/namespaces/default")
}

// published asks for the first things that a controller-manager writes.
func (c *ControlPlane) published() func(context.Context) error {
	return c.answers(c.Servers[0], "/api/v1/namespaces/default/configmaps/kube-root-ca.crt", "/api/v1/namespaces/default/serviceaccounts/default")
}

// answers asks an apiserver for paths, which are there or not.
func (c *ControlPlane) answers(server string, paths ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		for _, path := range paths {
			if err := c.admin.get(ctx, server, path, nil); err != nil {
				return err
			}
		}
		return nil
	}
}
