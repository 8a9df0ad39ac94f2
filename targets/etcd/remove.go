package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rvcheck/rvcheck/targets"
)

// remove deletes all keys of a keyspace and revokes the leases of a space, nil for
// those of all, by the first endpoint that does it.
func (t *target) remove(ctx context.Context, keys keyspace, s *space) error {
	var failures []error
	for _, endpoint := range t.config.Endpoints {
		err := t.removeBy(ctx, endpoint, keys, s)
		if err == nil {
			return nil
		}
		failures = append(failures, &targets.SetupError{
			Where: endpoint, Expected: fmt.Sprintf("keys below %q are left, or leases of the run", keys), Err: err,
		})
	}
	return errors.Join(failures...)
}

// removeTimeout bounds the removal by one endpoint.
const removeTimeout = 30 * time.Second

func (t *target) removeBy(ctx context.Context, endpoint string, keys keyspace, s *space) error {
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	c, err := connect(ctx, t.config, endpoint)
	if err != nil {
		return err
	}
	ctx = c.outgoing(ctx)
	return errors.Join(
		t.leases.revoke(ctx, c.rpc, t.leases.of(s)),
		sweep(ctx, pb.NewKVClient(c.rpc), keys),
		c.close(),
	)
}

// sweep deletes the range at once; a store that knows only the requests of a
// kube-apiserver is asked for one key after the other.
func sweep(ctx context.Context, kv pb.KVClient, keys keyspace) error {
	all := keys.all()
	_, err := kv.DeleteRange(ctx, &pb.DeleteRangeRequest{Key: []byte(all.key), RangeEnd: []byte(all.end)})
	switch status.Code(err) {
	case codes.Unimplemented, codes.InvalidArgument, codes.Unknown:
		return sweepSingly(ctx, kv, all)
	default:
		return err
	}
}

// sweepPage is how many keys are listed at a time.
const sweepPage = 500

func sweepSingly(ctx context.Context, kv pb.KVClient, rest span) error {
	for {
		page, err := kv.Range(ctx, &pb.RangeRequest{Key: []byte(rest.key), RangeEnd: []byte(rest.end), Limit: sweepPage})
		if err != nil {
			return err
		}
		if len(page.GetKvs()) == 0 {
			return nil
		}
		for _, pair := range page.GetKvs() {
			if err := removeOne(ctx, kv, pair); err != nil {
				return err
			}
			rest.key = string(pair.GetKey()) + "\x00"
		}
	}
}

// removeOne deletes a key as it was listed. One that changed meanwhile belongs to
// somebody who is still at work, and stays.
func removeOne(ctx context.Context, kv pb.KVClient, pair *mvccpb.KeyValue) error {
	_, err := kv.Txn(ctx, deleteTxn(string(pair.GetKey()), pair.GetModRevision()))
	return err
}
