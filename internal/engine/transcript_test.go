package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
)

// wellFormed checks the shape of a history: ids and call times ascend, answers
// come after calls, batches are numbered, every stream belongs to a watch and has
// an end.
func wellFormed(t *testing.T, h *histories.History) {
	t.Helper()
	var last int64
	for i, op := range h.Operations {
		if op.ID != i+1 || op.Call < last || op.Return < op.Call {
			t.Errorf("operation %d at index %d is called at %d after %d and returns at %d", op.ID, i, op.Call, last, op.Return)
		}
		last = op.Call
	}
	for _, s := range h.Streams {
		if !h.Operation(s.Op).Request.Kind.OpensStream() {
			t.Errorf("stream of operation %d, which opens none", s.Op)
		}
		batch, last := 0, true
		for _, event := range s.Events {
			if last {
				batch++
			}
			if event.Batch != batch || event.Time == 0 {
				t.Errorf("stream %d: event %+v, expected in batch %d", s.Op, event, batch)
			}
			last = event.Last
		}
		if !last {
			t.Errorf("stream %d ends within a batch", s.Op)
		}
		if s.End == nil {
			t.Errorf("stream %d has no end", s.Op)
		}
	}
}

// text shows a history in a few words a line, without times: the operations, the
// events of each stream, and the notes.
func text(h *histories.History, skip ...string) string {
	var b strings.Builder
	for _, op := range h.Operations {
		if !slices.Contains(skip, op.Client) {
			b.WriteString(line(op) + "\n")
		}
	}
	for _, note := range h.Notes {
		b.WriteString(noteLine(note) + "\n")
	}
	return b.String()
}

// line shows an operation without times.
func line(op histories.Operation) string {
	r := op.Request
	parts := []string{op.Client, call(r)}
	if op.Label != "" {
		parts[1] = op.Label + ": " + parts[1]
	}
	if op.Line > 0 {
		parts[0] = fmt.Sprintf("%d %s", op.Line, op.Client)
	}
	return strings.Join(append(parts, "->", reply(op.Answer)), " ")
}

// call shows a request.
func call(r histories.Request) string {
	parts := []string{string(r.Kind)}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if name := r.Key.Name + r.Scope.Key.Name; name != "" {
		add("%s", name)
	}
	if r.Conditional {
		add("expect=%d", r.Expect)
	}
	if r.Revision != 0 {
		add("revision=%d", r.Revision)
	}
	if r.StartRevision != 0 {
		add("startRevision=%d", r.StartRevision)
	}
	if r.Limit != 0 {
		add("limit=%d", r.Limit)
	}
	if r.HasStart {
		add("start=%q", r.Start)
	}
	if r.Of != 0 {
		add("of=%d", r.Of)
	}
	if r.Write != "" {
		add("write=%s", r.Write)
	}
	for _, number := range []struct {
		name  string
		value int64
	}{
		{"minMod", int64(r.MinModRevision)},
		{"maxMod", int64(r.MaxModRevision)},
		{"minCreate", int64(r.MinCreateRevision)},
		{"maxCreate", int64(r.MaxCreateRevision)},
		{"id", r.WatchID},
		{"ttl", r.TTL},
		{"lease", r.Lease},
	} {
		if number.value != 0 {
			add("%s=%d", number.name, number.value)
		}
	}
	if r.SortTarget != "" {
		add("sort=%s:%s", r.SortTarget, r.SortOrder)
	}
	if r.Transport != "" {
		add("on=%s", r.Transport)
	}
	if r.Fragment {
		add("fragment")
	}
	parts = append(parts, r.Filters...)
	if r.Txn != nil {
		add("%s", txn(r.Txn))
	}
	return strings.Join(parts, " ")
}

// txn shows the body of a transaction.
func txn(body *histories.Txn) string {
	var compares, then, otherwise []string
	for _, c := range body.Compares {
		compares = append(compares, fmt.Sprintf("%s(%s)%s%s", c.Target, c.Key.Name, c.Op, c.Value))
	}
	for _, request := range body.Then {
		then = append(then, call(request))
	}
	for _, request := range body.Else {
		otherwise = append(otherwise, call(request))
	}
	return fmt.Sprintf("(%s ? %s : %s)", strings.Join(compares, " "), strings.Join(then, "; "), strings.Join(otherwise, "; "))
}

// reply shows an answer.
func reply(a histories.Answer) string {
	parts := []string{string(a.Outcome)}
	if a.Error != nil {
		parts = append(parts, string(a.Error.Class))
	}
	if a.Revision != 0 {
		parts = append(parts, fmt.Sprintf("@%d", a.Revision))
	}
	for _, object := range a.Objects {
		parts = append(parts, fmt.Sprintf("%s@%d", object.Key.Name, object.RV))
	}
	if a.Lease != 0 {
		parts = append(parts, fmt.Sprintf("lease %d", a.Lease))
	}
	return strings.Join(parts, " ")
}

func noteLine(note histories.Note) string {
	return strings.TrimSpace(fmt.Sprintf("%s %d %s: %s", note.Kind, note.Line, note.Label, note.Text))
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimLeft(want, "\n"), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func withoutProgress(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, " progress ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
