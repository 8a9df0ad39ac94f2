package etcd

import (
	"context"
	"errors"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// watch is one watch on a transport stream.
type watch struct {
	transport *transport
	sink      targets.Sink
	// created receives the response to the creation.
	created chan *pb.WatchResponse
	// release undoes what waits for the end of the watch's context.
	release func() bool

	mu sync.Mutex
	// id is the server's, once there is one.
	id    int64
	state watchState
}

type watchState int

const (
	asked watchState = iota
	// abandoned: whoever asked has gone before there was an answer.
	abandoned
	opened
	ended
)

// Watch creates a watch, on the transport stream that the request names or on one of
// its own, and waits for the response. See targets.Client.
func (c *client) Watch(ctx context.Context, request histories.Request, sink targets.Sink) (histories.Answer, targets.Stream, error) {
	if err := c.space.checkOffered(request); err != nil {
		return histories.Answer{}, nil, err
	}
	t, err := c.transport(ctx, request.Transport)
	if err != nil {
		return notSent(err), nil, nil
	}
	w := &watch{transport: t, sink: sink, created: make(chan *pb.WatchResponse, 1)}
	first, err := t.create(ctx, w, c.space.keys.watch(request))
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		t.closePrivate()
		c.renewLogin(t.connection, err)
		return failedAnswer(err), nil, nil
	}
	w.followContext(ctx)
	return histories.Answer{
		Outcome: histories.OK, Revision: createdRevision(first), WatchID: first.GetWatchId(),
	}, w, nil
}

// followContext cancels the watch when the context ends.
func (w *watch) followContext(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state != ended {
		w.release = context.AfterFunc(ctx, func() { w.transport.stop(w) })
	}
}

// createdRevision is the header of the response that creates the watch. A server
// that begins with anything else told none.
func createdRevision(first *pb.WatchResponse) histories.Revision {
	if !first.GetCreated() && !first.GetCanceled() {
		return 0
	}
	return headerRevision(first)
}

// open hands the response to the creation to whoever asked for the watch. It is
// false where nobody waits for it any more.
func (w *watch) open(response *pb.WatchResponse) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state != asked {
		return false
	}
	w.id, w.state = response.GetWatchId(), opened
	w.created <- response
	return true
}

// abandon gives up waiting for the response. It is false where that is there.
func (w *watch) abandon() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state != asked {
		return false
	}
	w.state = abandoned
	return true
}

// deliver gives events to the sink as long as the watch is open.
func (w *watch) deliver(events []histories.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state == opened && len(events) > 0 {
		w.sink.Batch(events)
	}
}

// finish tells the sink how the watch ended, the first time.
func (w *watch) finish(end histories.End) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state != opened {
		return
	}
	w.state = ended
	if w.release != nil {
		w.release()
	}
	w.sink.End(end)
}

func (w *watch) isOpen() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state == opened
}

var errEnded = errors.New("the stream has ended: nothing was sent")

// RequestProgress asks for one notification for all watches of the transport
// stream. The answer is an event of each of them.
func (w *watch) RequestProgress(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !w.isOpen() {
		return errEnded
	}
	return w.transport.send(progressOfWatches())
}
