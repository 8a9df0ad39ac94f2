package agreement

import (
	"fmt"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// Print writes a history in a form that a person can read: a call a line, by
// time of call, and below them the streams.
func Print(h *histories.History) string {
	if h.Header.Layer == histories.KubeLayer {
		return printKube(h)
	}
	var b strings.Builder
	for i := range h.Operations {
		printOperation(&b, &h.Operations[i])
	}
	for i := range h.Streams {
		printStream(&b, &h.Streams[i])
	}
	return b.String()
}

func printOperation(b *strings.Builder, op *histories.Operation) {
	end := fmt.Sprint(op.Return)
	if op.Return == histories.Never {
		end = "…"
	}
	fmt.Fprintf(b, "%3d %s@%d [%d,%s] %s -> %s\n", op.ID, op.Client, op.Endpoint, op.Call, end,
		request(&op.Request), answer(&op.Answer))
}

func request(r *histories.Request) string {
	parts := []string{string(r.Kind)}
	add := func(wanted bool, format string, value any) {
		if wanted {
			parts = append(parts, fmt.Sprintf(format, value))
		}
	}
	add(r.Key.Name != "", "%q", r.Key.Name)
	add(r.Scope.Shape != histories.All, "%s", fmt.Sprintf("%s(%q,%q)", r.Scope.Shape, r.Scope.Key.Name, r.Scope.End))
	add(r.Write != "", "write=%s", r.Write)
	add(r.Conditional, "expect=%d", r.Expect)
	add(r.Revision != 0, "revision=%d", r.Revision)
	add(r.StartRevision != 0, "start=%d", r.StartRevision)
	add(r.Limit != 0, "limit=%d", r.Limit)
	add(r.HasStart, "from=%q", r.Start)
	add(r.Of != 0, "of=%d", r.Of)
	add(r.PrevKV, "%s", "prevKV")
	add(r.Serializable, "%s", "serializable")
	add(len(r.Filters) > 0, "%s", r.Filters)
	add(r.WatchID != 0, "id=%d", r.WatchID)
	if r.Txn != nil {
		parts = append(parts, transaction(r.Txn))
	}
	return strings.Join(parts, " ")
}

func transaction(t *histories.Txn) string {
	text := "if"
	for _, c := range t.Compares {
		text += fmt.Sprintf(" %s(%q)%s%s", c.Target, c.Key.Name, c.Op, c.Value)
	}
	for i, branch := range [][]histories.Request{t.Then, t.Else} {
		text += [...]string{" then", " else"}[i]
		for k := range branch {
			text += " (" + request(&branch[k]) + ")"
		}
	}
	return text
}

func answer(a *histories.Answer) string {
	text := string(a.Outcome)
	if a.Error != nil {
		text += " " + string(a.Error.Class)
	}
	if a.Revision != 0 {
		text += fmt.Sprintf(" @%d", a.Revision)
	}
	for i := range a.Objects {
		text += " " + object(&a.Objects[i])
	}
	if a.Count != 0 || a.More {
		text += fmt.Sprintf(" count=%d more=%v", a.Count, a.More)
	}
	if a.WatchID != 0 {
		text += fmt.Sprintf(" id=%d", a.WatchID)
	}
	if a.Deleted != 0 {
		text += fmt.Sprintf(" deleted=%d", a.Deleted)
	}
	if len(a.Results) > 0 || a.Succeeded {
		text += fmt.Sprintf(" succeeded=%v", a.Succeeded)
	}
	for i := range a.Results {
		text += " (" + answer(&a.Results[i]) + ")"
	}
	return text
}

func object(o *histories.Object) string {
	return fmt.Sprintf("%q:%s@%d(c%d v%d)", o.Key.Name, o.Write, o.RV, o.CreateRevision, o.Version)
}

func printStream(b *strings.Builder, s *histories.Stream) {
	fmt.Fprintf(b, "stream %d\n", s.Op)
	for i := range s.Events {
		e := &s.Events[i]
		fmt.Fprintf(b, "    [%d] #%d @%d %s", e.Time, e.Batch, e.Header, e.Type)
		if e.Type != histories.ProgressEvent {
			fmt.Fprintf(b, " %s", object(&e.Object))
		}
		if e.Prev != nil {
			fmt.Fprintf(b, " prev %s", object(e.Prev))
		}
		fmt.Fprintln(b)
	}
	if s.End != nil {
		fmt.Fprintf(b, "    [%d] end %s compactRevision=%d @%d\n", s.End.Time, s.End.Reason, s.End.CompactRevision, s.End.Header)
	}
}
