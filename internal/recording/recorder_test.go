package recording_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/recording"
)

var (
	header = histories.Header{Format: histories.FormatVersion, Run: "r", Plan: 3, Layer: histories.EtcdLayer, World: histories.Closed, Seed: 42}
	equal  = cmp.Comparer(histories.Extra.Equal)
)

const plan = "# rvcheck plan v1 · layer etcd · seed 42\nc1  create a\n"

func create(t *testing.T) (*recording.Recorder, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "0003.history.jsonl")
	r, err := recording.Create(path, header, plan)
	if err != nil {
		t.Fatal(err)
	}
	return r, path
}

func read(t *testing.T, path string) *histories.History {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	h, err := histories.Read(file, path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func ok(revision histories.Revision) histories.Answer {
	return histories.Answer{Outcome: histories.OK, Revision: revision}
}

func call(kind histories.Kind, name string) histories.Operation {
	return histories.Operation{Client: "c1", Endpoint: 1, Request: histories.Request{Kind: kind, Key: histories.Key{Name: name}}}
}

// TestFileIsMemory records a bit of everything and finds the same in the file as
// in memory, plain and compressed.
func TestFileIsMemory(t *testing.T) {
	r, path := create(t)
	first := r.Invoke(call(histories.Create, "a\xff"))
	watch := r.Invoke(call(histories.Watch, ""))
	sink := r.Stream(watch)
	sink.Batch([]histories.Event{{Type: histories.PutEvent, Header: 2, Object: histories.Object{Key: histories.Key{Name: "a\xff"}, RV: 2}, Last: true}})
	r.Return(watch, ok(1))
	r.Return(first, ok(2))
	r.Fault(histories.Fault{Action: "kill"})
	r.Note(histories.Note{Kind: "skipped", Line: 2, Text: "for no reason"})
	sink.Batch([]histories.Event{{Type: histories.DeleteEvent, Header: 4}, {Type: histories.PutEvent, Header: 4, Last: true}})
	sink.End(histories.End{Reason: histories.EndClosed, Header: 4})
	r.Invoke(call(histories.Get, "a"))
	silent := r.Invoke(call(histories.Watch, ""))
	r.Return(silent, ok(4))
	refused := r.Invoke(call(histories.Watch, ""))
	r.Return(refused, histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: histories.Invalid}})
	r.Seal()
	h := r.History()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h, read(t, path), equal); diff != "" {
		t.Errorf("plain file (-memory +file)\n%s", diff)
	}
	compressed, err := recording.Compress(path)
	if err != nil || compressed != path+".zst" {
		t.Fatalf("compressed to %q, error %v", compressed, err)
	}
	if diff := cmp.Diff(h, read(t, compressed), equal); diff != "" {
		t.Errorf("compressed file (-memory +file)\n%s", diff)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("files left: %v", entries)
	}
}

// TestRecordsBeforeSending shows that a run that is killed at any moment leaves
// the calls that it may have sent.
func TestRecordsBeforeSending(t *testing.T) {
	r, path := create(t)
	for i := range 3 {
		id := r.Invoke(call(histories.Create, fmt.Sprint("k", i)))
		h := read(t, path)
		op := h.Operation(id)
		if op == nil || op.Answer.Outcome != histories.Unknown || op.Return != histories.Never || op.Call > r.Now() {
			t.Fatalf("after the invocation of %d the file holds %+v", id, op)
		}
		r.Return(id, ok(2))
		if op := read(t, path).Operation(id); op.Answer.Outcome != histories.OK || op.Return < op.Call {
			t.Fatalf("after the return of %d the file holds %+v", id, op)
		}
	}
}

// TestSinkContract shows what becomes of a target that does not keep to the
// contract of a sink, and that nothing is recorded once the recorder is sealed.
func TestSinkContract(t *testing.T) {
	r := recording.New(header, plan)
	broken, open, late := r.Invoke(call(histories.Watch, "")), r.Invoke(call(histories.Watch, "")), r.Invoke(call(histories.Get, ""))
	sink := r.Stream(broken)
	sink.Batch(nil)
	sink.End(histories.End{Reason: histories.EndClosed})
	sink.Batch([]histories.Event{{Type: histories.PutEvent}})
	sink.End(histories.End{Reason: histories.EndError})
	r.Return(open, ok(1))
	r.Seal()
	r.Seal()
	r.Stream(open).Batch([]histories.Event{{Type: histories.PutEvent}})
	r.Stream(open).End(histories.End{Reason: histories.EndClosed})
	r.Return(late, ok(7))
	h := r.History()
	for i, want := range []histories.EndReason{histories.EndClosed, histories.EndRun} {
		if s := h.Streams[i]; len(s.Events) != 0 || s.End.Reason != want {
			t.Errorf("stream %d: %+v, want no events and the end %q", s.Op, s, want)
		}
	}
	if op := h.Operation(late); op.Return != histories.Never || op.Answer.Revision != 0 {
		t.Errorf("an answer after the end was recorded: %+v", op)
	}
	if len(h.Notes) != 2 {
		t.Errorf("notes %+v, want one for each break of the contract", h.Notes)
	}
}

// TestFragments shows that a response which arrives in parts is one batch, and what
// becomes of one whose end is missing.
func TestFragments(t *testing.T) {
	r := recording.New(header, plan)
	sink := r.Stream(r.Invoke(call(histories.Watch, "")))
	put := func(last bool) histories.Event { return histories.Event{Type: histories.PutEvent, Last: last} }
	sink.Batch([]histories.Event{put(true), put(false)})
	sink.Batch([]histories.Event{put(false)})
	sink.Batch([]histories.Event{put(true)})
	sink.Batch([]histories.Event{put(false)})
	sink.Batch([]histories.Event{{Type: histories.ProgressEvent, Last: true}})
	sink.Batch([]histories.Event{put(true)})
	var got []string
	for _, event := range r.History().Streams[0].Events {
		got = append(got, fmt.Sprintf("%d %t", event.Batch, event.Last))
	}
	want := []string{"1 false", "1 false", "1 false", "1 true", "2 false", "3 true", "4 true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestConcurrent shows that ids ascend in the order of call times, that batches
// are numbered, and that the file holds all of it.
func TestConcurrent(t *testing.T) {
	r, path := create(t)
	watch := r.Invoke(call(histories.Watch, ""))
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for range 100 {
				id := r.Invoke(call(histories.Put, "a"))
				r.Return(id, ok(1))
			}
		})
	}
	clients.Go(func() {
		for range 100 {
			r.Stream(watch).Batch([]histories.Event{{Type: histories.PutEvent, Last: true}, {Type: histories.PutEvent, Last: true}})
		}
	})
	clients.Wait()
	h := r.History()
	for i := range h.Operations {
		op := h.Operations[i]
		if op.ID != i+1 || i > 0 && op.Call < h.Operations[i-1].Call {
			t.Fatalf("operation %d at index %d is called at %d", op.ID, i, op.Call)
		}
	}
	for i, event := range h.Streams[0].Events {
		if event.Batch != i/2+1 || event.Last != (i%2 == 1) {
			t.Fatalf("event %d: batch %d, last %t", i, event.Batch, event.Last)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h, read(t, path), equal); diff != "" {
		t.Errorf("(-memory +file)\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	r, path := create(t)
	if _, err := recording.Create(path, header, plan); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second recorder on the file: error %v", err)
	}
	r.Return(r.Invoke(call(histories.Get, "a")), histories.Answer{Outcome: "perhaps"})
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "not complete") {
		t.Errorf("Close after a record that could not be written: error %v", err)
	}
	if _, err := recording.Compress(path + ".missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("compressing a missing file: error %v", err)
	}
	r, path = create(t)
	r.Discard()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the discarded file is still there: %v", err)
	}
}

func BenchmarkCall(b *testing.B) {
	r, err := recording.Create(filepath.Join(b.TempDir(), "h.jsonl"), header, plan)
	if err != nil {
		b.Fatal(err)
	}
	op := call(histories.Put, "key")
	for b.Loop() {
		r.Return(r.Invoke(op), ok(1))
	}
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
}
