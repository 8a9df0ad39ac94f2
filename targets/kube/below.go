package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

// defaultBelowPrefix is what an apiserver puts before its keys where it is not told
// otherwise (--etcd-prefix).
const defaultBelowPrefix = "/registry"

// checkBelow connects to the store below the apiservers, if the user names one, and asks
// whether it is that one: a record of another store would blame the wrong layer.
func (t *target) checkBelow(ctx context.Context, set names) error {
	if t.config.Below == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, etcdTimeout)
	defer cancel()
	tap, err := etcd.OpenTap(ctx, *t.config.Below)
	if err != nil {
		return err
	}
	defer func() { _ = tap.Close() }()
	key, made := t.belowPrefix()+"/namespaces/"+set.all()[0], "namespaces"
	if set.none {
		key, made = t.belowPrefix()+"/apiextensions.k8s.io/customresourcedefinitions/"+t.kind.name(), "type"
	}
	there, err := tap.Has(ctx, key)
	if err == nil && !there {
		err = &targets.SetupError{
			Where:    strings.Join(t.config.Below.Endpoints, ","),
			Expected: fmt.Sprintf("expected the store of the kube-apiserver, with the run's %s below %s; another prefix is named by prefix=", made, t.belowPrefix()),
		}
	}
	return err
}

func (t *target) belowPrefix() string {
	return "/" + strings.Trim(orElse(t.config.Below.Prefix, defaultBelowPrefix), "/")
}

// belowFolder is where the objects of the type are stored: those of custom resources
// under their group, the others under their plural alone.
func (s *space) belowFolder() string {
	kind, folder := s.dialect.kind, s.target.belowPrefix()+"/"
	if _, known := builtIn[kind.plural]; kind.group != "" && !known {
		folder += kind.group + "/"
	}
	return folder + kind.plural + "/"
}

// Below opens a view of the store below the apiservers. See targets.Layered.
func (s *space) Below(ctx context.Context) (targets.Client, error) {
	if s.target.config.Below == nil {
		return nil, nil
	}
	tap, err := etcd.OpenTap(ctx, *s.target.config.Below)
	if err != nil {
		return nil, err
	}
	return &below{space: s, tap: tap}, nil
}

// below watches what the apiservers store.
type below struct {
	space   *space
	tap     *etcd.Tap
	watches sync.WaitGroup
}

// Close ends the watches.
func (b *below) Close() error {
	err := b.tap.Close()
	b.watches.Wait()
	return err
}

// Do: nothing but watches goes to the store below.
func (b *below) Do(context.Context, histories.Request) (histories.Answer, error) {
	return histories.Answer{}, unsupported(targets.Reads, "the store below is only watched")
}

// Watch shows the changes of the plan's objects from now on.
func (b *below) Watch(ctx context.Context, _ histories.Request, sink targets.Sink) (histories.Answer, targets.Stream, error) {
	w, err := b.tap.Watch(ctx, b.space.belowFolder())
	if err != nil {
		return histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: histories.Unavailable, Message: shorten(err.Error())}}, nil, nil
	}
	b.watches.Go(func() { b.follow(ctx, w, sink) })
	return histories.Answer{Outcome: histories.OK, Revision: w.Created()}, noProgress{}, nil
}

// noProgress is a stream that nobody need ask how far it is: it shows every change.
type noProgress struct{}

func (noProgress) RequestProgress(context.Context) error {
	return unsupported(targets.ProgressOnCall, "the store below is only watched")
}

func (b *below) follow(ctx context.Context, w *etcd.TapWatch, sink targets.Sink) {
	for batch := 1; ; batch++ {
		changes, err := w.Next()
		switch {
		case ctx.Err() != nil:
			sink.End(histories.End{Reason: histories.EndCancelled})
			return
		case errors.Is(err, io.EOF):
			sink.End(histories.End{Reason: histories.EndClosed})
			return
		case err != nil:
			failure := &histories.Error{Class: histories.Unavailable, Message: shorten(err.Error())}
			sink.End(histories.End{Reason: histories.EndError, Error: failure})
			return
		}
		var events []histories.Event
		for i := range changes {
			if e, mine := b.event(&changes[i]); mine {
				e.Batch = batch
				events = append(events, e)
			}
		}
		if len(events) > 0 {
			events[len(events)-1].Last = true
			sink.Batch(events)
		}
	}
}

// event is what became of an object of the plan, false for others.
func (b *below) event(c *etcd.Change) (histories.Event, bool) {
	path := strings.TrimPrefix(c.Key, b.space.belowFolder())
	namespace, name, found := strings.Cut(path, "/")
	if !found {
		namespace, name = "", path
	}
	logical, inside := b.space.dialect.names.plan(namespace)
	name, ours := b.space.dialect.names.planObject(name)
	if !inside || !ours {
		return histories.Event{}, false
	}
	key := histories.Key{Namespace: logical, Name: name}
	e := histories.Event{Type: histories.PutEvent, Object: b.object(key, c.Revision, c.Value)}
	if c.Deleted {
		e.Type, e.Object = histories.DeleteEvent, histories.Object{Key: key, RV: c.Revision}
	}
	if c.Before > 0 {
		before := b.object(key, c.Before, c.BeforeValue)
		e.Prev = &before
	}
	return e, true
}

// object is what a stored value shows of an object: of custom resources, which are stored
// as JSON, and of built-in types, which are in protobuf, what an answer would show, of
// others, such as encrypted ones, the key and the revision.
func (b *below) object(key histories.Key, revision histories.Revision, value []byte) histories.Object {
	object := histories.Object{}
	if body, err := parse(legible(value)); err == nil {
		if shown, _, err := b.space.dialect.show(body, false); err == nil {
			object = shown
		}
	}
	if object.Kube != nil {
		object.Kube.RawRV = ""
	}
	object.Key, object.RV = key, revision
	return object
}
