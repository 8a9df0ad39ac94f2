package histories_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
)

// minimal is the shortest header.
const minimal = `{"record":"header","format":1,"layer":"etcd","world":"closed"}` + "\n"

// watched is a history in which operation 1 is an open watch, called at 5.
const watched = minimal + `{"record":"invoke","id":1,"time":5,"kind":"watch"}` + "\n"

func TestReadRefuses(t *testing.T) {
	tests := map[string]struct{ file, want string }{
		"an empty file": {
			"", `test.jsonl: the file is empty: expected a history, whose first record is a header`,
		},
		"an empty line": {
			minimal + "\n", `test.jsonl:2: expected a record, which is a JSON object, found the end of the line`,
		},
		"another format": {
			"# rvcheck plan v1\n", `test.jsonl:1: expected a record, which is a JSON object, found '#' at column 1`,
		},
		"a missing header": {
			`{"record":"plan","text":""}` + "\n",
			`test.jsonl:1: a record of kind plan without a header before it: expected the header first`,
		},
		"a second header": {
			minimal + minimal, `test.jsonl:2: a second header: expected one, in the first line`,
		},
		"a newer format": {
			`{"record":"header","format":2,"layer":"new","world":7}` + "\n",
			`test.jsonl:1: header record: format: version 2 is newer than this program, which reads up to version 1`,
		},
		"no format": {
			`{"record":"header","layer":"etcd","world":"closed"}` + "\n",
			`test.jsonl:1: header record: format 0: expected 1 to 1`,
		},
		"an unknown layer": {
			`{"record":"header","format":1,"layer":"disk","world":"closed"}` + "\n",
			`test.jsonl:1: header record: unknown layer "disk": expected one of etcd, storage, kube`,
		},
		"an unknown world": {
			`{"record":"header","format":1,"layer":"etcd"}` + "\n",
			`test.jsonl:1: header record: unknown world "": expected one of closed, open`,
		},
		"a negative uncertainty": {
			`{"record":"header","format":1,"layer":"etcd","world":"open","clockUncertainty":-1}` + "\n",
			`test.jsonl:1: header record: clockUncertainty -1: expected nanoseconds, not negative`,
		},
		"a negative seed": {
			`{"record":"header","format":1,"layer":"etcd","world":"open","seed":"-1"}` + "\n",
			`test.jsonl:1: header record: seed: expected a decimal number of at most 64 bits in a string, found "-1"`,
		},
		"a second plan": {
			minimal + `{"record":"plan","text":"a"}` + "\n" + `{"record":"plan","text":"b"}` + "\n",
			`test.jsonl:3: plan record: a second plan: expected at most one`,
		},
		"an unknown record kind": {
			minimal + `{"record":"x"}` + "\n",
			`test.jsonl:2: unknown record kind "x": expected one of header, plan, invoke, return, event, end, fault, note`,
		},
		"an unknown record kind in the last line": {
			minimal + `{"record":"x"}`,
			`test.jsonl:2: unknown record kind "x": expected one of header, plan, invoke, return, event, end, fault, note`,
		},
		"no record kind": {
			minimal + `{"id":1}` + "\n",
			`test.jsonl:2: a record without "record": expected one of header, plan, invoke, return, event, end, fault, note`,
		},
		"a record kind of another type": {
			minimal + `{"record":7}` + "\n", `test.jsonl:2: expected a record kind in quotes, found the number 7`,
		},
		"an array": {
			minimal + "[]\n", `test.jsonl:2: expected a record, which is a JSON object, found an array`,
		},
		"a record cut in the middle of the file": {
			minimal + `{"record":"note","te` + "\n" + `{"record":"note"}` + "\n",
			`test.jsonl:2: note record: a string without its closing quote`,
		},
		"two records in a line": {
			minimal + `{"record":"note"}{"record":"note"}` + "\n",
			`test.jsonl:2: note record: expected the end of the line, found an object`,
		},
		"a field that occurs twice": {
			minimal + `{"record":"note","text":"a","text":"b"}` + "\n", `test.jsonl:2: note record: text: occurs twice`,
		},
		"a string for a number": {
			minimal + `{"record":"note","line":"7"}` + "\n",
			`test.jsonl:2: note record: line: expected an integer, found the string "7"`,
		},
		"a fraction": {
			minimal + `{"record":"note","time":1.5}` + "\n",
			`test.jsonl:2: note record: time: expected an integer of at most 64 bits, found the number 1.5`,
		},
		"null": {
			minimal + `{"record":"note","text":null}` + "\n", `test.jsonl:2: note record: text: expected a string, found null`,
		},
		"a number for a revision": {
			minimal + `{"record":"invoke","id":1,"kind":"compact","revision":5}` + "\n",
			`test.jsonl:2: invoke record: revision: expected a decimal number in a string, found the number 5`,
		},
		"a revision that is no number": {
			minimal + `{"record":"invoke","id":1,"kind":"compact","revision":"+5"}` + "\n",
			`test.jsonl:2: invoke record: revision: expected a decimal number of at most 64 bits in a string, found "+5"`,
		},
		"a revision of 65 bits": {
			minimal + `{"record":"invoke","id":1,"kind":"compact","revision":"9223372036854775808"}` + "\n",
			`test.jsonl:2: invoke record: revision: expected a decimal number of at most 64 bits in a string, found "9223372036854775808"`,
		},
		"a wrong type deep inside": {
			minimal + `{"record":"return","id":1,"outcome":"ok","objects":[{"key":"a"},{"key":"b","labels":{"x":1}}]}` + "\n",
			`test.jsonl:2: return record: objects: 1: labels: x: expected a string, found the number 1`,
		},
		"bad base64": {
			minimal + `{"record":"note","text":{"b64":"/w"}}` + "\n",
			`test.jsonl:2: note record: text: b64: expected padded standard base64, found "/w"`,
		},
		"another object for a string": {
			minimal + `{"record":"note","text":{"b32":"/w"}}` + "\n",
			`test.jsonl:2: note record: text: expected a string or an object with the one member "b64", found member "b32"`,
		},
		"a key with an unknown part": {
			minimal + `{"record":"invoke","id":1,"kind":"get","key":{"name":"a","cluster":"b"}}` + "\n",
			`test.jsonl:2: invoke record: key: unknown field "cluster"`,
		},
		"a label that occurs twice": {
			minimal + `{"record":"invoke","id":1,"kind":"create","labels":{"x":"1","x":"2"}}` + "\n",
			`test.jsonl:2: invoke record: labels: "x" occurs twice`,
		},
		"a label without a value": {
			minimal + `{"record":"invoke","id":1,"kind":"create","labels":[["x"]]}` + "\n",
			`test.jsonl:2: invoke record: labels: 0: expected a pair of strings, found 1`,
		},
		"invalid UTF-8": {
			minimal + "{\"record\":\"note\",\"text\":\"\xff\"}\n",
			`test.jsonl:2: note record: text: a string that is not valid UTF-8`,
		},
		"half a surrogate pair in an unknown field": {
			minimal + `{"record":"note","new":"\ud800"}` + "\n",
			`test.jsonl:2: note record: unknown field "new": a malformed escape sequence in a string`,
		},
		"no id": {
			minimal + `{"record":"invoke","kind":"get"}` + "\n",
			`test.jsonl:2: invoke record: id 0: expected an operation's id, from 1`,
		},
		"an unknown kind": {
			minimal + `{"record":"invoke","id":1,"kind":"upsert"}` + "\n",
			`test.jsonl:2: invoke record: unknown kind "upsert": expected one of create, update, delete, get, list, next, ` +
				`watch, stop, await, progress, compact, put, deleterange, txn, grant, attach, keepalive, timetolive, revoke, status, patch, deletecollection, informer, store, pager, below`,
		},
		"an unknown kind in a transaction": {
			minimal + `{"record":"invoke","id":1,"kind":"txn","txn":{"else":[{"kind":"put"},{}]}}` + "\n",
			`test.jsonl:2: invoke record: txn: unknown kind "": expected one of create, update, delete, get, list, next, ` +
				`watch, stop, await, progress, compact, put, deleterange, txn, grant, attach, keepalive, timetolive, revoke, status, patch, deletecollection, informer, store, pager, below`,
		},
		"an unknown shape": {
			minimal + `{"record":"invoke","id":1,"kind":"list","scope":{"shape":"suffix"}}` + "\n",
			`test.jsonl:2: invoke record: unknown shape "suffix": expected one of "", key, prefix, namespace, range`,
		},
		"an unknown outcome": {
			watched + `{"record":"return","id":1,"time":6}` + "\n",
			`test.jsonl:3: return record: unknown outcome "": expected one of ok, fail, unknown`,
		},
		"an unknown error class": {
			watched + `{"record":"return","id":1,"time":6,"outcome":"fail","error":{"class":"odd"}}` + "\n",
			`test.jsonl:3: return record: unknown error class "odd": expected one of conflict, notFound, exists, compacted, ` +
				`future, invalid, tooLarge, noLease, busy, timeout, unavailable, other`,
		},
		"an unknown event type": {
			watched + `{"record":"event","stream":1,"time":6,"batch":1,"type":"PUT"}` + "\n",
			`test.jsonl:3: event record: unknown event type "PUT": expected one of put, delete, progress, added, modified, error, synced`,
		},
		"an unknown end": {
			watched + `{"record":"end","stream":1,"time":6}` + "\n",
			`test.jsonl:3: end record: unknown end reason "": expected one of cancelled, closed, error, run, compacted`,
		},
		"a negative time": {
			minimal + `{"record":"fault","time":-1}` + "\n",
			`test.jsonl:2: fault record: time -1: expected nanoseconds since the start of the run, not negative`,
		},
		"an id that is invoked twice": {
			watched + `{"record":"invoke","id":1,"kind":"get"}` + "\n",
			`test.jsonl:3: invoke record: id 1 is invoked twice: expected a new id for each operation`,
		},
		"a return without its invoke": {
			watched + `{"record":"return","id":2,"outcome":"ok"}` + "\n",
			`test.jsonl:3: return record: id 2 was not invoked: expected its invoke record before`,
		},
		"a second return": {
			watched + strings.Repeat(`{"record":"return","id":1,"time":5,"outcome":"ok"}`+"\n", 2),
			`test.jsonl:4: return record: id 1 returns twice`,
		},
		"a return before the call": {
			watched + `{"record":"return","id":1,"time":4,"outcome":"ok"}` + "\n",
			`test.jsonl:3: return record: time 4: expected at least 5, when the operation was called`,
		},
		"a return at the end of time": {
			watched + `{"record":"return","id":1,"time":9223372036854775807,"outcome":"ok"}` + "\n",
			`test.jsonl:3: return record: time: expected the time of the return, found the one that stands for none`,
		},
		"an unknown filter": {
			minimal + `{"record":"invoke","id":1,"kind":"watch","filters":["nothing"]}` + "\n",
			`test.jsonl:2: invoke record: unknown filter "nothing": expected one of noput, nodelete`,
		},
		"an unknown order": {
			minimal + `{"record":"invoke","id":1,"kind":"list","sortTarget":"mod","sortOrder":"random"}` + "\n",
			`test.jsonl:2: invoke record: unknown sort order "random": expected one of "", ascend, descend`,
		},
		"an unknown compare": {
			minimal + `{"record":"invoke","id":1,"kind":"txn","txn":{"compares":[{"target":"mod","op":"~"}]}}` + "\n",
			`test.jsonl:2: invoke record: unknown op of a compare "~": expected one of =, !=, <, >`,
		},
		"a transaction without a body": {
			minimal + `{"record":"invoke","id":1,"kind":"txn"}` + "\n",
			`test.jsonl:2: invoke record: a request of kind txn without a body: expected one in "txn"`,
		},
		"a transaction without a body in another": {
			minimal + `{"record":"invoke","id":1,"kind":"txn","txn":{"then":[{"kind":"txn"}]}}` + "\n",
			`test.jsonl:2: invoke record: txn: a request of kind txn without a body: expected one in "txn"`,
		},
		"a long record kind": {
			minimal + `{"record":"` + strings.Repeat("x", 1000) + `"}` + "\n",
			`test.jsonl:2: unknown record kind "` + strings.Repeat("x", 60) + `": expected one of header, plan, invoke, return, event, end, fault, note`,
		},
		"a long name of a label": {
			minimal + `{"record":"invoke","id":1,"kind":"create","labels":{"` + strings.Repeat("x", 1000) + `":1}}` + "\n",
			`test.jsonl:2: invoke record: labels: ` + strings.Repeat("x", 60) + `…: expected a string, found the number 1`,
		},
		"a control character in a name": {
			minimal + `{"record":"invoke","id":1,"kind":"create","labels":{"\u001b[2J":1}}` + "\n",
			`test.jsonl:2: invoke record: labels: ?[2J: expected a string, found the number 1`,
		},
		"a control character for a number": {
			minimal + "{\"record\":\"note\",\"line\":\"\x1b[2J\"}\n",
			`test.jsonl:2: note record: line: expected an integer, found the string "?[2J"`,
		},
		"a result without an outcome": {
			minimal + `{"record":"invoke","id":1,"kind":"txn","txn":{}}` + "\n" +
				`{"record":"return","id":1,"outcome":"ok","results":[{"revision":"5"}]}` + "\n",
			`test.jsonl:3: return record: results: unknown outcome "": expected one of ok, fail, unknown`,
		},
		"an event of no stream": {
			watched + `{"record":"event","stream":2,"time":6,"batch":1,"type":"put"}` + "\n",
			`test.jsonl:3: event record: stream 2: expected a watch or an informer with this id to have been invoked before`,
		},
		"an event of a get": {
			minimal + `{"record":"invoke","id":1,"kind":"get"}` + "\n" +
				`{"record":"event","stream":1,"time":6,"batch":1,"type":"put"}` + "\n",
			`test.jsonl:3: event record: stream 1: expected a watch or an informer with this id to have been invoked before`,
		},
		"an event before the watch": {
			watched + `{"record":"event","stream":1,"time":4,"batch":1,"type":"put"}` + "\n",
			`test.jsonl:3: event record: time 4: expected at least 5, when the watch was called`,
		},
		"an event after the end": {
			watched + `{"record":"end","stream":1,"time":6,"reason":"closed"}` + "\n" +
				`{"record":"event","stream":1,"time":6,"batch":1,"type":"put"}` + "\n",
			`test.jsonl:4: event record: stream 1 has ended before`,
		},
		"a second end": {
			watched + strings.Repeat(`{"record":"end","stream":1,"time":6,"reason":"closed"}`+"\n", 2),
			`test.jsonl:4: end record: stream 1 has ended before`,
		},
		"an event without a batch": {
			watched + `{"record":"event","stream":1,"time":6,"type":"put"}` + "\n",
			`test.jsonl:3: event record: batch 0: expected the number of a response, from 1`,
		},
		"batches out of order": {
			watched + `{"record":"event","stream":1,"time":6,"batch":2,"type":"put"}` + "\n" +
				`{"record":"event","stream":1,"time":6,"batch":1,"type":"put"}` + "\n",
			`test.jsonl:4: event record: batch 1 after batch 2 of the same stream`,
		},
		"a batch that goes on after its end": {
			watched + strings.Repeat(`{"record":"event","stream":1,"time":6,"batch":2,"last":true,"type":"put"}`+"\n", 2),
			`test.jsonl:4: event record: batch 2 goes on after its last event`,
		},
		"deep nesting": {
			minimal + `{"record":"note","new":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}\n",
			`test.jsonl:2: note record: unknown field "new": nested deeper than 100 levels`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := histories.Read(strings.NewReader(test.file), "test.jsonl")
			if err == nil || err.Error() != test.want {
				t.Errorf("Read\n got %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestLongLineIsRefused(t *testing.T) {
	const most = 64 << 20
	long := minimal + `{"record":"note","text":"` + strings.Repeat("x", most) + `"}` + "\n"
	for name, file := range map[string][]byte{"plain": []byte(long), "compressed": compressed(t, []byte(long))} {
		_, err := histories.Read(bytes.NewReader(file), "test.jsonl")
		if want := "test.jsonl:2: a line of more than 64 MiB; expected a record of a history"; err == nil || err.Error() != want {
			t.Errorf("%s: Read\n got %v\nwant %s", name, err, want)
		}
	}
}

func TestFormatErrorNamesTheLine(t *testing.T) {
	_, err := histories.Read(strings.NewReader(minimal+"x\n"), "test.jsonl")
	var malformed *histories.FormatError
	if !errors.As(err, &malformed) || malformed.Line != 2 || malformed.Name != "test.jsonl" {
		t.Errorf("Read = %#v, want a FormatError of test.jsonl, line 2", err)
	}
}

// brokenReader fails in the middle of a line.
type brokenReader struct{ rest string }

var errBroken = errors.New("disk on fire")

func (r *brokenReader) Read(p []byte) (int, error) {
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	if n == 0 {
		return 0, errBroken
	}
	return n, nil
}

func TestFailureToReadIsNotAFormatError(t *testing.T) {
	_, err := histories.Read(&brokenReader{minimal + `{"record":`}, "test.jsonl")
	var malformed *histories.FormatError
	if !errors.Is(err, errBroken) || errors.As(err, &malformed) || !strings.HasPrefix(err.Error(), "test.jsonl: ") {
		t.Errorf("Read = %v, want the reader's error with the name of the file", err)
	}
}
