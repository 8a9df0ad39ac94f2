package kube

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// compactKey is the key by which apiservers agree on who compacts, and learn that
// somebody has (EXP-09).
const compactKey = "compact_rev_key"

// compact compacts the etcd below as an apiserver does.
func (t *target) compact(ctx context.Context, r *histories.Request) (histories.Answer, error) {
	if t.config.Etcd == "" {
		return histories.Answer{}, unsupported(targets.Compaction, "the etcd below is not known")
	}
	kv, closeKV, err := t.etcd()
	if err != nil {
		return histories.Answer{}, err
	}
	defer closeKV()
	failure, err := announce(ctx, kv, int64(r.Revision))
	if err == nil && failure != nil {
		return histories.Answer{Outcome: histories.Fail, Error: failure}, nil
	}
	var done *pb.CompactionResponse
	if err == nil {
		done, err = kv.Compact(ctx, &pb.CompactionRequest{Revision: int64(r.Revision), Physical: r.Physical})
	}
	if err != nil {
		return compactionError(err), nil
	}
	return histories.Answer{Outcome: histories.OK, Revision: histories.Revision(done.GetHeader().GetRevision())}, nil
}

// etcd connects to the etcd below.
func (t *target) etcd() (kv pb.KVClient, closeKV func(), err error) {
	connection, err := grpc.NewClient(t.config.Etcd, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableRetry())
	if err != nil {
		return nil, nil, err
	}
	return pb.NewKVClient(connection), func() { _ = connection.Close() }, nil
}

// etcdTimeout bounds how long the etcd below may take to answer for the first time.
const etcdTimeout = 10 * time.Second

// checkEtcd asks the etcd below, if the user names one, whether it is there: compactions
// that reach nobody would pass unnoticed.
func (t *target) checkEtcd(ctx context.Context) error {
	if t.config.Etcd == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, etcdTimeout)
	defer cancel()
	kv, closeKV, err := t.etcd()
	if err == nil {
		defer closeKV()
		_, err = kv.Range(ctx, &pb.RangeRequest{Key: []byte(compactKey)})
	}
	if err != nil {
		return &targets.SetupError{Where: t.config.Etcd, Expected: "expected an etcd that answers without TLS", Err: errors.New(status.Convert(err).Message())}
	}
	return nil
}

// announce writes the revision to the key. It fails where another compaction was faster,
// and at a revision that is not there yet: apiservers would believe that it is compacted.
func announce(ctx context.Context, kv pb.KVClient, revision int64) (failure *histories.Error, err error) {
	before, err := kv.Range(ctx, &pb.RangeRequest{Key: []byte(compactKey)})
	if err != nil {
		return nil, err
	}
	if revision > before.GetHeader().GetRevision() {
		return &histories.Error{Class: histories.Future, Message: "the revision is in the future"}, nil
	}
	var version, announced int64
	if pairs := before.GetKvs(); len(pairs) > 0 {
		version = pairs[0].GetVersion()
		announced, _ = strconv.ParseInt(string(pairs[0].GetValue()), 10, 64)
	}
	if revision <= announced {
		return nil, nil
	}
	answer, err := kv.Txn(ctx, announcement(version, revision))
	if err == nil && !answer.GetSucceeded() {
		failure = &histories.Error{Class: histories.Conflict, Message: "somebody else compacts at the same time"}
	}
	return failure, err
}

// announcement writes the key if it has the version that was read.
func announcement(version, revision int64) *pb.TxnRequest {
	return &pb.TxnRequest{
		Compare: []*pb.Compare{{
			Key: []byte(compactKey), Result: pb.Compare_EQUAL, Target: pb.Compare_VERSION,
			TargetUnion: &pb.Compare_Version{Version: version},
		}},
		Success: []*pb.RequestOp{{Request: &pb.RequestOp_RequestPut{RequestPut: &pb.PutRequest{
			Key: []byte(compactKey), Value: strconv.AppendInt(nil, revision, 10),
		}}}},
	}
}

// sentences are what etcd says to a compaction that it certainly does not do.
var sentences = []struct {
	text  string
	class histories.ErrorClass
}{
	{"required revision has been compacted", histories.Compacted},
	{"required revision is a future revision", histories.Future},
}

func compactionError(err error) histories.Answer {
	message := status.Convert(err).Message()
	for _, s := range sentences {
		if strings.Contains(message, s.text) {
			return histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: s.class, Message: message}}
		}
	}
	return histories.Answer{Outcome: histories.Unknown, Error: &histories.Error{Class: histories.Unavailable, Message: shorten(message)}}
}
