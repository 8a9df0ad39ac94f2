package etcd

import (
	"context"
	"errors"
	"io"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// Tap is a plain view of a store that belongs to somebody else: keys and values as they
// are. It writes nothing.
type Tap struct {
	endpoint   string
	connection *connection
}

// Change is what became of one key. Value and the fields of what was there before are
// empty where there is none.
type Change struct {
	Key      string
	Value    []byte
	Revision histories.Revision
	Deleted  bool
	// Before is the revision of what the change replaced, zero where the key was absent.
	Before      histories.Revision
	BeforeValue []byte
}

// OpenTap connects to the first endpoint of a configuration. An endpoint that cannot be
// reached is a *targets.SetupError.
func OpenTap(ctx context.Context, config Config) (*Tap, error) {
	if len(config.Endpoints) == 0 {
		return nil, usage("endpoints", "expected at least one HOST:PORT")
	}
	endpoint := config.Endpoints[0]
	c, err := connect(ctx, config, endpoint)
	if err != nil {
		return nil, &targets.SetupError{Where: endpoint, Expected: "expected a server that speaks etcd's API", Err: err}
	}
	return &Tap{endpoint: endpoint, connection: c}, nil
}

// Close closes the connection. Watches end with it.
func (t *Tap) Close() error { return t.connection.close() }

// Has reports whether there is a key.
func (t *Tap) Has(ctx context.Context, key string) (bool, error) {
	answer, err := pb.NewKVClient(t.connection.rpc).Range(t.connection.outgoing(ctx), &pb.RangeRequest{Key: []byte(key), CountOnly: true})
	if err != nil {
		return false, &targets.SetupError{Where: t.endpoint, Expected: "expected an answer", Err: errors.New(shorten(err.Error()))}
	}
	return answer.GetCount() > 0, nil
}

// TapWatch is a watch of a part of the store from its creation on.
type TapWatch struct {
	stream  pb.Watch_WatchClient
	created histories.Revision
}

// Watch begins to watch the keys that begin with a text, with what they held before. The
// watch lasts as long as ctx.
func (t *Tap) Watch(ctx context.Context, prefix string) (*TapWatch, error) {
	stream, err := pb.NewWatchClient(t.connection.rpc).Watch(t.connection.outgoing(ctx))
	if err != nil {
		return nil, err
	}
	create := &pb.WatchCreateRequest{Key: []byte(prefix), RangeEnd: []byte(prefixEnd(prefix)), PrevKv: true}
	if err := stream.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: create}}); err != nil {
		return nil, err
	}
	first, err := stream.Recv()
	switch {
	case err != nil:
		return nil, err
	case !first.GetCreated() || first.GetCanceled():
		return nil, errors.New("the watch was refused: " + shorten(first.GetCancelReason()))
	}
	return &TapWatch{stream: stream, created: headerRevision(first)}, nil
}

// Created is the revision that the store had when the watch was created: every change
// above it is shown.
func (w *TapWatch) Created() histories.Revision { return w.created }

// Next waits for the changes of one response. Its error is io.EOF where the watch has
// ended by itself.
func (w *TapWatch) Next() ([]Change, error) {
	response, err := w.stream.Recv()
	switch {
	case err != nil:
		return nil, err
	case response.GetCanceled():
		return nil, io.EOF
	}
	changes := make([]Change, 0, len(response.GetEvents()))
	for _, e := range response.GetEvents() {
		changes = append(changes, Change{
			Key: string(e.GetKv().GetKey()), Value: e.GetKv().GetValue(), Deleted: e.GetType() == mvccpb.DELETE,
			Revision: histories.Revision(e.GetKv().GetModRevision()), Before: histories.Revision(e.GetPrevKv().GetModRevision()),
			BeforeValue: e.GetPrevKv().GetValue(),
		})
	}
	return changes, nil
}
