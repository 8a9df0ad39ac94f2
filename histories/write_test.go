package histories_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rvcheck/rvcheck/histories"
)

// lineWriter keeps each call of Write apart.
type lineWriter struct{ writes []string }

func (w *lineWriter) Write(p []byte) (int, error) {
	w.writes = append(w.writes, string(p))
	return len(p), nil
}

func TestEachRecordIsOneWriteOfOneLine(t *testing.T) {
	var w lineWriter
	if err := histories.Write(&w, example()); err != nil {
		t.Fatal(err)
	}
	want := strings.SplitAfter(strings.TrimSuffix(string(exampleFile(t)), "\n"), "\n")
	want[len(want)-1] += "\n"
	if diff := cmp.Diff(want, w.writes); diff != "" {
		t.Errorf("calls of Write (-want +got)\n%s", diff)
	}
}

func TestEncoderFillsInTheFormat(t *testing.T) {
	var w lineWriter
	header := histories.Header{Layer: histories.EtcdLayer, World: histories.Closed}
	if err := histories.NewEncoder(&w).Header(&header); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{minimal}, w.writes); diff != "" || header.Format != 0 {
		t.Errorf("header with Format %d afterwards (-want +got)\n%s", header.Format, diff)
	}
}

func TestEncoderRefuses(t *testing.T) {
	nested := histories.Request{Kind: histories.Transact}
	for range 20 {
		nested = histories.Request{Kind: histories.Transact, Txn: &histories.Txn{Then: []histories.Request{nested}}}
	}
	tests := map[string]struct {
		encode func(e *histories.Encoder) error
		want   string
	}{
		"a header without a layer": {
			func(e *histories.Encoder) error { return e.Header(&histories.Header{World: histories.Closed}) },
			`header record: unknown layer "": expected one of etcd, storage, kube`,
		},
		"a call of no kind": {
			func(e *histories.Encoder) error { return e.Invoke(&histories.Operation{ID: 1}) },
			`invoke record: unknown kind "": expected one of`,
		},
		"deep transactions": {
			func(e *histories.Encoder) error { return e.Invoke(&histories.Operation{ID: 1, Request: nested}) },
			`transactions nested deeper than 16 levels`,
		},
		"an answer of an open call": {
			func(e *histories.Encoder) error {
				return e.Return(&histories.Operation{ID: 3, Return: histories.Never, Answer: histories.Answer{Outcome: histories.OK}})
			},
			`return record: operation 3 has not returned`,
		},
		"an answer before the call": {
			func(e *histories.Encoder) error {
				return e.Return(&histories.Operation{ID: 3, Call: 5, Return: 4, Answer: histories.Answer{Outcome: histories.OK}})
			},
			`return record: time 4: expected at least 5`,
		},
		"an event of no stream": {
			func(e *histories.Encoder) error {
				return e.Event(0, &histories.Event{Type: histories.PutEvent, Batch: 1})
			},
			`event record: stream 0: expected an operation's id, from 1`,
		},
		"an end for no reason": {
			func(e *histories.Encoder) error { return e.End(1, &histories.End{}) },
			`end record: unknown end reason "": expected one of`,
		},
		"a fault before the start": {
			func(e *histories.Encoder) error { return e.Fault(&histories.Fault{Time: -1}) },
			`fault record: time -1`,
		},
		"a note before the start": {
			func(e *histories.Encoder) error { return e.Note(&histories.Note{Time: -1}) },
			`note record: time -1`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var w lineWriter
			err := test.encode(histories.NewEncoder(&w))
			if err == nil || !strings.Contains(err.Error(), test.want) || len(w.writes) > 0 {
				t.Errorf("wrote %q and returned %v, want nothing and %s", w.writes, err, test.want)
			}
		})
	}
}

func TestEncoderAcceptsNestedTransactions(t *testing.T) {
	nested := histories.Request{Kind: histories.Put}
	for range 16 {
		nested = histories.Request{Kind: histories.Transact, Txn: &histories.Txn{Then: []histories.Request{nested}}}
	}
	file := write(t, &histories.History{
		Header:     histories.Header{Layer: histories.EtcdLayer, World: histories.Closed},
		Operations: []histories.Operation{{ID: 1, Return: histories.Never, Request: nested}},
	})
	// go-cmp takes time exponential in the depth, so compare the files.
	if diff := cmp.Diff(string(file), string(write(t, read(t, file)))); diff != "" {
		t.Errorf("Write, Read and Write differ (-want +got)\n%s", diff)
	}
}

// failingWriter takes a part of each line.
type failingWriter struct{ err error }

func (w failingWriter) Write(p []byte) (int, error) { return len(p) / 2, w.err }

func TestEncoderReportsFailedWrites(t *testing.T) {
	for _, err := range []error{nil, errBroken} {
		got := histories.NewEncoder(failingWriter{err}).Plan("text")
		if got == nil || err != nil && !errors.Is(got, err) {
			t.Errorf("Plan on a writer that fails with %v returned %v", err, got)
		}
	}
}

func TestWriteRefusesAnswersThatNeverCame(t *testing.T) {
	h := example()
	h.Operations[6].Answer.Error = &histories.Error{Class: histories.Timeout}
	err := histories.Write(&bytes.Buffer{}, h)
	if err == nil || !strings.Contains(err.Error(), "operation 7 never returned but has an answer") {
		t.Errorf("Write = %v, want an error about operation 7", err)
	}
}

// TestWriteKeepsOrders has times that go back, and times that are equal.
func TestWriteKeepsOrders(t *testing.T) {
	want := &histories.History{
		Header: histories.Header{Format: 1, Layer: histories.EtcdLayer, World: histories.Open},
		Operations: []histories.Operation{
			{
				ID: 1, Call: 9, Return: 9, Request: histories.Request{Kind: histories.Watch},
				Answer: histories.Answer{Outcome: histories.OK},
			},
			{
				ID: 2, Call: 7, Return: 7, Request: histories.Request{Kind: histories.Get},
				Answer: histories.Answer{Outcome: histories.Fail},
			},
		},
		Streams: []histories.Stream{{
			Op: 1,
			Events: []histories.Event{
				{Type: histories.PutEvent, Time: 12, Batch: 1},
				{Type: histories.PutEvent, Time: 9, Batch: 1},
				{Type: histories.ProgressEvent, Time: 11, Batch: 2, Last: true},
			},
			End: &histories.End{Time: 10, Reason: histories.EndRun},
		}},
		Faults: []histories.Fault{{Time: 8, Action: "kill"}, {Time: 6, Action: "restart"}},
		Notes:  []histories.Note{{Time: 12, Text: "a"}, {Time: 12, Text: "b"}, {Time: 3, Text: "c"}},
	}
	if diff := cmp.Diff(want, read(t, write(t, want))); diff != "" {
		t.Errorf("Write and Read differ (-want +got)\n%s", diff)
	}
}
