package damaged

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// editor edits what one watch delivers. Its methods are called one at a time.
type editor interface {
	// response returns the responses that go out in the place of one, which is whole.
	// It may change the events that it is given.
	response(events []histories.Event) [][]histories.Event
	// end returns what goes out before the end, which it may change; told is false if
	// the client is not to hear of the end.
	end(end *histories.End) (before [][]histories.Event, told bool)
}

// honest changes nothing; other editors begin with it.
type honest struct{}

func (honest) response(events []histories.Event) [][]histories.Event {
	return [][]histories.Event{events}
}
func (honest) end(*histories.End) ([][]histories.Event, bool) { return nil, true }

// sink stands between a watch and whoever listens.
type sink struct {
	to     targets.Sink
	editor editor
	client *client
	// ctx is that of the watch.
	ctx context.Context
	// pieces are the fragments of a response that is not whole yet.
	pieces []histories.Event
	secret atomic.Bool
}

// Batch puts fragments together, so that editors get whole responses.
func (s *sink) Batch(events []histories.Event) {
	if progress(events) {
		s.pass(s.editor.response(slices.Clone(events)))
		return
	}
	s.pieces = append(s.pieces, events...)
	if len(events) == 0 || !events[len(events)-1].Last {
		return
	}
	whole := s.pieces
	s.pieces = nil
	s.pass(s.editor.response(whole))
}

func (s *sink) pass(responses [][]histories.Event) {
	for _, events := range responses {
		if len(events) == 0 {
			continue
		}
		for i := range events {
			events[i].Last = i == len(events)-1
		}
		s.to.Batch(events)
	}
}

func (s *sink) End(end histories.End) {
	before, told := s.editor.end(&end)
	s.pass(before)
	if told {
		s.to.End(end)
		return
	}
	s.secret.Store(true)
	s.client.keepSecret(s.ctx, func() { s.to.End(histories.End{Reason: histories.EndCancelled}) })
}

// progress reports whether a response is a progress notification.
func progress(events []histories.Event) bool {
	return len(events) > 0 && events[0].Type == histories.ProgressEvent
}

// stream is a watch whose end may be a secret.
type stream struct {
	targets.Stream
	sink *sink
}

func (s stream) RequestProgress(ctx context.Context) error {
	if s.sink.secret.Load() {
		return ctx.Err()
	}
	return s.Stream.RequestProgress(ctx)
}
