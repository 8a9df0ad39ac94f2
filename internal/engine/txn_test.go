package engine_test

import (
	"context"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
	"github.com/rvcheck/rvcheck/targets"
)

// answering makes a fake answer some kinds of calls by a table.
func answering(answers map[histories.Kind]func(histories.Request) histories.Answer) *fake {
	f := newFake()
	f.do = func(_ context.Context, _ *fakeClient, request histories.Request) (histories.Answer, error, bool) {
		if answer := answers[request.Kind]; answer != nil {
			return answer(request), nil, true
		}
		return histories.Answer{}, nil, false
	}
	return f
}

// TestTransactions shows that everything inside a transaction is resolved, that each
// write in it has an id of its own, and what others can learn from the answer.
func TestTransactions(t *testing.T) {
	h := execute(t, answering(map[histories.Kind]func(histories.Request) histories.Answer{
		histories.Transact: func(r histories.Request) histories.Answer {
			return histories.Answer{
				Outcome: histories.OK, Revision: 9, Succeeded: len(r.Txn.Then) > 0,
				Results: []histories.Answer{{Outcome: histories.OK, Deleted: 1}, {Outcome: histories.OK}},
			}
		},
	}), `c1 a1: create a {x=1} size=50
c1 t1: txn if mod(a)=rv(a1)-1 create(a)<last version(b)!=0 value(a)=write(a1) value(a)>5 lease(a)=3 then deleterange a*; put b else get b revision=rv(a1); txn (then put c; put d)
c1 get a revision=rv(t1)
c1 get a revision=tombstone(t1)
c1 update b rv=last
c1 txn else put e
c1 t2: txn then get a revision=rv(t3); put f
c1 t3: create a
c1 get a revision=rv(t2)
`, engine.Options{NoWitness: true})
	want(t, text(h, "closing"), `
2 c1 a1: create a write=1-1 -> ok @2
3 c1 t1: txn (mod(a)=1 create(a)<2 version(b)!=0 value(a)=1-1 value(a)>5 lease(a)=3 ? deleterange a; put b write=1-2 : get b revision=2; txn ( ? put c write=1-3; put d write=1-4 : )) -> ok @9
4 c1 get a revision=9 -> ok @2 a@2
5 c1 get a revision=9 -> ok @2 a@2
6 c1 update b expect=9 write=1-5 -> fail conflict @2
7 c1 txn ( ?  : put e write=1-6) -> ok @9
9 c1 t3: create a write=1-7 -> fail conflict @2
skipped 8 t2: t3 has not happened yet
skipped 10 : t2 did not happen
`)
	compare := h.Operation(3).Request.Txn.Compares[3]
	if compare.Size != 50 || compare.Labels["x"] != "1" {
		t.Errorf("the compare with a value is %+v", compare)
	}
}

func TestRangeOptions(t *testing.T) {
	h := execute(t, newFake(), `c1 a1: create a
c1 create b
c1 l1: list all limit=1 minMod=rv(a1) maxMod=now maxCreate=100 keysOnly
c1 n1: next l1
c1 l2: list all limit=1 sort=mod:descend
c1 next l2
c1 get a sort=key minCreate=last countOnly
c1 deleterange [a,b) prevKV
`, engine.Options{NoWitness: true})
	want(t, text(h, "closing"), `
2 c1 a1: create a write=1-1 -> ok @2
3 c1 create b write=1-2 -> ok @3
4 c1 l1: list limit=1 minMod=2 maxMod=3 maxCreate=100 -> ok @3 a@2
5 c1 n1: next revision=3 limit=1 start="a\x00" of=4 minMod=2 maxMod=3 maxCreate=100 -> ok @3 b@3
6 c1 l2: list limit=1 sort=mod:descend -> ok @3 a@2
8 c1 get a minCreate=2 sort=key: -> ok @3 a@2
9 c1 deleterange a -> ok @3
skipped 7 : l2 is sorted, and pages follow the order of keys
`)
	if r := h.Operation(5).Request; !r.KeysOnly {
		t.Errorf("the next page is asked for by %+v", r)
	}
}

// leasing is a fake that grants lease 7, unless another id is asked for, and says
// after so many looks that it is gone.
func leasing(looks int, granted int64) *fake {
	return answering(map[histories.Kind]func(histories.Request) histories.Answer{
		histories.LeaseGrant: func(r histories.Request) histories.Answer {
			if r.Lease == 1 {
				return failure(histories.Exists)
			}
			return histories.Answer{Outcome: histories.OK, Revision: 5, Lease: max(r.Lease, 7), TTL: r.TTL}
		},
		histories.LeaseTimeToLive: func(r histories.Request) histories.Answer {
			if looks--; looks < 0 {
				return histories.Answer{Outcome: histories.OK, Lease: r.Lease, TTL: -1}
			}
			return histories.Answer{Outcome: histories.OK, Lease: r.Lease, TTL: -1, GrantedTTL: granted}
		},
	})
}

func failure(class histories.ErrorClass) histories.Answer {
	return histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: class}}
}

func TestLeases(t *testing.T) {
	h := execute(t, leasing(2, 1), `c1 g1: grant ttl=2
c2 g2: grant ttl=-1 id=9
c1 create a lease=g1
c1 a1: attach b {x=1} lease=g2
c1 update b rv=last lease=99
c1 put c lease=0
c1 keepalive g1
c1 x1: expire g2
c1 expire g2
c1 revoke 99
c1 g3: grant id=1 ttl=5
c1 put d lease=g3
c1 txn if lease(a)=lease(g1)+1 then put d lease=g1
c1 status
`, engine.Options{NoWitness: true})
	want(t, text(h, "closing", "c2"), `
2 c1 g1: grant ttl=2 -> ok @5 lease 7
4 c1 create a write=1-1 lease=7 -> ok @2
5 c1 a1: attach b write=1-2 lease=9 -> ok @2
6 c1 update b expect=2 write=1-3 lease=99 -> fail conflict @2
7 c1 put c write=1-4 -> ok @3
8 c1 keepalive lease=7 -> ok @3
9 c1 x1: timetolive lease=9 -> ok lease 9
9 c1 timetolive lease=9 -> ok lease 9
9 c1 timetolive lease=9 -> ok lease 9
10 c1 timetolive lease=9 -> ok lease 9
11 c1 revoke lease=99 -> ok @3
12 c1 g3: grant ttl=5 lease=1 -> fail exists
14 c1 txn (lease(a)=8 ? put d write=1-5 lease=7 : ) -> ok @3
15 c1 status -> ok @3
skipped 13 : g3 granted no lease
`)
}

// TestLeaseThatStays shows that nobody waits forever.
func TestLeaseThatStays(t *testing.T) {
	for granted, note := range map[int64]string{
		-10:  "deadline 3 x: the lease is still there\n",
		3000: "skipped 3 x: nobody waits for a lease of 3000 seconds\n",
	} {
		h := execute(t, leasing(100, granted), "c1 g: grant ttl=1\nc1 x: expire g\n", engine.Options{NoWitness: true})
		want(t, text(h, "closing"), "2 c1 g: grant ttl=1 -> ok @5 lease 7\n3 c1 x: timetolive lease=7 -> ok lease 7\n"+note)
	}
}

// TestLeasesOfOthers shows that a lease is named by number only on a store that is
// the run's own.
func TestLeasesOfOthers(t *testing.T) {
	f := leasing(0, 1)
	f.description.Exclusive = false
	h := execute(t, f, "c1 revoke 99\nc1 put a lease=0\nc1 txn then put a lease=99\nc1 g: grant id=99 ttl=1\nc1 keepalive g\n", engine.Options{NoWitness: true})
	want(t, text(h, "closing"), `
3 c1 put a write=1-1 -> ok @2
5 c1 g: grant ttl=1 lease=99 -> ok @5 lease 99
6 c1 keepalive lease=99 -> ok @2
skipped 2 : a lease by number may be somebody else's, as the store is not exclusive
skipped 4 : a lease by number may be somebody else's, as the store is not exclusive
`)
}

func TestTransport(t *testing.T) {
	f := newFake()
	h := execute(t, f, `c1 w1: watch all id=3 nodelete fragment
c1 w2: watch b on=w1
c2 w3: watch all on=w1
c1 a1: create a
c1 await w1 rv(a1)
c1 stop w1
c1 create c
c1 w4: watch all startRevision=after(w1) on=w2
c1 w5: watch b startRevision=after(w2)
c1 w6: watch all startRevision=after(w3)
`, engine.Options{NoWitness: true})
	want(t, withoutProgress(text(h, "closing")), `
2 c1 w1: watch id=3 on=w1 fragment nodelete -> ok @1
3 c1 w2: watch b on=w1 -> ok @1
5 c1 a1: create a write=1-1 -> ok @2
6 c1 await revision=2 of=2 -> ok
7 c1 stop of=2 -> ok
8 c1 create c write=1-2 -> ok @3
9 c1 w4: watch startRevision=3 on=w1 -> ok @3
10 c1 w5: watch b startRevision=2 -> ok @3
skipped 4 w3: w1 belongs to another lane
skipped 11 w6: w3 did not happen
`)
}

// TestHeldProgress shows that nobody waits for progress that a watch on the same
// transport stream may keep back, and that a filtered stream is awaited by progress.
func TestHeldProgress(t *testing.T) {
	f := newFake()
	f.muteWatches = true
	h := execute(t, f, `c2 w3: watch all noput
--
c1 w1: watch a
c1 w2: watch all startRevision=now+100 on=w1
c1 a1: create a
c1 await w1 rv(a1)
`, engine.Options{NoWitness: true, StopTimeout: 200e6})
	want(t, withoutProgress(text(h, "c2")), `
closing list -> ok @1
4 c1 w1: watch a on=w1 -> ok @1
5 c1 w2: watch startRevision=101 on=w1 -> ok @1
6 c1 a1: create a write=1-1 -> ok @2
7 c1 await revision=2 of=3 -> unknown timeout
closing get ~last -> ok @2
closing create ~last write=1-2 -> ok @3
closing await revision=3 of=2 -> fail timeout
closing list -> ok @3 a@2 ~last@3
`)
}

// TestFragments shows that a response that is not whole covers only what lies below it.
func TestFragments(t *testing.T) {
	f := newFake()
	f.watch = func(ctx context.Context, _ *fakeClient, _ histories.Request, sink targets.Sink) (histories.Answer, targets.Stream, error, bool) {
		put := func(rv histories.Revision, last bool) histories.Event {
			return histories.Event{Type: histories.PutEvent, Last: last, Object: histories.Object{RV: rv}}
		}
		go func() {
			sink.Batch([]histories.Event{put(4, false), put(5, false)})
			<-ctx.Done()
			sink.End(histories.End{Reason: histories.EndCancelled})
		}()
		return histories.Answer{Outcome: histories.OK}, &fakeStream{fake: f}, nil, true
	}
	h, err := engine.Execute(t.Context(), f, parse(t, "c1 w1: watch all\nc1 await w1 4\nc1 get a revision=after(w1)\n"), engine.Options{NoWitness: true, StopTimeout: 100e6})
	if err != nil {
		t.Fatal(err)
	}
	want(t, withoutProgress(text(h, "closing")), `
2 c1 w1: watch -> ok
3 c1 await revision=4 of=2 -> ok
4 c1 get a revision=5 -> ok @1
`)
}
