package memory

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
)

// stage plays a script on one store, step by step and without goroutines. Its lines are
//
//	c1 create a            a call from its beginning to its end
//	c1> create a           a call comes in,
//	c1!                    takes effect,
//	c1<                    and is answered
//	w1 watch a/* from=2    a watch is opened; also with prev
//	w1 take                it delivers all that it can
//	w1 progress            progress is asked for
//
// An operation is a kind, a key or scope (all, a/*, a), and options: rv=, revision=,
// limit=, start=, of=.
type stage struct {
	store   *store
	clients map[string]*client
	calls   map[string]*call
	answers map[string]histories.Answer
	watches map[string]*watch
	writes  int
}

func newStage(m Mutant) *stage {
	return &stage{
		store:   newStore("stage", Options{Probability: 1}, m.make()),
		clients: map[string]*client{}, calls: map[string]*call{}, answers: map[string]histories.Answer{}, watches: map[string]*watch{},
	}
}

// play plays one line and returns what is to be seen.
func (s *stage) play(t *testing.T, line string) string {
	t.Helper()
	who, what, _ := strings.Cut(line, " ")
	name := strings.TrimRight(who, ">!<")
	switch who[len(name):] {
	case ">":
		s.begin(t, name, what)
		return ""
	case "!":
		s.answers[name] = s.store.step(s.calls[name])
		return ""
	case "<":
		return s.finish(name)
	}
	switch fields := strings.Fields(what); fields[0] {
	case "watch":
		return s.open(t, name, what)
	case "take":
		return s.take(name)
	case "progress":
		s.watches[name].ask()
		return ""
	}
	s.begin(t, name, what)
	s.answers[name] = s.store.step(s.calls[name])
	return s.finish(name)
}

func (s *stage) begin(t *testing.T, name, what string) {
	t.Helper()
	s.calls[name] = s.store.begin(s.client(name), s.request(t, what))
}

func (s *stage) finish(name string) string {
	answer := s.answers[name]
	s.store.finish(s.calls[name], &answer)
	return showAnswer(answer)
}

func (s *stage) open(t *testing.T, name, what string) string {
	t.Helper()
	w, answer := s.store.open(s.client(name), s.request(t, what), nil)
	s.watches[name] = w
	return showAnswer(answer)
}

// take delivers until nothing is left, at most 20 batches.
func (s *stage) take(name string) string {
	var parts []string
	for range 20 {
		batch, end := s.store.take(context.Background(), s.watches[name])
		if end != nil {
			return strings.Join(append(parts, fmt.Sprintf("end %s compacted=%d", end.Reason, end.CompactRevision)), "; ")
		}
		if len(batch) == 0 {
			break
		}
		for _, e := range batch {
			parts = append(parts, showEvent(e))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, "; ")
}

func (s *stage) client(name string) *client {
	if s.clients[name] == nil {
		s.clients[name] = newClient(s.store, name)
	}
	return s.clients[name]
}

// request reads an operation. Each write has an id of its own, w1, w2, …
func (s *stage) request(t *testing.T, what string) histories.Request {
	t.Helper()
	fields := strings.Fields(what)
	r := histories.Request{Kind: histories.Kind(fields[0])}
	if r.Kind.IsWrite() && r.Kind != histories.Delete {
		s.writes++
		r.Write = histories.WriteID(fmt.Sprintf("w%d", s.writes))
	}
	for _, field := range fields[1:] {
		name, value, option := strings.Cut(field, "=")
		if !option {
			s.aim(&r, field)
			continue
		}
		set(t, &r, name, value)
	}
	return r
}

// aim sets the key or the scope.
func (s *stage) aim(r *histories.Request, field string) {
	key := histories.Key{Name: strings.TrimSuffix(field, "*")}
	switch {
	case field == "prev":
		r.PrevKV = true
	case r.Kind == histories.Compact:
		r.Revision = number(field)
	case r.Kind != histories.List && r.Kind != histories.Next && r.Kind != histories.Watch:
		r.Key = key
	case field == "all":
	case strings.HasSuffix(field, "*"):
		r.Scope = histories.Scope{Shape: histories.Prefix, Key: key}
	default:
		r.Scope = histories.Scope{Shape: histories.Single, Key: key}
	}
}

func set(t *testing.T, r *histories.Request, name, value string) {
	t.Helper()
	switch name {
	case "rv":
		r.Expect, r.Conditional = number(value), true
	case "revision":
		r.Revision = number(value)
	case "from":
		r.StartRevision = number(value)
	case "limit":
		r.Limit = int64(number(value))
	case "start":
		r.Start, r.HasStart = value, true
	default:
		t.Fatalf("unknown option %s", name)
	}
}

func number(text string) histories.Revision {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return histories.Revision(n)
}

func showAnswer(a histories.Answer) string {
	text := fmt.Sprintf("%s revision=%d", a.Outcome, a.Revision)
	if a.Error != nil {
		text += " " + string(a.Error.Class)
	}
	for _, o := range a.Objects {
		text += " " + showObject(o)
	}
	if a.Count != 0 {
		text += fmt.Sprintf(" count=%d", a.Count)
	}
	if a.More {
		text += " more"
	}
	if a.Deleted != 0 {
		text += fmt.Sprintf(" deleted=%d", a.Deleted)
	}
	return text
}

func showObject(o histories.Object) string {
	text := fmt.Sprintf("%s@%d", o.Key.Name, o.RV)
	if o.Write != "" {
		text += fmt.Sprintf("(%s v%d)", o.Write, o.Version)
	}
	return text
}

func showEvent(e histories.Event) string {
	if e.Type == histories.ProgressEvent {
		return fmt.Sprintf("progress %d", e.Header)
	}
	text := string(e.Type) + " " + showObject(e.Object)
	if e.Prev != nil {
		text += " prev " + showObject(*e.Prev)
	}
	return text
}
