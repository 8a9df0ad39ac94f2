package engine_test

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory"
)

// kubeFake makes a fake speak like a Kubernetes API, as far as the engine is
// concerned: creates and lists tell a revision, other writes show an object, a delete
// its uid, pages have tokens. expired tokens are answered with another one.
func kubeFake() *fake {
	f := newFake()
	f.description.Layer = histories.KubeLayer
	var mu sync.Mutex
	var expired bool
	f.do = func(_ context.Context, _ *fakeClient, request histories.Request) (histories.Answer, error, bool) {
		mu.Lock()
		defer mu.Unlock()
		answer := histories.Answer{Outcome: histories.OK}
		switch request.Kind {
		case histories.Create, histories.Patch, histories.Update:
			f.mu.Lock()
			f.newest++
			object := histories.Object{Key: request.Key, Write: request.Write, RV: f.newest, UID: "u-" + request.Key.Name, Labels: request.Labels}
			f.objects[request.Key] = object
			answer.Objects = []histories.Object{object}
			if request.Kind == histories.Create {
				answer.Revision = f.newest
			}
			f.publish(histories.Event{Type: histories.ModifiedEvent, Object: object, Last: true})
			f.mu.Unlock()
		case histories.Delete:
			f.mu.Lock()
			f.newest++
			object := f.objects[request.Key]
			object.RV = f.newest
			delete(f.objects, request.Key)
			answer.Kube = &histories.KubeAnswer{UID: object.UID}
			f.publish(histories.Event{Type: histories.DeleteEvent, Object: object, Last: true})
			f.mu.Unlock()
		case histories.List, histories.Next:
			if request.Limit == 1 && strings.HasSuffix(request.Options().Continue, "old") && !expired {
				expired = true
				return histories.Answer{
					Outcome: histories.Fail, Continue: "inconsistent", Error: &histories.Error{Class: histories.Compacted},
				}, nil, true
			}
			f.mu.Lock()
			answer.Revision = f.newest
			f.mu.Unlock()
			if request.Limit == 1 {
				answer.Continue = "token-old"
			}
		case histories.Get:
			answer.Objects = []histories.Object{f.objects[request.Key]}
		}
		return answer, nil, true
	}
	return f
}

// asked shows the requests of some clients in a line each, with the options of the
// Kubernetes layers.
func asked(h *histories.History, clients ...string) string {
	var b strings.Builder
	for _, op := range h.Operations {
		for _, client := range clients {
			if op.Client == client {
				b.WriteString(kubeCall(op.Request) + "\n")
			}
		}
	}
	return b.String()
}

func kubeCall(r histories.Request) string {
	o := r.Options()
	parts := []string{string(r.Kind)}
	for _, part := range []struct{ name, value string }{
		{"", r.Key.Namespace + r.Scope.Key.Namespace + "/" + r.Key.Name + r.Scope.Key.Name},
		{"write", string(r.Write)},
		{"expect", revisionText(r.Expect)},
		{"uid", r.ExpectUID},
		{"rv", o.ResourceVersion},
		{"match", o.ResourceVersionMatch},
		{"limit", revisionText(histories.Revision(r.Limit))},
		{"continue", o.Continue},
		{"labels", o.LabelSelector},
		{"finalizers", strings.Join(o.Finalizers, "+")},
		{"patch", o.Patch},
	} {
		switch {
		case part.value == "" || part.value == "/":
		case part.name == "":
			parts = append(parts, part.value)
		default:
			parts = append(parts, part.name+"="+part.value)
		}
	}
	if o.AllowWatchBookmarks {
		parts = append(parts, "bookmarks")
	}
	return strings.Join(parts, " ")
}

func revisionText(r histories.Revision) string {
	if r == 0 {
		return ""
	}
	return strconv.FormatInt(int64(r), 10)
}

func TestKubernetesRequests(t *testing.T) {
	h := execute(t, kubeFake(), `# rvcheck plan v1 · layer kube
c1 a1: create a/x {x=1} finalizers="f/1,f/2"
c1 update a/x rv=rv(a1) uid=uid(a1)
c1 p1: patch a/x
c1 patch a/x noop
c1 g1: get a/x resourceVersion=rv(p1)+1
c1 update a/x rv=last
c1 d1: delete a/x uid=last
c1 list a/* resourceVersion=tombstone(d1) match=Exact
c1 l1: list all limit=1 labelSelector="x=1"
c1 n1: next l1 match=Exact
c1 next n1
c1 next n1 damaged
c1 get a/x rawResourceVersion="01"
c1 delete a/y uid=7
c1 fill 2
`, engine.Options{})
	want(t, asked(h, "c1"), `create a/x write=1-1 finalizers=f/1+f/2
update a/x write=1-2 expect=2 uid=u-x
patch a/x write=1-3 patch=merge
patch a/x patch=merge
get a/x rv=5
update a/x write=1-4 expect=5
delete a/x uid=u-x
list a/ rv=7 match=Exact
list limit=1 labels=x=1
next match=Exact limit=1 continue=token-old labels=x=1
next limit=1 continue=inconsistent labels=x=1
next limit=1 continue=Anconsistent labels=x=1
get a/x rv=01
delete a/y uid=00000000-0000-4000-8000-000000000007
create a/fill-1 write=1-5
patch a/fill-1 write=1-6 patch=merge
`)
}

func TestKubernetesProtocol(t *testing.T) {
	h := execute(t, kubeFake(), "# rvcheck plan v1 · layer kube\nc1 create b/x\n", engine.Options{})
	want(t, asked(h, histories.ClosingClient, histories.WitnessClient), `list
watch rv=1 bookmarks
list limit=1
create a/last write=1-2
await
list
`)
	if answer := h.Operations[len(h.Operations)-2].Answer; answer.Outcome != histories.OK {
		t.Errorf("the witness was awaited in vain: %+v", answer)
	}
}

// TestMarks: what does not show the last write has to show another one, which those share
// that can; who shows none is not awaited.
func TestMarks(t *testing.T) {
	h := execute(t, kubeFake(), `# rvcheck plan v1 · layer kube
c1 watch b/* resourceVersion=1
c1 watch all labelSelector="x in (1,2),y" resourceVersion=1
c1 watch a/* labelSelector="y,x=1" resourceVersion=1
c1 watch all fieldSelector="metadata.name!=x" resourceVersion=1
c1 watch all fieldSelector="metadata.name=x" resourceVersion=1
c1 watch b/* fieldSelector="metadata.name!=mark-1" resourceVersion=1
c1 watch all labelSelector="x=1,x=2" resourceVersion=1
c1 watch b/* slow resourceVersion=1
c1 watch b/* resourceVersion=now+99
`, engine.Options{})
	want(t, asked(h, histories.ClosingClient), `list
list limit=1
create b/mark-1 write=1-1
create a/mark-2 write=1-2
create b/mark-3 write=1-3
create a/last write=1-4
await
await
await
await
await
await
list
`)
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Key.Name == "mark-2" && !maps.Equal(op.Request.Labels, map[string]string{"x": "1", "y": "1"}) {
			t.Errorf("a write for two selectors has the labels %v", op.Request.Labels)
		}
	}
	if diff := cmp.Diff([]histories.Revision{5, 2, 3, 3, 2, 4}, awaited(h)); diff != "" {
		t.Errorf("the witness and the watches are awaited (-want +got)\n%s", diff)
	}
}

// awaited are the revisions that streams are awaited at, in the order of their watches.
func awaited(h *histories.History) []histories.Revision {
	at := map[int]histories.Revision{}
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Request.Kind == histories.Await {
			at[op.Request.Of] = op.Request.Revision
		}
	}
	var all []histories.Revision
	for _, id := range slices.Sorted(maps.Keys(at)) {
		all = append(all, at[id])
	}
	return all
}

// TestMarksWithOtherLabels: a server may change what is written, and then a selector need
// not take it.
func TestMarksWithOtherLabels(t *testing.T) {
	f := kubeFake()
	served := f.do
	f.do = func(ctx context.Context, c *fakeClient, request histories.Request) (histories.Answer, error, bool) {
		request.Labels = nil
		return served(ctx, c, request)
	}
	h := execute(t, f, `# rvcheck plan v1 · layer kube
c1 watch b/* resourceVersion=1
c1 watch all labelSelector="x=1" resourceVersion=1
c1 watch all labelSelector="x!=1" resourceVersion=1
`, engine.Options{})
	if diff := cmp.Diff([]histories.Revision{4, 2, 2}, awaited(h)); diff != "" {
		t.Errorf("the witness and two watches are awaited (-want +got)\n%s", diff)
	}
}

// TestMarksAgain: a mark that a busy server refuses is made again.
func TestMarksAgain(t *testing.T) {
	f := kubeFake()
	served := f.do
	f.do = func(ctx context.Context, c *fakeClient, request histories.Request) (histories.Answer, error, bool) {
		if request.Key.Name == "mark-1" {
			return histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: histories.Busy}}, nil, true
		}
		return served(ctx, c, request)
	}
	h := execute(t, f, `# rvcheck plan v1 · layer kube
c1 watch b/* resourceVersion=1
`, engine.Options{})
	if diff := cmp.Diff([]histories.Revision{3, 2}, awaited(h)); diff != "" {
		t.Errorf("the witness and the watch are awaited (-want +got)\n%s", diff)
	}
}

// TestKubernetesAwait shows that nobody waits long for what no stream need show.
func TestKubernetesAwait(t *testing.T) {
	start := time.Now()
	h := execute(t, kubeFake(), `# rvcheck plan v1 · layer kube
c1 a1: create a/x
c1 b1: create ab/y
c1 w1: watch a/* resourceVersion=rv(a1)-1
c1 w2: watch ab/* labelSelector="x=1" resourceVersion=rv(a1)
c1 w3: watch all resourceVersion=0
c1 await w1 rv(a1)
c1 await w1 rv(b1)
c1 await w2 rv(b1)
c1 await w3 rv(b1)
`, engine.Options{CallTimeout: time.Minute})
	var outcomes []string
	for _, op := range h.Operations {
		if op.Client == "c1" && op.Request.Kind == histories.Await {
			outcomes = append(outcomes, string(op.Answer.Outcome))
		}
	}
	if outcomes[0] != "ok" || outcomes[1] != "unknown" {
		t.Errorf("the awaits end %v, expected the first to be met and the second to be open", outcomes)
	}
	if time.Since(start) > 30*time.Second {
		t.Error("somebody waited for what need not come")
	}
}

func TestKubernetesObstacles(t *testing.T) {
	f := kubeFake()
	f.description.Unsupported[targets.Selectors] = "none here"
	f.description.Unsupported[targets.Finalizers] = "none here"
	h := execute(t, f, `# rvcheck plan v1 · layer kube
c1 list configmaps:a/*
c1 list a/* labelSelector="x=1"
c1 patch a/x clearFinalizers
c1 d1: delete a/x dryRun
c1 get a/x resourceVersion=tombstone(d1)
`, engine.Options{})
	var notes []string
	for _, note := range h.Notes {
		notes = append(notes, note.Text)
	}
	want(t, strings.Join(notes, "\n")+"\n", `unsupported: a resource besides the run's own
unsupported: selectors: none here
unsupported: finalizers: none here
d1 showed no uid
`)
}

// TestClusterScoped: where objects are in no namespaces nothing that the run adds names
// one, and what a plan says of namespaces is skipped.
func TestClusterScoped(t *testing.T) {
	f := kubeFake()
	f.description.Unsupported[targets.Namespaces] = "none here"
	h := execute(t, f, `# rvcheck plan v1 · layer kube
c1 create x
c1 list a/*
c1 get a/x
c1 watch all fieldSelector="metadata.namespace=a"
c1 fill 2
c1 deletecollection all
`, engine.Options{})
	if skipped := len(h.Notes); skipped != 3 {
		t.Errorf("%d operations were skipped: %+v", skipped, h.Notes)
	}
	for _, op := range h.Operations {
		if op.Request.Key.Namespace != "" || op.Request.Scope.Key.Namespace != "" {
			t.Errorf("%s: %+v", op.Client, op.Request)
		}
	}
}

// TestNothingWritten: where no write succeeds a watch owes nothing, however far the store was
// brought by others: no bookmark is owed.
func TestNothingWritten(t *testing.T) {
	f := kubeFake()
	served := f.do
	f.do = func(ctx context.Context, c *fakeClient, request histories.Request) (histories.Answer, error, bool) {
		if request.Kind != histories.Create {
			return served(ctx, c, request)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.newest++
		return histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: histories.Other, Code: "500"}}, nil, true
	}
	h := execute(t, f, "# rvcheck plan v1 · layer kube\nc1 create a/x\nc1 watch all resourceVersion=1\n", engine.Options{StopTimeout: 300 * time.Millisecond})
	awaits := 0
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Kind != histories.Await {
			continue
		}
		if awaits++; op.Answer.Outcome == histories.Fail {
			t.Errorf("operation %d owed %d: %+v", op.Request.Of, op.Request.Revision, op.Answer.Error)
		}
	}
	if awaits == 0 {
		t.Error("no stream was awaited")
	}
}

// kubeEverything uses each operation of the Kubernetes layer.
const kubeEverything = `# rvcheck plan v1 · layer kube
c1 w1: watch all resourceVersion=1 allowWatchBookmarks
c1 a1: create a/x {x=1} finalizers="rvcheck.dev/one"
c2 w2: watch a/* labelSelector="x=1" sendInitialEvents=true match=NotOlderThan allowWatchBookmarks
c2 b1: create ab/x size=100
c3 create a-b/x
c3 r1: create a/r
c3 create a/r
c4 create a/g- generateName
c5 fill 20
--
c1 u1: update a/x rv=rv(a1) uid=uid(a1) {x=2} finalizers="rvcheck.dev/one"
c2 update a/r rv=last
c3 patch ab/x type=json {y=1}
c3 patch ab/x type=apply force {z=1}
c4 l1: list all limit=1
c5 patch a-b/x status
--
c1 get a/x resourceVersion=0
c1 d1: delete a/x
c2 get a/x resourceVersion=rv(a1)
c3 d2: delete a/r uid=last
c4 n1: next l1
c4 next l1 damaged
c4 next n1
c5 await w1 rv(b1)
--
c1 patch a/x clearFinalizers
c1 z1: create a/z
c1 await w1 rv(z1)
--
c1 list all resourceVersion=tombstone(d1) match=Exact
c2 list a/* resourceVersion=tombstone(d2)-1 match=NotOlderThan
c3 k1: compact tombstone(d2)
c3 list all resourceVersion=rv(a1) match=Exact
c4 next l1
c4 stop w1
c4 watch all resourceVersion=after(w1)
c5 w5: watch a/r resourceVersion=rv(r1)
--
c1 deletecollection ab/* labelSelector="y=1"
c2 create ab/x dryRun
c3 list all rawResourceVersion="abc"
c4 update a/none rv=1
c5 patch a-b/x noop
`

// TestKubernetesReferenceStore runs a plan of everything; nothing of it is skipped, and
// every stream reaches the last write.
func TestKubernetesReferenceStore(t *testing.T) {
	target, err := memory.Open(memory.Options{Layer: histories.KubeLayer})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(context.Background()) }()
	path := filepath.Join(t.TempDir(), "history.jsonl")
	h, err := engine.Execute(t.Context(), target, parse(t, kubeEverything), engine.Options{Path: path, Compress: true})
	if err != nil {
		t.Fatal(err)
	}
	inFile(t, path+".zst", h)
	wellFormed(t, h)
	for _, note := range h.Notes {
		t.Errorf("note %s", noteLine(note))
	}
	for _, op := range h.Operations {
		if op.Client == histories.ClosingClient && op.Answer.Outcome != histories.OK {
			t.Errorf("%s ends %+v", line(op), op.Answer.Error)
		}
	}
	if last := h.Operations[len(h.Operations)-1]; last.Request.Kind != histories.List || len(last.Answer.Objects) == 0 {
		t.Errorf("the history ends with %s, expected a list of what is there", line(last))
	}
}

// TestInformers: an informer beside the plan and another one at the end come to the last
// write, one of them from a watch that sends the state, the other from a list; and without
// them a run has none.
func TestInformers(t *testing.T) {
	target, err := memory.Open(memory.Options{Layer: histories.KubeLayer})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(context.Background()) }()
	run := func(options engine.Options) map[histories.Kind][]histories.Operation {
		h, err := engine.Execute(t.Context(), target, parse(t, kubeEverything), options)
		if err != nil {
			t.Fatal(err)
		}
		found := map[histories.Kind][]histories.Operation{}
		for _, op := range h.Operations {
			if op.Request.Kind.IsDerived() {
				found[op.Request.Kind] = append(found[op.Request.Kind], op)
			}
			if op.Request.Kind.IsDerived() && op.Answer.Outcome != histories.OK {
				t.Errorf("%s ends %+v", line(op), op.Answer.Error)
			}
		}
		return found
	}
	if found := run(engine.Options{Number: 1, NoInformers: true}); len(found) > 0 {
		t.Errorf("expected no informers, got %v", found)
	}
	found := run(engine.Options{Number: 2})
	informers, stores := found[histories.Inform], found[histories.Stored]
	if len(informers) != 2 || *informers[0].Request.Kube.SendInitialEvents || !*informers[1].Request.Kube.SendInitialEvents {
		t.Errorf("expected an informer that begins with a list and one that begins with a watch, got %v", informers)
	}
	if len(stores) != 2 || len(stores[0].Answer.Objects) == 0 || len(stores[1].Answer.Objects) == 0 {
		t.Errorf("expected that each shows what its store holds, got %v", stores)
	}
	if len(found[histories.ListPages]) == 0 {
		t.Error("expected lists by a pager")
	}
}
