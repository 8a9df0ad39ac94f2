package histories_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rvcheck/rvcheck/histories"
)

// exampleA is the object that the example file is about.
var exampleA = histories.Object{
	Key: histories.Key{Name: "a"}, Write: "c1-1", RV: 2, CreateRevision: 2, Version: 1,
	Labels: map[string]string{"x": "1"}, Size: 28,
}

// example is what testdata/example.jsonl says.
func example() *histories.History {
	gone := &histories.Error{Class: histories.Compacted, Code: "OutOfRange", Message: "required revision has been compacted"}
	return &histories.History{
		Header: histories.Header{
			Format: 1, Run: "2026-11-29T10:00:00Z-42", Plan: 7, Layer: histories.EtcdLayer, Target: "embedded://?members=3",
			Server: "3.7.3", Profile: "etcd", World: histories.Closed, Exclusive: true, Seed: 1<<64 - 1,
			Options:     map[string]string{"clients": "3", "plans": "200"},
			Unsupported: map[string]string{"move-leader": "one member"}, ClockUncertainty: 100,
		},
		Plan: "# rvcheck plan v1 · layer etcd · seed 42\nc1  a1: create a {x=1}\n",
		Operations: []histories.Operation{
			{
				ID: 1, Client: histories.WitnessClient, Endpoint: 1, Call: 1000, Return: 2000,
				Request: histories.Request{Kind: histories.Watch, StartRevision: 1, PrevKV: true},
				Answer:  histories.Answer{Outcome: histories.OK, Revision: 1},
			},
			{
				ID: 2, Label: "a1", Line: 2, Client: "c1", Endpoint: 1, Call: 3000, Return: 4000,
				Request: histories.Request{
					Kind: histories.Create, Key: histories.Key{Name: "a"}, Write: "c1-1", Labels: map[string]string{"x": "1"},
				},
				Answer: histories.Answer{Outcome: histories.OK, Revision: 2},
			},
			{
				ID: 3, Label: "g1", Line: 3, Client: "c2", Endpoint: 2, Call: 3100, Return: 3900,
				Request: histories.Request{Kind: histories.Get, Key: histories.Key{Name: "\xff\x00"}, Serializable: true},
				Answer:  histories.Answer{Outcome: histories.OK, Revision: 1},
			},
			{
				ID: 4, Label: "l1", Line: 4, Client: "c1", Endpoint: 1, Call: 4200, Return: 5000,
				Request: histories.Request{
					Kind: histories.List, Limit: 1,
					Scope: histories.Scope{Shape: histories.Prefix, Key: histories.Key{Name: "a"}},
				},
				Answer: histories.Answer{Outcome: histories.OK, Revision: 2, Objects: []histories.Object{exampleA}, Count: 1},
			},
			{
				ID: 5, Label: "u1", Line: 5, Client: "c1", Endpoint: 1, Call: 5100, Return: 6000,
				Request: histories.Request{
					Kind: histories.Update, Key: histories.Key{Name: "a"}, Write: "c1-2", Expect: 1, Conditional: true,
				},
				Answer: histories.Answer{
					Outcome: histories.Fail, Error: &histories.Error{Class: histories.Conflict, Code: "FailedPrecondition"},
					Revision: 2, Objects: []histories.Object{exampleA},
				},
			},
			{
				ID: 6, Label: "d1", Line: 6, Client: "c1", Endpoint: 1, Call: 6100, Return: 7000,
				Request: histories.Request{Kind: histories.Delete, Key: histories.Key{Name: "a"}, Expect: 2, Conditional: true},
				Answer:  histories.Answer{Outcome: histories.OK, Revision: 3, Deleted: 1},
			},
			{
				ID: 7, Label: "p1", Line: 7, Client: "c2", Endpoint: 2, Call: 7400, Return: histories.Never,
				Request: histories.Request{Kind: histories.Put, Key: histories.Key{Name: "b"}, Write: "c2-1"},
				Answer:  histories.Answer{Outcome: histories.Unknown},
			},
		},
		Streams: []histories.Stream{{
			Op: 1,
			Events: []histories.Event{
				{Type: histories.PutEvent, Time: 4100, Batch: 1, Last: true, Header: 2, Transport: "t1", Object: exampleA},
				{
					Type: histories.DeleteEvent, Time: 7100, Batch: 2, Last: true, Header: 3, Transport: "t1",
					Object: histories.Object{Key: histories.Key{Name: "a"}, RV: 3}, Prev: &exampleA,
				},
				{Type: histories.ProgressEvent, Time: 7500, Batch: 3, Last: true, Header: 3, Transport: "t1"},
			},
			End: &histories.End{Time: 8000, Reason: histories.EndCompacted, Error: gone, CompactRevision: 3, Header: 3},
		}},
		Faults: []histories.Fault{{Time: 7200, Action: "kill", Args: map[string]string{"member": "1"}, Line: 8}},
		Notes:  []histories.Note{{Time: 7300, Kind: "skipped", Label: "n1", Line: 9, Text: "rv(b1): b1 did not happen"}},
	}
}

func exampleFile(t testing.TB) []byte {
	t.Helper()
	file, err := os.ReadFile("testdata/example.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// tester is what testing.TB and *rapid.T share.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

func read(t tester, file []byte) *histories.History {
	t.Helper()
	h, err := histories.Read(bytes.NewReader(file), "test.jsonl")
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return h
}

func write(t tester, h *histories.History) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := histories.Write(&file, h); err != nil {
		t.Fatalf("Write: %v", err)
	}
	return file.Bytes()
}

func TestReadExample(t *testing.T) {
	if diff := cmp.Diff(example(), read(t, exampleFile(t))); diff != "" {
		t.Errorf("Read differs (-want +got)\n%s", diff)
	}
}

func TestWriteExample(t *testing.T) {
	if diff := cmp.Diff(string(exampleFile(t)), string(write(t, example()))); diff != "" {
		t.Errorf("Write differs (-want +got)\n%s", diff)
	}
}

// TestEveryPrefixIsReadable is what a killed run relies on.
func TestEveryPrefixIsReadable(t *testing.T) {
	file := exampleFile(t)
	header := bytes.IndexByte(file, '\n')
	for length := range len(file) {
		h, err := histories.Read(bytes.NewReader(file[:length]), "test.jsonl")
		switch {
		case length < header && err == nil:
			t.Fatalf("%d bytes, without the whole header: accepted", length)
		case length < header:
			continue
		case err != nil:
			t.Fatalf("%d bytes: %v", length, err)
		}
		whole := file[length] == '\n' || file[length-1] == '\n'
		if h.Truncated == whole {
			t.Fatalf("%d bytes, ending in %q: Truncated = %v", length, file[max(0, length-20):length], h.Truncated)
		}
	}
}

// TestByteOrderMarkIsSkipped: some editors put one before what they save.
func TestByteOrderMarkIsSkipped(t *testing.T) {
	file := append([]byte("\ufeff"), exampleFile(t)...)
	if diff := cmp.Diff(example(), read(t, file)); diff != "" {
		t.Errorf("Read differs (-want +got)\n%s", diff)
	}
}

func TestCutInTheHeaderSaysSo(t *testing.T) {
	file := exampleFile(t)[:100]
	_, err := histories.Read(bytes.NewReader(file), "test.jsonl")
	if want := "test.jsonl:1: the file ends in the middle of its header"; err == nil || err.Error() != want {
		t.Errorf("Read = %v, want %s", err, want)
	}
}

func TestMembersInAnyOrder(t *testing.T) {
	file := `{"world":"open","format":1,"layer":"kube","record":"header"}
{ "id" : 4, "kind":"get", "record" : "invoke" , "key":{"name":"n","resource":"pods"}, "time":3}` + "\r\n"
	want := &histories.History{
		Header: histories.Header{Format: 1, Layer: histories.KubeLayer, World: histories.Open},
		Operations: []histories.Operation{{
			ID: 4, Call: 3, Return: histories.Never, Answer: histories.Answer{Outcome: histories.Unknown},
			Request: histories.Request{Kind: histories.Get, Key: histories.Key{Resource: "pods", Name: "n"}},
		}},
	}
	if diff := cmp.Diff(want, read(t, []byte(file))); diff != "" {
		t.Errorf("Read differs (-want +got)\n%s", diff)
	}
}

func TestOperationsAreSortedByID(t *testing.T) {
	h := read(t, []byte(minimal+
		`{"record":"invoke","id":100000,"kind":"get","time":1}
{"record":"invoke","id":3,"kind":"watch","time":2}
{"record":"invoke","id":2,"kind":"watch","time":3}
{"record":"return","id":3,"time":4,"outcome":"ok"}
{"record":"return","id":100000,"time":4,"outcome":"ok"}
{"record":"event","stream":2,"time":5,"type":"progress","batch":1}
`))
	var ids, streams []int
	for _, op := range h.Operations {
		ids = append(ids, op.ID)
	}
	for _, s := range h.Streams {
		streams = append(streams, s.Op)
	}
	if diff := cmp.Diff([][]int{{2, 3, 100000}, {2, 3}}, [][]int{ids, streams}); diff != "" {
		t.Errorf("ids of operations and streams (-want +got)\n%s", diff)
	}
}

// TestUnknownFieldsSurvive has one in every object that can have one.
func TestUnknownFieldsSurvive(t *testing.T) {
	file := strings.Join([]string{
		`{"record":"header","format":1,"layer":"kube","world":"closed","new":{"a":[1,2.50,"\u00e4"]},"newer":null}`,
		`{"record":"plan","text":"p","new":1}`,
		`{"record":"invoke","id":1,"kind":"watch","scope":{"shape":"prefix","new":1},"kube":{"dryRun":true,"new":1},"new":1}`,
		`{"record":"invoke","id":2,"kind":"txn","txn":{"compares":[{"target":"mod","op":"=","new":1}],"then":[{"kind":"put","new":1}],"new":1}}`,
		`{"record":"return","id":1,"outcome":"fail","error":{"class":"other","new":1},"objects":[{"new":1}],"new":1}`,
		`{"record":"event","stream":1,"type":"put","batch":1,"object":{"new":1},"prev":{"new":1},"new":1}`,
		`{"record":"end","stream":1,"reason":"run","new":1}`,
		`{"record":"fault","action":"kill","new":1}`,
		`{"record":"note","kind":"info","new":1}`,
	}, "\n") + "\n"
	h := read(t, []byte(file))
	if diff := cmp.Diff(file, string(write(t, h))); diff != "" {
		t.Errorf("Read and Write differ (-want +got)\n%s", diff)
	}
	if want, got := `"new":{"a":[1,2.50,"\u00e4"]},"newer":null`, h.Header.Extra.String(); got != want {
		t.Errorf("Header.Extra = %s, want %s", got, want)
	}
}

func TestDecoderTellsKindsAndLines(t *testing.T) {
	d := histories.NewDecoder(bytes.NewReader(exampleFile(t)), "test.jsonl")
	var kinds []histories.RecordKind
	for {
		record, err := d.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if kinds = append(kinds, record.Kind); record.Line != len(kinds) {
			t.Errorf("record %d has line %d", len(kinds), record.Line)
		}
	}
	want := []histories.RecordKind{
		histories.HeaderRecord, histories.PlanRecord, histories.InvokeRecord, histories.ReturnRecord,
	}
	if diff := cmp.Diff(want, kinds[:4]); diff != "" || len(kinds) != 21 || d.Truncated() {
		t.Errorf("%d records, Truncated = %v (-want +got)\n%s", len(kinds), d.Truncated(), diff)
	}
}
