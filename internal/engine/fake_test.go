package engine_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// fake is a target whose store is a small map, and whose calls a test can
// replace. It is right enough for the engine, which judges nothing.
type fake struct {
	description targets.Description
	// do and watch see every call first; they return false to leave it to the store.
	do    func(ctx context.Context, c *fakeClient, request histories.Request) (histories.Answer, error, bool)
	watch func(ctx context.Context, c *fakeClient, request histories.Request, sink targets.Sink) (histories.Answer, targets.Stream, error, bool)
	// open and newSpace replace the setup where they are set.
	open     func(ctx context.Context, endpoint int) error
	newSpace func(ctx context.Context) error
	// muteWatches makes streams deliver nothing, not even progress.
	muteWatches bool
	// pace is how long streams take for each event.
	pace time.Duration

	mu      sync.Mutex
	newest  histories.Revision
	objects map[histories.Key]histories.Object
	log     []histories.Event
	streams map[*fakeStream]bool
	opened  []int
	closed  int
	removed int
}

func newFake() *fake {
	return &fake{
		description: targets.Description{
			URL: "fake://", Layer: histories.EtcdLayer, Server: "0", Profile: "fake", World: histories.Closed,
			Endpoints: 1, Exclusive: true, Unsupported: map[targets.Feature]string{},
		},
		newest: 1, objects: map[histories.Key]histories.Object{}, streams: map[*fakeStream]bool{},
	}
}

func (f *fake) Describe() targets.Description { return f.description }

func (f *fake) Close(context.Context) error { return nil }

func (f *fake) NewSpace(ctx context.Context, _ string) (targets.Space, error) {
	if f.newSpace != nil {
		return f, f.newSpace(ctx)
	}
	return f, nil
}

func (f *fake) Remove(context.Context) error {
	f.removed++
	return nil
}

func (f *fake) Open(ctx context.Context, endpoint int) (targets.Client, error) {
	if f.open != nil {
		if err := f.open(ctx, endpoint); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = append(f.opened, endpoint)
	return &fakeClient{fake: f, number: len(f.opened)}, nil
}

// fakeClient is a connection; number counts from 1, the closing client being the
// first and the witness the second.
type fakeClient struct {
	fake   *fake
	number int
}

func (c *fakeClient) Close() error {
	c.fake.mu.Lock()
	defer c.fake.mu.Unlock()
	c.fake.closed++
	return nil
}

func (c *fakeClient) Do(ctx context.Context, request histories.Request) (histories.Answer, error) {
	if c.fake.do != nil {
		if answer, err, done := c.fake.do(ctx, c, request); done {
			return answer, err
		}
	}
	if ctx.Err() != nil {
		return histories.Answer{}, ctx.Err()
	}
	return c.fake.apply(request), nil
}

func (f *fake) apply(request histories.Request) histories.Answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	object, exists := f.objects[request.Key]
	answer := histories.Answer{Outcome: histories.OK}
	switch request.Kind {
	case histories.Create:
		if exists {
			answer = refused()
		} else {
			f.store(request)
		}
	case histories.Update, histories.Delete:
		switch {
		case request.Conditional && object.RV != request.Expect:
			answer = refused()
		case request.Kind == histories.Update:
			f.store(request)
		case exists:
			answer.Deleted = 1
			f.remove(request.Key)
		}
	case histories.Put:
		f.store(request)
	case histories.Get:
		if exists {
			answer.Objects = []histories.Object{object}
		}
	case histories.List, histories.Next:
		answer.Objects, answer.More = f.page(request)
	}
	answer.Revision = f.newest
	return answer
}

func refused() histories.Answer {
	return histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: histories.Conflict}}
}

func (f *fake) page(request histories.Request) (objects []histories.Object, more bool) {
	for key, object := range f.objects {
		if !request.HasStart || key.Name >= request.Start {
			objects = append(objects, object)
		}
	}
	slices.SortFunc(objects, func(a, b histories.Object) int { return cmp.Compare(a.Key.Name, b.Key.Name) })
	if n := int(request.Limit); n > 0 && n < len(objects) {
		return objects[:n], true
	}
	return objects, false
}

func (f *fake) store(request histories.Request) {
	f.newest++
	object := histories.Object{Key: request.Key, Write: request.Write, RV: f.newest}
	f.objects[request.Key] = object
	f.publish(histories.Event{Type: histories.PutEvent, Object: object})
}

func (f *fake) remove(key histories.Key) {
	f.newest++
	delete(f.objects, key)
	f.publish(histories.Event{Type: histories.DeleteEvent, Object: histories.Object{Key: key, RV: f.newest}})
}

func (f *fake) publish(event histories.Event) {
	event.Header = f.newest
	f.log = append(f.log, event)
	for s := range f.streams {
		s.send(event)
	}
}

// fakeStream delivers from one goroutine, which ends with the watch's context.
type fakeStream struct {
	fake    *fake
	request histories.Request
	queue   chan histories.Event
}

func (c *fakeClient) Watch(ctx context.Context, request histories.Request, sink targets.Sink) (histories.Answer, targets.Stream, error) {
	if c.fake.watch != nil {
		if answer, stream, err, done := c.fake.watch(ctx, c, request, sink); done {
			return answer, stream, err
		}
	}
	if after, err := strconv.ParseInt(request.Options().ResourceVersion, 10, 64); err == nil && after > 0 {
		request.StartRevision = histories.Revision(after) + 1
	}
	f := c.fake
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &fakeStream{fake: f, request: request, queue: make(chan histories.Event, 10000)}
	f.streams[s] = true
	for _, event := range f.log {
		if request.StartRevision > 0 && event.Object.RV >= request.StartRevision {
			s.send(event)
		}
	}
	go s.deliver(ctx, sink)
	return histories.Answer{Outcome: histories.OK, Revision: f.newest}, s, nil
}

func (s *fakeStream) send(event histories.Event) {
	outside := !s.request.Scope.Contains(event.Object.Key)
	if !s.fake.muteWatches && (event.Type == histories.ProgressEvent || !outside && event.Object.RV >= s.request.StartRevision) {
		s.queue <- event
	}
}

func (s *fakeStream) deliver(ctx context.Context, sink targets.Sink) {
	for {
		select {
		case event := <-s.queue:
			time.Sleep(s.fake.pace)
			event.Last = true
			sink.Batch([]histories.Event{event})
		case <-ctx.Done():
			s.fake.mu.Lock()
			delete(s.fake.streams, s)
			s.fake.mu.Unlock()
			sink.End(histories.End{Reason: histories.EndCancelled})
			return
		}
	}
}

func (s *fakeStream) RequestProgress(context.Context) error {
	s.fake.mu.Lock()
	defer s.fake.mu.Unlock()
	if !s.fake.streams[s] {
		return errors.New("the stream is over")
	}
	s.send(histories.Event{Type: histories.ProgressEvent, Header: s.fake.newest})
	return nil
}
