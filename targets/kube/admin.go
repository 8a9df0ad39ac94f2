package kube

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/rvcheck/rvcheck/targets"
)

// admin prepares the cluster for a run and takes the run's traces away. Its requests
// stand in no history.
type admin struct {
	endpoint   endpoint
	connection *connection
}

func newAdmin(e endpoint) (*admin, error) {
	c, err := connect(e)
	if err != nil {
		return nil, &targets.SetupError{Where: e.String(), Expected: "expected usable credentials", Err: err}
	}
	return &admin{endpoint: e, connection: c}, nil
}

func (a *admin) close() { a.connection.close() }

// do sends a call and reads the object that comes back, insisting on an answer. A refusal is
// a *refusedError.
func (a *admin) do(ctx context.Context, what call) (tree, error) {
	body, _, err := a.ask(ctx, what)
	return body, err
}

// ask tells as well whether it was asked more than once.
func (a *admin) ask(ctx context.Context, what call) (body tree, again bool, err error) {
	again, err = insist(ctx, func() (err error) {
		body, err = a.once(ctx, what)
		return err
	})
	return body, again, err
}

// patience bounds how long what failed in passing is tried again.
const patience = 10 * time.Second

// insist tries something again that failed in passing: a run should not end, nor leave
// anything behind, because one connection was cut or a server restarts. What is tried must
// have the same effect twice. It tells whether it was tried more than once.
func insist(ctx context.Context, try func() error) (again bool, err error) {
	began := time.Now()
	ended := poll(ctx, func() (bool, error) {
		if err = try(); !isPassing(err) || time.Since(began) > patience {
			return true, nil
		}
		again = true
		return false, nil
	})
	if ended != nil {
		err = fmt.Errorf("%w, and before: %w", ended, err)
	}
	return again, err
}

// answering bounds how long one answer may take.
const answering = 20 * time.Second

// send sends a call once.
func (a *admin) send(ctx context.Context, what call) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	return a.connection.do(ctx, what)
}

func (a *admin) once(ctx context.Context, what call) (tree, error) {
	got, err := a.send(ctx, what)
	if err != nil {
		return nil, err
	}
	if got.status < 200 || got.status > 299 {
		return nil, refusal(got)
	}
	return parse(got.body)
}

// creation bounds a request that makes something of the run.
const creation = patience + 5*time.Second

// create makes something, whose name is the run's alone. An interruption does not cut it off:
// else it could take effect after whoever removes the run's traces has looked.
func (a *admin) create(ctx context.Context, what call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), creation)
	defer cancel()
	_, again, err := a.ask(ctx, what)
	if again && isCode(err, http.StatusConflict) {
		return nil // by a request that was not answered
	}
	return err
}

// setup is what could not be done while the run was prepared.
func (a *admin) setup(what string, err error) error {
	expected := "expected to " + what
	if isCode(err, http.StatusForbidden) {
		expected = "expected the right to " + what + " (deploy/rbac.yaml lists what a run needs)"
	}
	return &targets.SetupError{Where: a.endpoint.String(), Expected: expected, Err: err}
}

// The labels of all that a run makes beside objects in its namespaces.
const (
	managedBy = "app.kubernetes.io/managed-by"
	runLabel  = domain + "/run"
)

func runLabels(run string) tree { return tree{managedBy: manager, runLabel: run} }

const namespacesPath = "/api/v1/namespaces"

// lacksNamespaces reports whether the server has no namespaces to make, and takes any:
// one for custom resources alone, such as a bare apiextensions-apiserver.
func (a *admin) lacksNamespaces(ctx context.Context) (bool, error) {
	_, err := a.do(ctx, call{method: http.MethodGet, path: "/api/v1"})
	switch {
	case isCode(err, http.StatusNotFound):
		return true, nil
	case err == nil, isCode(err, http.StatusForbidden):
		return false, nil
	}
	return false, a.setup("find out what it serves", err)
}

// makeNamespaces makes a set of namespaces, none of which may exist before.
func (a *admin) makeNamespaces(ctx context.Context, run string, set names) error {
	for _, name := range set.all() {
		body := tree{"apiVersion": "v1", "kind": "Namespace", "metadata": tree{"name": name, "labels": runLabels(run)}}
		if err := a.create(ctx, call{method: http.MethodPost, path: namespacesPath, body: encoded(body)}); err != nil {
			return a.setup("make the namespace "+name, err)
		}
	}
	return nil
}

// found is an object as the run's removal sees it.
type found struct {
	metadata
	body tree
}

// find lists what a label selector takes.
func (a *admin) find(ctx context.Context, path, selector string) ([]found, error) {
	query := url.Values{}
	set(query, "labelSelector", selector)
	body, err := a.do(ctx, call{method: http.MethodGet, path: path, query: query})
	if err != nil {
		return nil, err
	}
	items, err := itemsOf(body, "")
	if err != nil {
		return nil, err
	}
	all := make([]found, 0, len(items))
	for _, item := range items {
		meta, err := metadataOf(item)
		if err != nil {
			return nil, err
		}
		all = append(all, found{metadata: meta, body: item})
	}
	return all, nil
}

// delete deletes one object, if it is still that one.
func (a *admin) delete(ctx context.Context, path, uid string) error {
	options := tree{"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"}
	if uid != "" {
		options["preconditions"] = tree{"uid": uid}
	}
	_, err := a.do(ctx, call{method: http.MethodDelete, path: path, body: encoded(options)})
	return ifThere(err)
}

// ifThere takes no offence at what is not there any more, or is another one by now.
func ifThere(err error) error {
	if isCode(err, http.StatusNotFound) || isCode(err, http.StatusConflict) {
		return nil
	}
	return err
}

// poll asks again and again, with growing pauses, until done or ctx ends.
func poll(ctx context.Context, ask func() (done bool, err error)) error {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second/2) {
		done, err := ask()
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

var errLeft = errors.New("something is left")

// leftError names what could not be removed in time.
func leftError(what string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		err = errLeft
	}
	return fmt.Errorf("%s: %w", what, err)
}
