package etcd

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/metadata"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// stream is one watch on a transport stream of its own.
type stream struct {
	keys      keyspace
	transport string
	rpc       pb.Watch_WatchClient
	sink      targets.Sink
	// asked ends when the client no longer wants the stream.
	asked  context.Context
	cancel context.CancelFunc

	sending sync.Mutex // gRPC lets one goroutine send at a time
}

// Watch sends the request on a new transport stream and waits for the first
// response. See targets.Client.
func (c *client) Watch(ctx context.Context, request histories.Request, sink targets.Sink) (histories.Answer, targets.Stream, error) {
	if err := checkOffered(request); err != nil {
		return histories.Answer{}, nil, err
	}
	connection, err := c.current(ctx)
	if err != nil {
		return notSent(err), nil, nil
	}
	s := c.newStream(ctx, sink)
	first, err := s.open(connection, c.space.keys.watch(request))
	if err != nil {
		if s.asked.Err() != nil {
			err = s.asked.Err()
		}
		s.cancel()
		c.renewLogin(connection, err)
		return failedAnswer(err), nil, nil
	}
	c.streams.Go(func() { s.run(first) })
	return histories.Answer{Outcome: histories.OK, Revision: createdRevision(first)}, s, nil
}

func (c *client) newStream(ctx context.Context, sink targets.Sink) *stream {
	asked, cancel := context.WithCancel(ctx)
	release := context.AfterFunc(c.life, cancel)
	return &stream{
		keys:      c.space.keys,
		transport: "t" + strconv.FormatInt(c.space.transports.Add(1), 10),
		sink:      sink,
		asked:     asked,
		cancel:    func() { release(); cancel() },
	}
}

// open creates the watch. A server without a leader must refuse it, rather than
// leave it silent (ETCD-20).
func (s *stream) open(c *connection, create *pb.WatchRequest) (*pb.WatchResponse, error) {
	ctx := metadata.AppendToOutgoingContext(c.outgoing(s.asked),
		rpctypes.MetadataRequireLeaderKey, rpctypes.MetadataHasLeader)
	var err error
	if s.rpc, err = pb.NewWatchClient(c.rpc).Watch(ctx); err != nil {
		return nil, err
	}
	if err := s.rpc.Send(create); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	// After io.EOF the cause is what Recv returns.
	return s.rpc.Recv()
}

// createdRevision is the header of the response that creates the watch. A server
// that begins with anything else told none.
func createdRevision(first *pb.WatchResponse) histories.Revision {
	if !first.GetCreated() && !first.GetCanceled() {
		return 0
	}
	return headerRevision(first)
}

// run delivers responses until the stream ends.
func (s *stream) run(response *pb.WatchResponse) {
	defer s.cancel()
	for {
		s.deliver(response)
		if response.GetCanceled() {
			s.sink.End(s.cancelled(response))
			return
		}
		var err error
		if response, err = s.rpc.Recv(); err != nil {
			s.sink.End(s.failed(err))
			return
		}
	}
}

// deliver gives the events of one response to the sink.
func (s *stream) deliver(response *pb.WatchResponse) {
	events := response.GetEvents()
	if len(events) == 0 {
		if !response.GetCreated() && !response.GetCanceled() {
			s.sink.Batch([]histories.Event{s.progress(response)})
		}
		return
	}
	batch := make([]histories.Event, len(events))
	for i, event := range events {
		batch[i] = s.event(response, event)
	}
	// Fragments were not asked for; a server that sends them nevertheless cut the batch.
	batch[len(batch)-1].Last = !response.GetFragment()
	s.sink.Batch(batch)
}

func (s *stream) progress(response *pb.WatchResponse) histories.Event {
	return histories.Event{
		Type: histories.ProgressEvent, Header: headerRevision(response), Transport: s.transport, Last: true,
	}
}

func (s *stream) event(response *pb.WatchResponse, event *mvccpb.Event) histories.Event {
	result := histories.Event{Header: headerRevision(response), Transport: s.transport}
	if event.GetType() == mvccpb.Event_DELETE {
		result.Type, result.Object = histories.DeleteEvent, s.keys.removed(event.GetKv())
	} else {
		result.Type, result.Object = histories.PutEvent, s.keys.object(event.GetKv())
	}
	if event.GetPrevKv() != nil {
		previous := s.keys.object(event.GetPrevKv())
		result.Prev = &previous
	}
	return result
}

// cancelled is the end of a watch that the server cancelled.
func (s *stream) cancelled(response *pb.WatchResponse) histories.End {
	end := histories.End{
		Reason:          histories.EndClosed,
		CompactRevision: histories.Revision(response.GetCompactRevision()),
		Header:          headerRevision(response),
	}
	if reason := response.GetCancelReason(); reason != "" {
		end.Reason, end.Error = histories.EndError, reasonGiven(reason)
	}
	if end.CompactRevision != 0 || end.Error != nil && end.Error.Class == histories.Compacted {
		end.Reason = histories.EndCompacted
	}
	return end
}

// reasonGiven makes an error of the text with which etcd cancels a watch.
func reasonGiven(reason string) *histories.Error {
	class := classOfMessage(reason)
	if class == "" {
		class = histories.Other
	}
	reason = strings.TrimPrefix(reason, "rpc error: ")
	return &histories.Error{Class: class, Code: "canceled", Message: shorten(reason)}
}

// failed is the end of a transport stream.
func (s *stream) failed(err error) histories.End {
	switch {
	case s.asked.Err() != nil:
		return histories.End{Reason: histories.EndCancelled}
	case errors.Is(err, io.EOF):
		return histories.End{Reason: histories.EndClosed}
	}
	failure := classify(err)
	if failure.Class == histories.Compacted {
		return histories.End{Reason: histories.EndCompacted, Error: failure}
	}
	return histories.End{Reason: histories.EndError, Error: failure}
}

var errEnded = errors.New("the stream has ended: nothing was sent")

// RequestProgress asks for one notification for all watches of the transport
// stream, of which there is one. The answer is an event.
func (s *stream) RequestProgress(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.asked.Err() != nil {
		return errEnded
	}
	err := s.rpc.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{
		ProgressRequest: &pb.WatchProgressRequest{},
	}})
	if errors.Is(err, io.EOF) {
		return errEnded
	}
	return err
}
