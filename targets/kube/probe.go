package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/rvcheck/rvcheck/histories"
)

// findings are what was found out by asking.
type findings struct {
	profile profile
	// watchLists says why there is no sendInitialEvents, empty where there is.
	watchLists string
	// protobuf says why there are no answers in protobuf, empty where there are.
	protobuf string
}

// probe asks each server how it behaves, with two objects that it makes and removes.
func (t *target) probe(ctx context.Context, p place) (findings, error) {
	d := dialect(p)
	for _, name := range []string{"probe-1", "probe-2"} {
		r := &histories.Request{Kind: histories.Create, Key: histories.Key{Namespace: p.names.logical()[0], Name: name}, Write: histories.WriteID(name)}
		if err := t.admin.create(ctx, d.create(r)); err != nil {
			return findings{}, t.admin.setup("create "+p.kind.name(), err)
		}
	}
	var found findings
	for _, e := range t.endpoints {
		if err := found.ask(ctx, e, &d); err != nil {
			return findings{}, err
		}
	}
	if err := t.admin.empty(ctx, p.kind, p.names.all()[0]); err != nil {
		return findings{}, t.admin.setup("delete "+p.kind.name(), err)
	}
	return found, nil
}

func (f *findings) ask(ctx context.Context, e endpoint, d *dialect) error {
	a, err := newAdmin(e)
	if err != nil {
		return err
	}
	defer a.close()
	cached, err := a.hasCache(ctx, d)
	if err != nil {
		return err
	}
	f.profile.cached = f.profile.cached || cached
	lacks, err := a.lacksWatchLists(ctx, d)
	f.watchLists = orElse(f.watchLists, lacks)
	if err != nil {
		return err
	}
	lacks, err = a.lacksProtobuf(ctx, d)
	f.protobuf = orElse(f.protobuf, lacks)
	return err
}

// lacksProtobuf says why nothing is answered in protobuf, empty if it is.
func (a *admin) lacksProtobuf(ctx context.Context, d *dialect) (string, error) {
	if !d.kind.protobuf {
		return fmt.Sprintf(noProtobuf, d.kind.name()), nil
	}
	r := &histories.Request{Kind: histories.List, Scope: d.names.home(), Kube: &histories.KubeOptions{Encoding: histories.Protobuf}}
	var got reply
	_, err := insist(ctx, func() (err error) {
		got, err = a.send(ctx, d.list(r))
		return err
	})
	switch {
	case err != nil:
		return "", a.setup("list "+d.kind.name(), err)
	case got.status == http.StatusNotAcceptable:
		return "the server does not serve protobuf", nil
	default:
		return "", nil
	}
}

// cacheTimeout bounds how long a watch cache may take to be ready: until then a server
// that has one answers as one that has none (LIST-08).
const cacheTimeout = 5 * time.Second

// hasCache reports whether lists of any revision come from a watch cache, which takes no
// notice of a limit there.
func (a *admin) hasCache(ctx context.Context, d *dialect) (cached bool, err error) {
	waiting, cancel := context.WithTimeout(ctx, cacheTimeout)
	defer cancel()
	what := call{
		method: http.MethodGet, path: d.kind.path(d.names.all()[0]),
		query: url.Values{"resourceVersion": {"0"}, "limit": {"1"}},
	}
	err = poll(waiting, func() (bool, error) {
		body, err := a.do(waiting, what)
		if err != nil {
			return false, err
		}
		items, err := itemsOf(body, "")
		cached = len(items) > 1
		return cached, err
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return false, nil
	}
	if err != nil {
		return false, a.setup("list "+d.kind.name(), err)
	}
	return cached, nil
}

// lacksWatchLists says why a watch with sendInitialEvents is not served, empty if it is.
func (a *admin) lacksWatchLists(ctx context.Context, d *dialect) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, cacheTimeout)
	defer cancel()
	yes := true
	r := &histories.Request{Kind: histories.Watch, Scope: d.names.home()}
	r.Kube = &histories.KubeOptions{SendInitialEvents: &yes, ResourceVersionMatch: "NotOlderThan", AllowWatchBookmarks: true, TimeoutSeconds: 5}
	var response *http.Response
	_, err := insist(ctx, func() (err error) {
		response, err = a.connection.open(ctx, d.watch(r))
		return err
	})
	if err != nil {
		return "", a.setup("watch "+d.kind.name(), err)
	}
	defer func() { _ = response.Body.Close() }()
	switch response.StatusCode {
	case http.StatusOK:
		return firstFrame(response.Body), nil
	case http.StatusUnprocessableEntity:
		return "the server does not serve sendInitialEvents", nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	return "", a.setup("watch "+d.kind.name(), errors.Join(err, refusal(reply{status: response.StatusCode, body: body})))
}

// firstFrame says what an error at the beginning of a stream means for streaming lists
// (WL-06).
func firstFrame(body io.Reader) string {
	var first frame
	if err := json.NewDecoder(body).Decode(&first); err != nil || first.Type != "ERROR" {
		return ""
	}
	return fmt.Sprintf("the server begins a stream with an error: %s", failureIn(first.Object).Message)
}
