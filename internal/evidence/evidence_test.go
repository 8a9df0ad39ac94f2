package evidence

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

func key(name string) histories.Key { return histories.Key{Name: name} }

func written(name string, rv histories.Revision, write histories.WriteID) histories.Object {
	return histories.Object{Key: key(name), RV: rv, Write: write}
}

// sample is a history with one of each form.
func sample() *histories.History {
	operations := []histories.Operation{
		{
			Label: "a1", Client: "c1", Endpoint: 1,
			Request: histories.Request{Kind: histories.Create, Key: key("a"), Labels: map[string]string{"x": "1"}},
			Answer:  histories.Answer{Outcome: histories.OK, Revision: 2},
		},
		{
			Client: "c2", Endpoint: 2,
			Request: histories.Request{Kind: histories.Update, Key: key("a\x00"), Expect: 7, Conditional: true},
			Answer: histories.Answer{
				Outcome: histories.Fail, Error: &histories.Error{Class: histories.Conflict}, Revision: 3,
				Objects: []histories.Object{written("a\x00", 3, "1-2")},
			},
		},
		{
			Label: "l1", Client: "c1", Endpoint: 1,
			Request: histories.Request{Kind: histories.List, Limit: 1},
			Answer: histories.Answer{
				Outcome: histories.OK, Revision: 3, Objects: []histories.Object{written("a", 2, "1-1")}, Count: 2, More: true,
			},
		},
		{
			Client: "c1", Endpoint: 1,
			Request: histories.Request{Kind: histories.Next, Of: 3, Limit: 1, Revision: 3, Start: "a\x00", HasStart: true},
			Answer:  histories.Answer{Outcome: histories.OK, Revision: 4, Count: 1},
		},
		{
			Label: "w1", Client: histories.WitnessClient, Endpoint: 1,
			Request: histories.Request{Kind: histories.Watch, StartRevision: 2, PrevKV: true},
			Answer:  histories.Answer{Outcome: histories.OK, Revision: 1},
		},
		{
			Client: "c1", Endpoint: 1,
			Request: histories.Request{Kind: histories.Delete, Key: key("a"), Expect: 2, Conditional: true},
			Answer:  histories.Answer{Outcome: histories.OK, Revision: 5, Deleted: 1},
		},
		{
			Client: "c1", Endpoint: 1,
			Request: histories.Request{Kind: histories.Compact, Revision: 4},
			Answer: histories.Answer{
				Outcome: histories.Unknown, Error: &histories.Error{Class: histories.Other, Message: "stream reset"},
			},
		},
		{Client: "c2", Endpoint: 1, Return: histories.Never, Request: histories.Request{Kind: histories.Get, Key: key("a")}},
	}
	for i := range operations {
		op := &operations[i]
		op.ID, op.Call = i+1, int64(10*i)
		if op.Return == 0 {
			op.Return = op.Call + 5
		}
	}
	return &histories.History{
		Header:     histories.Header{Layer: histories.EtcdLayer},
		Operations: operations,
		Streams:    []histories.Stream{{Op: 5, Events: sampleEvents(), End: &histories.End{Reason: histories.EndCompacted, CompactRevision: 4}}},
	}
}

func sampleEvents() []histories.Event {
	before := written("a", 2, "1-1")
	return []histories.Event{
		{Type: histories.PutEvent, Batch: 1, Header: 2, Object: before},
		{Type: histories.DeleteEvent, Batch: 2, Header: 5, Object: histories.Object{Key: key("a"), RV: 5}, Prev: &before},
		{Type: histories.ProgressEvent, Batch: 3, Header: 6},
	}
}

func TestLines(t *testing.T) {
	h := sample()
	var got []string
	for _, line := range Lines(h, models.Finding{Operations: []int{1, 2, 3, 4, 5, 6, 7, 8, 99}}) {
		got = append(got, line.Operation+" → "+line.Answer)
		for _, e := range line.Events {
			got = append(got, "  "+e)
		}
	}
	want := []string{
		`c1    a1: create a {x=1} → ok, revision 2`,
		`c2@2  update "a\x00" rv=7 → fail: conflict, revision 3, ["a\x00"@3=1-2]`,
		`c1    l1: list all limit=1 → ok, revision 3, [a@2=1-1], count 2, more`,
		`c1    next l1 limit=1  # at revision 3 from "a\x00" → ok, revision 4, nothing, count 1`,
		`witness w1: watch all startRevision=2 prevKV → ok, revision 1`,
		`  put a@2=1-1 (batch 1, header 2)`,
		`  delete a@5 before a@2=1-1 (batch 2, header 5)`,
		`  progress 6`,
		`  end: compacted at 4`,
		`c1    delete a rv=2 → ok, revision 5, deleted 1`,
		`c1    compact 4 → unknown: other (stream reset)`,
		`c2    get a → no answer`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestEtcdCalls shows the calls that only etcd has.
func TestEtcdCalls(t *testing.T) {
	ok := histories.OK
	operations := []histories.Operation{
		{
			ID: 1, Label: "g1", Request: histories.Request{Kind: histories.LeaseGrant, TTL: 5},
			Answer: histories.Answer{Outcome: ok, Lease: 77, TTL: 5},
		},
		{
			ID: 2, Label: "a1", Request: histories.Request{Kind: histories.LeaseAttach, Key: key("a"), Write: "1-1", Lease: 77},
			Answer: histories.Answer{Outcome: ok, Revision: 2},
		},
		{ID: 3, Request: histories.Request{Kind: histories.LeaseTimeToLive, Lease: 77}, Answer: histories.Answer{
			Outcome: ok, Lease: 77, TTL: 4, GrantedTTL: 5, Keys: []histories.Key{key("a"), key("b")},
		}},
		{
			ID: 4, Request: histories.Request{Kind: histories.Transact, Txn: &histories.Txn{
				Compares: []histories.Compare{
					{Key: key("a"), Target: "mod", Op: ">", Value: "1"},
					{Key: key("a"), Target: "value", Op: "=", Value: "1-1"},
					{Key: key("a"), Target: "lease", Op: "!=", Value: "77"},
				},
				Then: []histories.Request{
					{Kind: histories.DeleteRange, Scope: histories.Scope{Shape: histories.Prefix, Key: key("a")}},
					{Kind: histories.Get, Key: key("a"), Revision: 2},
				},
			}},
			Answer: histories.Answer{Outcome: ok, Revision: 3, Succeeded: true, Results: []histories.Answer{
				{Outcome: ok, Revision: 3, Deleted: 1}, {Outcome: ok, Revision: 3, Objects: []histories.Object{written("a", 2, "1-1")}},
			}},
		},
		{
			ID: 5, Label: "w1", Answer: histories.Answer{Outcome: ok},
			Request: histories.Request{Kind: histories.Watch, WatchID: 7, Filters: []string{histories.NoPut}, Transport: "w1"},
		},
		{ID: 6, Request: histories.Request{Kind: histories.Watch, Fragment: true, Transport: "w1"}, Answer: histories.Answer{Outcome: ok}},
		{
			ID: 7, Request: histories.Request{Kind: histories.List, SortTarget: histories.SortByMod, SortOrder: histories.Descend, MinModRevision: 2},
			Answer: histories.Answer{Outcome: ok, Revision: 3},
		},
		{ID: 8, Request: histories.Request{Kind: histories.Status}, Answer: histories.Answer{Outcome: ok, Version: "3.7.3"}},
		{ID: 9, Request: histories.Request{Kind: histories.LeaseRevoke, Lease: 8}, Answer: histories.Answer{Outcome: ok, Revision: 3}},
	}
	h := &histories.History{Header: histories.Header{Layer: histories.EtcdLayer}, Operations: operations}
	var got []string
	for _, line := range Lines(h, models.Finding{Operations: []int{1, 2, 3, 4, 5, 6, 7, 8, 9}}) {
		got = append(got, strings.TrimSpace(line.Operation)+" → "+line.Answer)
	}
	want := []string{
		`g1: grant ttl=5 → ok, lease 77, ttl 5`,
		`a1: attach a lease=g1 → ok, revision 2`,
		`timetolive g1 → ok, lease 77, ttl 4, granted 5, keys [a b]`,
		`txn if mod(a)>1 value(a)=write(a1) lease(a)!=lease(g1) then deleterange a*; get a revision=2 → ` +
			`ok, revision 3, then (ok, revision 3, deleted 1; ok, revision 3, [a@2=1-1])`,
		`w1: watch all id=7 noput → ok`,
		`watch all on=w1 fragment → ok`,
		`list all sort=mod:descend minMod=2 → ok, revision 3, nothing, count 0`,
		`status → ok, version 3.7.3`,
		`revoke 8 → ok, revision 3`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestOpenCallHasNoReturn(t *testing.T) {
	lines := Lines(sample(), models.Finding{Operations: []int{8}})
	if lines[0].Return != 0 || lines[0].Call != 70 {
		t.Errorf("got a call from %d to %d, expected from 70 without an end", lines[0].Call, lines[0].Return)
	}
}

// A long answer and a long stream are cut around the place of the finding.
func TestLongAnswersAreCut(t *testing.T) {
	h := sample()
	var list []histories.Object
	var events []histories.Event
	for i := range 100 {
		o := written(fmt.Sprintf("k%02d", i), histories.Revision(i+2), "w")
		list = append(list, o)
		events = append(events, histories.Event{Type: histories.PutEvent, Batch: i, Header: o.RV, Object: o})
	}
	h.Operations[2].Answer.Objects = list
	h.Streams[0].Events = events
	around := key("k50")
	lines := Lines(h, models.Finding{Operations: []int{3, 5}, Key: &around, Revision: 30})
	want := "ok, revision 3, [(45 before) k45@47=w k46@48=w k47@49=w k48@50=w k49@51=w k50@52=w k51@53=w k52@54=w k53@55=w k54@56=w (45 more)], count 2, more"
	if diff := cmp.Diff(want, lines[0].Answer); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	got := lines[1].Events
	ends := []string{got[0], got[6], got[len(got)-2], got[len(got)-1]}
	if diff := cmp.Diff([]string{"(23 before)", "put k28@30=w (batch 28, header 30)", "(67 more)", "end: compacted at 4"}, ends); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestStreamThatNeverCameSoFarIsShownFromItsEnd(t *testing.T) {
	events := sampleEvents()
	if got := center(events, 100); got != len(events)-1 {
		t.Errorf("centre %d, expected the last event", got)
	}
	if from, to := around(0, center(nil, 100)); from != 0 || to != 0 {
		t.Errorf("of an empty stream %d to %d are shown, expected nothing", from, to)
	}
}

// Operations without a label have their lines as places, if they have one.
func TestPlace(t *testing.T) {
	h := sample()
	h.Operations[1].Line, h.Operations[0].Line, h.Operations[7].Line = 4, 3, 9
	lines := Lines(h, models.Finding{Operations: []int{2, 7}})
	if lines[0].Place() != "4" || lines[1].Place() != "#7" || lines[0].Line != 4 {
		t.Errorf("got the places %s and %s", lines[0].Place(), lines[1].Place())
	}
	h.Operations[2].Label, h.Operations[2].Line = "", 5
	if got := Lines(h, models.Finding{Operations: []int{4}})[0].Operation; !strings.HasPrefix(got, "c1    next line-5 limit=1") {
		t.Errorf("got %q", got)
	}
}

// A key that is called like a scope is quoted as in plans.
func TestReservedKeysAreQuoted(t *testing.T) {
	for name, want := range map[string]string{"all": `"all"`, "then": `"then"`, "al": "al"} {
		if got := keyText(key(name)); got != want {
			t.Errorf("got %s, expected %s", got, want)
		}
	}
}
