package etcd

import (
	"errors"
	"io"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/rvcheck/rvcheck/histories"
)

// isProgress reports whether the response says nothing but how far the store has come.
func isProgress(response *pb.WatchResponse) bool {
	return len(response.GetEvents()) == 0 && !response.GetCreated() && !response.GetCanceled()
}

// events are what a response tells a watch.
func (t *transport) events(response *pb.WatchResponse) []histories.Event {
	if isProgress(response) {
		return []histories.Event{{
			Type: histories.ProgressEvent, Header: headerRevision(response), Transport: t.name, Last: true,
		}}
	}
	told := response.GetEvents()
	if len(told) == 0 {
		return nil
	}
	batch := make([]histories.Event, len(told))
	for i, event := range told {
		batch[i] = t.event(response, event)
	}
	batch[len(batch)-1].Last = !response.GetFragment()
	return batch
}

func (t *transport) event(response *pb.WatchResponse, event *mvccpb.Event) histories.Event {
	keys := t.client.space.keys
	result := histories.Event{Header: headerRevision(response), Transport: t.name}
	if event.GetType() == mvccpb.Event_DELETE {
		result.Type, result.Object = histories.DeleteEvent, keys.valueless(event.GetKv())
	} else {
		result.Type, result.Object = histories.PutEvent, keys.object(event.GetKv())
	}
	if result.Type == histories.PutEvent {
		t.client.space.target.dropVersion(&result.Object)
	}
	if event.GetPrevKv() != nil {
		previous := keys.object(event.GetPrevKv())
		t.client.space.target.dropVersion(&previous)
		result.Prev = &previous
	}
	return result
}

// cancelledEnd is the end of a watch that the server cancelled.
func cancelledEnd(response *pb.WatchResponse) histories.End {
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

// failedEnd is the end of the watches on a transport stream that broke.
func failedEnd(err error) histories.End {
	if errors.Is(err, io.EOF) {
		return histories.End{Reason: histories.EndClosed}
	}
	failure := classify(err)
	if failure.Class == histories.Compacted {
		return histories.End{Reason: histories.EndCompacted, Error: failure}
	}
	return histories.End{Reason: histories.EndError, Error: failure}
}
