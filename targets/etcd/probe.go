package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/rvcheck/rvcheck/targets"
)

// A store that speaks etcd's API may offer less than etcd does. Where nobody
// declared what it offers, it is asked: by requests that etcd takes and that change
// nothing. What it refuses is unsupported, with its own words for the reason; what
// it takes it has to do right, which is for the judges to say.

// probe asks for one feature. A refusal is an error whose code says that the
// request is not to the store's taste; every other error says nothing about the
// feature.
type probe struct {
	feature targets.Feature
	ask     func(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace) error
}

var probes = []probe{
	{targets.Ranges, func(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace) error {
		return askRange(ctx, rpc, keys, func(r *pb.RangeRequest) { r.Limit = 2 })
	}},
	{targets.RangeOptions, func(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace) error {
		err := askRange(ctx, rpc, keys, func(r *pb.RangeRequest) { r.CountOnly = true })
		return cmp.Or(err, askRange(ctx, rpc, keys, func(r *pb.RangeRequest) { r.KeysOnly = true }))
	}},
	{targets.Serializable, func(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace) error {
		return askRange(ctx, rpc, keys, func(r *pb.RangeRequest) { r.Serializable = true })
	}},
	{targets.SortedReads, func(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace) error {
		return askRange(ctx, rpc, keys, func(r *pb.RangeRequest) {
			r.SortTarget, r.SortOrder = pb.RangeRequest_MOD, pb.RangeRequest_DESCEND
		})
	}},
	{targets.RevisionBounds, func(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace) error {
		err := askRange(ctx, rpc, keys, func(r *pb.RangeRequest) { r.MinModRevision, r.MaxModRevision = 1, math.MaxInt64 })
		return cmp.Or(err, askRange(ctx, rpc, keys, func(r *pb.RangeRequest) { r.MinCreateRevision, r.MaxCreateRevision = 1, math.MaxInt64 }))
	}},
	{targets.Transactions, askTransaction},
	{targets.Deletes, func(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace) error {
		all := keys.all() // a run's own prefix is empty
		_, err := pb.NewKVClient(rpc).DeleteRange(ctx, &pb.DeleteRangeRequest{Key: []byte(all.key), RangeEnd: []byte(all.end)})
		return err
	}},
	{targets.Leases, func(ctx context.Context, rpc grpc.ClientConnInterface, _ keyspace) error {
		_, err := pb.NewLeaseClient(rpc).LeaseTimeToLive(ctx, &pb.LeaseTimeToLiveRequest{ID: nobodysLease})
		return err
	}},
	{targets.WatchIDs, func(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace) error {
		return askWatch(ctx, rpc, keys, func(r *pb.WatchCreateRequest) { r.WatchId = 100 })
	}},
	{targets.WatchOptions, func(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace) error {
		return askWatch(ctx, rpc, keys, func(r *pb.WatchCreateRequest) {
			r.Fragment, r.Filters = true, []pb.WatchCreateRequest_FilterType{pb.WatchCreateRequest_NODELETE}
		})
	}},
}

// nobodysLease is an id that no store picks.
const nobodysLease = math.MaxInt64 - 1

func askRange(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace, with func(*pb.RangeRequest)) error {
	all := keys.all()
	request := &pb.RangeRequest{Key: []byte(all.key), RangeEnd: []byte(all.end)}
	with(request)
	_, err := pb.NewKVClient(rpc).Range(ctx, request)
	return err
}

// askTransaction sends one with two conditions, which no kube-apiserver does, that
// only reads.
func askTransaction(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace) error {
	key := []byte(keys + "probe")
	read := []*pb.RequestOp{opRange(&pb.RangeRequest{Key: key}), opRange(&pb.RangeRequest{Key: key})}
	_, err := pb.NewKVClient(rpc).Txn(ctx, &pb.TxnRequest{
		Compare: append(modRevisionIs(string(key), 0), &pb.Compare{
			Key: key, Target: pb.Compare_VERSION, TargetUnion: &pb.Compare_Version{Version: 0},
		}),
		Success: read, Failure: read,
	})
	return err
}

// shortcoming is an answer that shows that the store does not offer something.
type shortcoming string

func (s shortcoming) Error() string { return string(s) }

func askWatch(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace, with func(*pb.WatchCreateRequest)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := pb.NewWatchClient(rpc).Watch(ctx)
	if err != nil {
		return err
	}
	create := &pb.WatchCreateRequest{Key: []byte(keys + "probe")}
	with(create)
	// Where sending fails, the cause is what Recv returns.
	_ = stream.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: create}})
	first, err := awaitFirst(ctx, stream, func() error { return askRange(ctx, rpc, keys, func(*pb.RangeRequest) {}) })
	switch {
	case err != nil:
		return err
	case first.GetCanceled():
		return shortcoming("the store refuses it: " + shorten(first.GetCancelReason()))
	default:
		return nil
	}
}

// silence is how long a store may say nothing to the creation of a watch, before and
// after it has answered something else.
const silence = time.Second

// awaitFirst waits for the first response on a watch stream. A store that answers
// something else meanwhile ignores what it was asked.
func awaitFirst(ctx context.Context, stream pb.Watch_WatchClient, alive func() error) (*pb.WatchResponse, error) {
	var first *pb.WatchResponse
	came := make(chan error, 1)
	go func() {
		response, err := stream.Recv()
		first = response
		came <- err
	}()
	for range 2 {
		select {
		case err := <-came:
			return first, err
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(silence):
		}
		if err := alive(); err != nil {
			return nil, err
		}
	}
	return nil, shortcoming("the store does not answer it")
}

// offers finds out what the store refuses. The error says that it gave no answer.
func (c *connection) offers(ctx context.Context, config Config, run keyspace) (map[targets.Feature]string, error) {
	ctx, cancel := context.WithTimeout(c.outgoing(ctx), 3*config.dialTimeout())
	defer cancel()
	missing := make(map[targets.Feature]string)
	for _, p := range probes {
		if err := note(missing, p.feature, p.ask(ctx, c.rpc, run)); err != nil {
			return nil, err
		}
	}
	if len(missing) > 0 {
		if err := c.offersWrites(ctx, missing, run); err != nil {
			return nil, err
		}
	}
	if !config.Exclusive {
		return missing, nil
	}
	return missing, note(missing, targets.Compaction, askCompaction(ctx, c.rpc, run))
}

// offersWrites asks a store that was found to offer less than etcd for what only
// shows by writing.
func (c *connection) offersWrites(ctx context.Context, missing map[targets.Feature]string, run keyspace) error {
	return errors.Join(
		note(missing, targets.Puts, askPut(ctx, c.rpc, run)),
		note(missing, targets.Versions, askVersion(ctx, c.rpc, run)),
	)
}

// note takes down a refusal, and returns an error that says that nobody answered.
func note(missing map[targets.Feature]string, feature targets.Feature, err error) error {
	if err == nil {
		return nil
	}
	if short := shortcoming(""); errors.As(err, &short) {
		missing[feature] = string(short)
		return nil
	}
	switch codeOf(err) {
	case codes.Unimplemented, codes.InvalidArgument, codes.Unknown:
		missing[feature] = "the store refuses it: " + shorten(messageOf(err))
		return nil
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return err
	default:
		return nil // it knows what it was asked for, and has nothing of the kind or no right to give it
	}
}

// askPut writes a key of the run's own and takes it away again.
func askPut(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace) error {
	kv := pb.NewKVClient(rpc)
	if _, err := kv.Put(ctx, &pb.PutRequest{Key: []byte(keys + "probe")}); err != nil {
		return err
	}
	return sweepSingly(ctx, kv, keys.all())
}

// askCreate creates a key of the run's own as a kube-apiserver does, reads it, and
// takes it away again.
func askCreate(ctx context.Context, kv pb.KVClient, keys keyspace) (*mvccpb.KeyValue, error) {
	key := string(keys + "probe")
	_, err := kv.Txn(ctx, &pb.TxnRequest{
		Compare: modRevisionIs(key, 0), Success: []*pb.RequestOp{opPut(&pb.PutRequest{Key: []byte(key)})},
	})
	if err != nil {
		return nil, err
	}
	read, err := kv.Range(ctx, &pb.RangeRequest{Key: []byte(key)})
	if err != nil || len(read.GetKvs()) == 0 {
		return nil, err // an object that does not show is for the judges
	}
	return read.GetKvs()[0], sweepSingly(ctx, kv, keys.all())
}

func askVersion(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace) error {
	made, err := askCreate(ctx, pb.NewKVClient(rpc), keys)
	if err == nil && made != nil && made.GetVersion() == 0 {
		return shortcoming("the version of an object that was just created is 0")
	}
	return err
}

// askCompaction compacts what is older than a write of its own, and looks whether
// it is gone.
func askCompaction(ctx context.Context, rpc grpc.ClientConnInterface, keys keyspace) error {
	kv := pb.NewKVClient(rpc)
	made, err := askCreate(ctx, kv, keys)
	if err != nil || made == nil {
		return err
	}
	past := made.GetModRevision()
	if _, err := kv.Compact(ctx, &pb.CompactionRequest{Revision: past + 1}); err != nil {
		return err
	}
	if _, err := kv.Range(ctx, &pb.RangeRequest{Key: made.GetKey(), Revision: past}); err == nil {
		return shortcoming(fmt.Sprintf("after a compaction at %d, which the store acknowledged, revision %d is still there", past+1, past))
	}
	return nil
}

// without are the features that this store is not held to: by its declared profile,
// or else by what it refuses; and those that the user left out.
func (t *target) without(ctx context.Context) (map[targets.Feature]string, error) {
	missing, _ := targets.ProfileWithout(t.config.Profile)
	if t.config.Profile == "" {
		var err error
		if missing, err = t.ask(ctx); err != nil {
			return nil, err
		}
	}
	for _, feature := range t.config.Without {
		missing[feature] = fmt.Sprintf("left out by without=%s", feature)
	}
	return missing, nil
}

// ask asks the first endpoint.
func (t *target) ask(ctx context.Context) (map[targets.Feature]string, error) {
	endpoint := t.config.Endpoints[0]
	c, err := connect(ctx, t.config, endpoint)
	if err == nil {
		var missing map[targets.Feature]string
		missing, err = c.offers(ctx, t.config, t.run)
		if err = errors.Join(err, c.close()); err == nil {
			return missing, nil
		}
	}
	return nil, &targets.SetupError{Where: endpoint, Expected: "expected an answer about what the store offers", Err: explain(err, t.config)}
}

// anyEtcd is the profile of an etcd whose version the run finds out.
const anyEtcd = "etcd"

// learn completes the description by what the store is without.
func (t *target) learn(ctx context.Context) error {
	missing, err := t.without(ctx)
	if err != nil {
		return err
	}
	maps.Copy(t.description.Unsupported, missing)
	if _, none := missing[targets.Compaction]; none {
		// A store that does not compact when it is told to may do so by itself.
		t.description.Exclusive = false
	}
	_, t.uncounted = missing[targets.Versions]
	if t.config.Profile != "" && t.config.Profile != anyEtcd {
		t.description.Profile = t.config.Profile
	}
	return nil
}
