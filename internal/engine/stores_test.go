package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/internal/waivers"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/timeline"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/embedded"
	"github.com/rvcheck/rvcheck/targets/memory"
)

// everything uses each operation of the etcd layer that the engine carries out.
const everything = `c1 w1: watch all startRevision=1 prevKV
c1 a1: create a {x=1}
c2 w2: watch a/* progress
c2 b1: create a/b size=100
c3 r1: create r
c3 create r
c4 put c
c5 fill 20
--
c1 u1: update a rv=rv(a1) {x=2}
c2 update a rv=last
c3 update a rv=rv(a1)
c4 l1: list all limit=1
c5 delete c
--
c1 get a
c1 d1: delete a rv=last
c2 get a revision=rv(a1)
c3 get a revision=now+100
c4 n1: next l1
c4 next n1
c5 await w1 rv(b1)
--
c1 k1: compact tombstone(d1)
c2 get a revision=rv(a1)
c4 w3: watch all startRevision=rv(a1)
c4 w7: watch r startRevision=rv(r1)
c5 w4: watch a startRevision=tombstone(d1) prevKV
c5 progress w4
c4 w5: watch all startRevision=now+100
--
c1 delete nothing
c2 get a revision=compacted
c2 get a revision=compacted-1
c2 stop w2
c3 w6: watch [a,b) startRevision=now
c3 create a
c3 await w6 now
c4 list all startKey=b limit=2 revision=now-1
`

// etcdOnly uses what only etcd's own interface has. The lease of g2 expires by itself.
const etcdOnly = `c1 w1: watch all prevKV
c1 w2: watch a* on=w1 id=7 noput
c1 w3: watch b startRevision=now on=w2 nodelete fragment
c2 g1: grant ttl=60
c2 a1: create a lease=g1
c2 a2: attach ab {x=1} lease=g1
c2 keepalive g1
c2 timetolive g1
c2 update a rv=rv(a1)
c3 g2: grant ttl=1
c3 e1: put e1 lease=g2
c3 put e2 lease=g2
c3 expire g2
c3 put e3 lease=g2
c4 b1: create b size=300
c4 t1: txn if mod(b)=rv(b1) value(b)=write(b1) lease(b)=0 then put b {x=2}; get b; txn (if version(c)>0 then delete c else put c; list all limit=2) else get b
c4 t2: txn if create(b)>now then put d else deleterange d*; get c revision=rv(t1)
c4 txn then put d; get d revision=now+50
c4 status
--
c2 r1: revoke g1
c2 put a lease=g1
c2 keepalive 12345
c2 put a lease=12345
c1 await w1 rv(t1)
c1 stop w1
c1 w4: watch all startRevision=after(w1) on=w2 prevKV
c1 progress w4
c4 d1: deleterange [b,d) prevKV
c4 get b revision=tombstone(d1)-1 serializable
c5 list all sort=mod:descend limit=2
c5 list all countOnly minMod=rv(a1)
--
c3 create e
--
c1 await w4 now
c5 l1: list all keysOnly limit=1 maxCreate=now
c5 next l1
`

// offers reports whether a target has everything that etcdOnly uses.
func offers(target targets.Target) bool {
	for _, feature := range []targets.Feature{
		targets.Transactions, targets.Leases, targets.RangeOptions, targets.WatchOptions, targets.StatusCalls, targets.Puts,
		targets.Deletes, targets.Serializable, targets.SortedReads, targets.RevisionBounds, targets.WatchIDs, targets.SharedStreams,
	} {
		if _, missing := target.Describe().Unsupported[feature]; missing {
			return false
		}
	}
	return true
}

// TestReferenceStore and TestEmbeddedEtcd run a plan of everything, several
// clients at once, and hear no complaint from the judge.
func TestReferenceStore(t *testing.T) {
	target, err := memory.Open(memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, target)
}

func TestEmbeddedEtcd(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	target, err := embedded.Open(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, target)
}

func check(t *testing.T, target targets.Target) {
	t.Helper()
	defer func() {
		if err := target.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	known := knownFailures(t)
	texts := []string{everything, everything, everything}
	if offers(target) {
		texts = append(texts, etcdOnly, etcdOnly)
	}
	for n, plan := range texts {
		before := runtime.NumGoroutine()
		began := time.Now()
		path := filepath.Join(t.TempDir(), "history.jsonl")
		h, err := engine.Execute(t.Context(), target, parse(t, plan), engine.Options{Number: n + 1, Path: path, Compress: true})
		if err != nil {
			t.Fatal(err)
		}
		inFile(t, path+".zst", h)
		t.Logf("plan %d: %d operations in %v", n+1, len(h.Operations), time.Since(began).Round(time.Millisecond))
		wellFormed(t, h)
		for _, finding := range timeline.Judge(h).Findings {
			if !known.Knows(h, finding) {
				t.Errorf("%s: %s", finding.Property, finding.Explanation)
			}
		}
		for _, note := range h.Notes {
			t.Errorf("note %s", noteLine(note))
		}
		if op := h.Operations[len(h.Operations)-1]; op.Request.Kind != histories.List || op.Answer.Outcome != histories.OK {
			t.Errorf("the history ends with %s", line(op))
		}
		settled(t, before)
		if t.Failed() {
			t.Logf("\n%s", text(h))
			return
		}
	}
}

// knownFailures knows what a real etcd does now and then.
func knownFailures(t *testing.T) *session.Tally {
	t.Helper()
	file, err := waivers.Read("../../known-failing/etcd-3.7.txt")
	if err != nil {
		t.Fatal(err)
	}
	tally := session.NewTally(models.Catalogue())
	tally.Waive(file, time.Now())
	return tally
}

// inFile checks that a file holds the very history.
func inFile(t *testing.T, path string, h *histories.History) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read, err := histories.Read(file, path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h, read, cmp.Comparer(histories.Extra.Equal)); diff != "" {
		t.Errorf("(-memory +file)\n%s", diff)
	}
}
