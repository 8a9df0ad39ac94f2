package kube

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// stream is an open watch: one response whose body never ends by itself.
type stream struct {
	dialect *dialect
	request histories.Request
	body    io.ReadCloser
	sink    targets.Sink
	name    string
	// failure is what the last error event said.
	failure *histories.Error
	pace    pace
}

// RequestProgress: the Kubernetes API has no such call.
func (s *stream) RequestProgress(context.Context) error {
	return unsupported(targets.ProgressOnCall, "the Kubernetes API has none")
}

// Watch opens a watch. See targets.Client.
func (c *client) Watch(ctx context.Context, r histories.Request, sink targets.Sink) (histories.Answer, targets.Stream, error) {
	what, err := c.space.dialect.call(&r)
	if err != nil {
		return histories.Answer{}, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(c.life, cancel)
	response, err := c.connection.open(ctx, what)
	if err == nil && response.StatusCode == http.StatusOK {
		s := &stream{
			dialect: &c.space.dialect, request: r, body: response.Body, sink: sink,
			name: "http-" + strconv.FormatInt(c.space.streams.Add(1), 10),
		}
		c.watches.Go(func() {
			defer cancel()
			defer unhook()
			s.run(ctx)
		})
		return histories.Answer{Outcome: histories.OK}, s, nil
	}
	defer cancel()
	defer unhook()
	if err != nil {
		return lostAnswer(&r, err), nil, nil
	}
	return c.refusedWatch(&r, response), nil, nil
}

// refusedWatch reads why there is no stream.
func (c *client) refusedWatch(r *histories.Request, response *http.Response) histories.Answer {
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return lostAnswer(r, &lost{sent: true, cause: err})
	}
	return refused(r, reply{status: response.StatusCode, body: body})
}

// frame is one event as it was sent.
type frame struct {
	Type   string
	Object tree
}

// run delivers events until the stream ends.
func (s *stream) run(ctx context.Context) {
	defer func() { _ = s.body.Close() }()
	frames := framesOf(s.request.Options().Encoding, s.body)
	for {
		if s.request.Options().Slow {
			s.pace.wait(ctx)
		}
		next, err := frames.next()
		var event histories.Event
		if err == nil {
			var shown bool
			if event, shown, err = s.event(next); err == nil && !shown {
				continue
			}
		}
		if err != nil {
			s.sink.End(s.ending(ctx, err))
			return
		}
		s.sink.Batch([]histories.Event{event})
	}
}

// ending is how the stream ended: after an error event because of that, whatever the
// connection did then.
func (s *stream) ending(ctx context.Context, err error) histories.End {
	switch {
	case ctx.Err() != nil:
		return histories.End{Reason: histories.EndCancelled}
	case s.failure != nil && s.failure.Class == histories.Compacted:
		return histories.End{Reason: histories.EndCompacted, Error: s.failure}
	case s.failure != nil:
		return histories.End{Reason: histories.EndError, Error: s.failure}
	case errors.Is(err, io.EOF):
		return histories.End{Reason: histories.EndClosed}
	default:
		failure, _ := classifyLost(err)
		return histories.End{Reason: histories.EndError, Error: failure}
	}
}

var eventTypes = map[string]histories.EventType{
	"ADDED": histories.AddedEvent, "MODIFIED": histories.ModifiedEvent, "DELETED": histories.DeleteEvent,
}

// event is what a frame says; shown is false for objects that do not belong to the plan.
func (s *stream) event(f frame) (event histories.Event, shown bool, err error) {
	event = histories.Event{Type: eventTypes[f.Type], Last: true, Transport: s.name}
	switch {
	case f.Object == nil:
		return event, false, errors.New("an event without an object")
	case f.Type == "BOOKMARK":
		return event, true, s.bookmark(&event, f.Object)
	case f.Type == "ERROR":
		event.Type = histories.ErrorEvent
		s.failure = failureIn(f.Object)
		event.Kube = &histories.KubeEvent{Error: s.failure}
		return event, true, nil
	case event.Type == "":
		return event, false, errors.New("an event of the unknown type " + strconv.Quote(shorten(f.Type)))
	}
	encoding := s.request.Options().Encoding
	event.Object, shown, err = s.dialect.show(f.Object, isBare(encoding))
	if form := wrongKind(f.Object, s.dialect.objectKind(encoding)); len(form) > 0 {
		event.Kube = &histories.KubeEvent{Form: form}
	}
	return event, shown, err
}

func (s *stream) bookmark(event *histories.Event, body tree) error {
	event.Type = histories.ProgressEvent
	meta, err := metadataOf(body)
	if err != nil {
		return err
	}
	kube := histories.KubeEvent{
		InitialEventsEnd: meta.Annotations[initialEventsEnd] == "true",
		Form:             s.dialect.bookmarkForm(body, meta, s.request.Options().Encoding),
	}
	var raw string
	if event.Header, raw = revision(meta.ResourceVersion); event.Header == 0 {
		kube.Form = append(kube.Form, "the resourceVersion of the bookmark is "+strconv.Quote(shorten(raw)))
	}
	if kube.InitialEventsEnd || len(kube.Form) > 0 {
		event.Kube = &kube
	}
	return nil
}

// failureIn is what an error event says, a Status.
func failureIn(body tree) *histories.Error {
	var s failureStatus
	text, err := json.Marshal(body)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		s = failureStatus{Message: "an error event that is no Status"}
	}
	return s.failure()
}

// pace is how a slow watch reads: not at all for a moment, so that what the server has to
// say piles up, then with pauses, then as fast as it can. All in all it takes no longer
// than slowest, so that nobody waits for it in vain.
type pace struct {
	frames int
	spent  time.Duration
}

const (
	firstPause = time.Second
	nextPause  = 20 * time.Millisecond
	slowest    = 3 * time.Second
)

// wait is the pause before the next frame.
func (p *pace) wait(ctx context.Context) {
	pause := nextPause
	if p.frames == 0 {
		pause = firstPause
	}
	p.frames++
	if p.spent += pause; p.spent > slowest {
		return
	}
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
}
