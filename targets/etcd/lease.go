package etcd

import (
	"context"
	"slices"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// leases are those that a run holds in the store, each with the space that it was
// granted in. They belong to no key, so no removal of keys takes them along.
type leases struct {
	mu   sync.Mutex
	held map[int64]*space
}

func (l *leases) add(id int64, s *space) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = make(map[int64]*space)
	}
	l.held[id] = s
}

func (l *leases) drop(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, id)
}

func (l *leases) has(id int64, s *space) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[id] == s
}

// of are the leases of a space, of all spaces where s is nil.
func (l *leases) of(s *space) (ids []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, holder := range l.held {
		if s == nil || holder == s {
			ids = append(ids, id)
		}
	}
	return ids
}

const notGranted = "the lease was not granted in this plan, and the store is not exclusive to the run"

// checkLease keeps a plan away from the leases of others: whoever revokes one
// deletes their keys, and a key that is bound to one vanishes with it.
func (s *space) checkLease(request histories.Request) error {
	if request.Lease == 0 || request.Kind == histories.LeaseGrant || s.target.config.Exclusive {
		return nil
	}
	if !s.target.leases.has(request.Lease, s) {
		return &targets.Unsupported{Feature: targets.Leases, Reason: notGranted}
	}
	return nil
}

func (s *space) sendGrant(request histories.Request) sender {
	return func(ctx context.Context, rpc grpc.ClientConnInterface) (histories.Answer, error) {
		answer, err := pb.NewLeaseClient(rpc).LeaseGrant(ctx, &pb.LeaseGrantRequest{ID: request.Lease, TTL: request.TTL})
		s.remember(request, answer, err)
		if err != nil {
			return histories.Answer{}, err
		}
		result := acknowledged(answer)
		result.Lease, result.TTL = answer.GetID(), answer.GetTTL()
		return result, nil
	}
}

// remember takes note of a lease that has to be revoked after the plan. Where it is
// not known whether it was granted, it may be somebody else's of old, unless there
// is nobody else.
func (s *space) remember(request histories.Request, answer *pb.LeaseGrantResponse, err error) {
	switch {
	case err == nil:
		s.target.leases.add(answer.GetID(), s)
	case request.Lease != 0 && s.target.config.Exclusive && failedAnswer(err).Outcome == histories.Unknown:
		s.target.leases.add(request.Lease, s)
	}
}

// sendKeepAlive opens a stream for the one request and its one answer.
func sendKeepAlive(id int64) sender {
	return func(ctx context.Context, rpc grpc.ClientConnInterface) (histories.Answer, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, err := pb.NewLeaseClient(rpc).LeaseKeepAlive(ctx)
		if err != nil {
			return histories.Answer{}, err
		}
		// Where sending fails, the cause is what Recv returns.
		_ = stream.Send(&pb.LeaseKeepAliveRequest{ID: id})
		_ = stream.CloseSend()
		answer, err := stream.Recv()
		if err != nil {
			return histories.Answer{}, err
		}
		result := acknowledged(answer)
		result.Lease, result.TTL = answer.GetID(), answer.GetTTL()
		return result, nil
	}
}

func (k keyspace) sendTimeToLive(id int64) sender {
	return func(ctx context.Context, rpc grpc.ClientConnInterface) (histories.Answer, error) {
		answer, err := pb.NewLeaseClient(rpc).LeaseTimeToLive(ctx, &pb.LeaseTimeToLiveRequest{ID: id, Keys: true})
		if err != nil {
			return histories.Answer{}, err
		}
		result := acknowledged(answer)
		result.Lease, result.TTL, result.GrantedTTL = answer.GetID(), answer.GetTTL(), answer.GetGrantedTTL()
		for _, key := range answer.GetKeys() {
			result.Keys = append(result.Keys, k.relative(key))
		}
		// They come in no order that would say anything.
		slices.SortFunc(result.Keys, histories.Key.Compare)
		return result, nil
	}
}

func sendRevoke(id int64) sender {
	return func(ctx context.Context, rpc grpc.ClientConnInterface) (histories.Answer, error) {
		answer, err := pb.NewLeaseClient(rpc).LeaseRevoke(ctx, &pb.LeaseRevokeRequest{ID: id})
		if err != nil {
			return histories.Answer{}, err
		}
		result := acknowledged(answer)
		result.Lease = id
		return result, nil
	}
}

// revoke removes leases, with the keys that are still bound to them. Those that
// have expired meanwhile are no trouble, and a store that cannot revoke lets them
// expire.
func (l *leases) revoke(ctx context.Context, rpc grpc.ClientConnInterface, ids []int64) error {
	for _, id := range ids {
		_, err := pb.NewLeaseClient(rpc).LeaseRevoke(ctx, &pb.LeaseRevokeRequest{ID: id})
		switch status.Code(err) {
		case codes.OK, codes.NotFound, codes.Unimplemented, codes.InvalidArgument, codes.Unknown:
			l.drop(id)
		default:
			return err
		}
	}
	return nil
}
