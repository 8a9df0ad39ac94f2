package etcd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/metadata"

	"github.com/rvcheck/rvcheck/histories"
)

// transport is a transport stream: the gRPC stream that carries one watch of its
// own, or all watches of a client that name it. It ends with its client, when it
// breaks, and, where it is private, with its watch.
type transport struct {
	client *client
	// name is what events call the stream, shared what requests call it, empty for
	// a private one.
	name, shared string
	connection   *connection
	rpc          pb.Watch_WatchClient
	cancel       context.CancelFunc

	sending sync.Mutex // gRPC lets one goroutine send at a time
	// creating is full while a watch waits for its creation: responses to several
	// creations could not be told apart.
	creating chan struct{}
	// over is closed when the stream has ended, after failure was set.
	over    chan struct{}
	failure error

	mu      sync.Mutex
	pending *watch
	watches map[int64]*watch // those that are open
	known   map[int64]bool   // the ids of all that ever were
}

// transport is the stream of that name, opened where it is not open.
func (c *client) transport(ctx context.Context, shared string) (*transport, error) {
	c.opening.Lock()
	defer c.opening.Unlock()
	if t := c.transports[shared]; t != nil && !t.isOver() {
		return t, nil
	}
	connection, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	t, err := c.newTransport(connection, shared)
	if err != nil || shared == "" {
		return t, err
	}
	if c.transports == nil {
		c.transports = make(map[string]*transport)
	}
	c.transports[shared] = t
	return t, nil
}

// newTransport opens a stream. A server without a leader must refuse it, rather than
// leave it silent (ETCD-20).
func (c *client) newTransport(connection *connection, shared string) (*transport, error) {
	life, cancel := context.WithCancel(c.life)
	rpc, err := pb.NewWatchClient(connection.rpc).Watch(metadata.AppendToOutgoingContext(
		connection.outgoing(life), rpctypes.MetadataRequireLeaderKey, rpctypes.MetadataHasLeader))
	if err != nil {
		cancel()
		return nil, err
	}
	t := &transport{
		client: c, shared: shared, connection: connection, rpc: rpc, cancel: cancel,
		name:     "t" + strconv.FormatInt(c.space.transports.Add(1), 10),
		creating: make(chan struct{}, 1), over: make(chan struct{}),
		watches: make(map[int64]*watch), known: make(map[int64]bool),
	}
	c.streams.Go(t.run)
	return t, nil
}

func (t *transport) isOver() bool {
	select {
	case <-t.over:
		return true
	default:
		return false
	}
}

// closePrivate ends a stream that nobody shares.
func (t *transport) closePrivate() {
	if t.shared == "" {
		t.cancel()
	}
}

// send is refused where the stream has ended.
func (t *transport) send(request *pb.WatchRequest) error {
	t.sending.Lock()
	defer t.sending.Unlock()
	err := t.rpc.Send(request)
	if errors.Is(err, io.EOF) {
		return errEnded
	}
	return err
}

// create asks for a watch and waits for the response to that.
func (t *transport) create(ctx context.Context, w *watch, request *pb.WatchRequest) (*pb.WatchResponse, error) {
	if err := t.takeTurn(ctx); err != nil {
		return nil, err
	}
	t.setPending(w)
	if err := t.send(request); err != nil && !errors.Is(err, errEnded) {
		t.setPending(nil)
		<-t.creating
		return nil, err
	}
	select {
	case first := <-w.created:
		return first, nil
	case <-ctx.Done():
	case <-t.over:
	}
	if !w.abandon() {
		return <-w.created, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, t.failure
}

// takeTurn waits until no other creation is under way.
func (t *transport) takeTurn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case t.creating <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.over:
		return t.failure
	}
}

func (t *transport) setPending(w *watch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending = w
}

// run takes responses until the stream ends.
func (t *transport) run() {
	defer t.cancel()
	for {
		response, err := t.rpc.Recv()
		if err == nil {
			err = t.take(response)
		}
		if err != nil {
			t.finish(err)
			return
		}
	}
}

// finish ends all watches of the stream.
func (t *transport) finish(err error) {
	t.failure = err
	close(t.over)
	end := failedEnd(err)
	if t.client.life.Err() != nil {
		end = histories.End{Reason: histories.EndCancelled}
	}
	for _, w := range t.open() {
		w.finish(end)
	}
}

// take gives a response to the watches that it is for.
func (t *transport) take(response *pb.WatchResponse) error {
	if w := t.beginning(response); w != nil {
		t.begin(w, response)
	}
	if response.GetCreated() && len(response.GetEvents()) == 0 {
		return nil
	}
	receivers, err := t.receivers(response)
	for _, w := range receivers {
		w.deliver(t.events(response))
		if response.GetCanceled() {
			t.cancelled(w, cancelledEnd(response))
		}
	}
	return err
}

// beginning is the watch that the response creates. A server that begins a stream
// with anything else than that is taken at its word.
func (t *transport) beginning(response *pb.WatchResponse) *watch {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !response.GetCreated() && len(t.known) > 0 {
		return nil
	}
	w := t.pending
	t.pending = nil
	return w
}

// begin opens a watch, unless nobody wants it any more, or the server refuses it
// within the response.
func (t *transport) begin(w *watch, response *pb.WatchResponse) {
	id, refused := response.GetWatchId(), response.GetCreated() && response.GetCanceled()
	if !refused {
		t.mu.Lock()
		t.watches[id], t.known[id] = w, true
		t.mu.Unlock()
	}
	wanted := w.open(response)
	defer func() { <-t.creating }()
	switch {
	case refused:
		t.closePrivate()
		w.finish(cancelledEnd(response))
	case !wanted && t.drop(w, id):
		t.cancelOnServer(id)
	}
}

// receivers are the open watches that a response is for. What the server tells of
// the stream as a whole, it tells of the watch -1.
func (t *transport) receivers(response *pb.WatchResponse) ([]*watch, error) {
	id := response.GetWatchId()
	t.mu.Lock()
	w, known := t.watches[id], t.known[id]
	t.mu.Unlock()
	switch {
	case t.shared == "" || isProgress(response) && id == invalidID:
		return t.open(), nil
	case w != nil:
		return []*watch{w}, nil
	case known || id == invalidID && response.GetCanceled():
		return nil, nil // what was under way when the watch was cancelled
	default:
		return nil, fmt.Errorf("a response for the watch %d, which was never created on the stream", id)
	}
}

// invalidID stands for no watch, or for all of them.
const invalidID = -1

// open are the watches that are open.
func (t *transport) open() (open []*watch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range t.watches {
		open = append(open, w)
	}
	return open
}

// drop forgets a watch. It is false where the id is another's by now.
func (t *transport) drop(w *watch, id int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.watches[id] != w {
		return false
	}
	delete(t.watches, id)
	return true
}

// stop ends a watch for its client, and leaves the others on the stream alone.
func (t *transport) stop(w *watch) { t.cancelled(w, histories.End{Reason: histories.EndCancelled}) }

// cancelled ends a watch. The server is told even where it cancelled the watch
// itself, as etcd's own client does: until then the id is taken, and the watch
// holds up the progress notifications of all others.
func (t *transport) cancelled(w *watch, end histories.End) {
	if t.drop(w, w.id) && t.shared != "" {
		t.cancelOnServer(w.id)
	}
	t.closePrivate()
	w.finish(end)
}

// cancelOnServer sends the request before whoever uses the watch knows that it
// ended, so that the id is free for the next. Where that fails the stream has ended.
func (t *transport) cancelOnServer(id int64) {
	if id != invalidID {
		_ = t.send(cancelWatch(id))
	}
}
