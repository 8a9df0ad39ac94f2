package memory

import (
	"context"
	"fmt"
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
//	w1 watch a/* from=2    a watch is opened; also with prev, on=x id=7 noput nodelete
//	w1 take                it delivers all that it can, and so do the others on=x
//	w1 once                it delivers one response
//	w1 progress            progress is asked for
//	w1 cancel              the client cancels it
//	expire 7               the time of a lease is over
//
// An operation is a kind, a key or scope (all, a/*, a), and options: rv=, revision=,
// limit=, start=, lease=, ttl=, sort=mod:descend, minMod=, countOnly and so on. A
// transaction is
//
//	txn if mod(a)=2 then put a ; get b else deleterange b/*
type stage struct {
	store   *store
	clients map[string]*client
	calls   map[string]*call
	answers map[string]histories.Answer
	watches map[string]*watch
	// inbox holds what watches were given and have not shown yet.
	inbox map[*watch][]string
	// reached is the revision of the last event that a watch was given.
	reached map[*watch]histories.Revision
	writes  int
}

func newStage(m Mutant) *stage {
	return &stage{
		store:   newStore("stage", Options{Probability: 1}, m.make()),
		clients: map[string]*client{}, calls: map[string]*call{}, answers: map[string]histories.Answer{}, watches: map[string]*watch{},
		inbox: map[*watch][]string{}, reached: map[*watch]histories.Revision{},
	}
}

// play plays one line and returns what is to be seen.
func (s *stage) play(t *testing.T, line string) string {
	t.Helper()
	who, what, _ := strings.Cut(line, " ")
	if who == "expire" {
		s.store.mu.Lock()
		defer s.store.mu.Unlock()
		s.store.endLease(s.store.now(true), int64(number(what)))
		return fmt.Sprintf("revision=%d", s.store.state.Newest())
	}
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
		return s.take(name, 20)
	case "once":
		return s.take(name, 1)
	case "progress":
		s.watches[name].transport.ask()
		return ""
	case "cancel":
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.watches[name].ctx = ctx
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
	r := s.request(t, what)
	client := name
	if r.Transport != "" {
		client = "client of " + r.Transport
	}
	w, answer := s.store.open(s.client(client), r, nil)
	s.watches[name] = w
	return showAnswer(answer)
}

// take delivers on the watch's transport stream until nothing is left, at most so
// many batches a watch, and returns what the watch was given.
func (s *stage) take(name string, most int) string {
	w := s.watches[name]
	for some, n := true, 0; some && n < most; n++ {
		some = false
		open, _ := w.transport.open()
		for _, each := range open {
			batch, end := s.store.take(each)
			some = some || end != nil || len(batch) > 0
			s.give(each, batch, end)
		}
	}
	shown := s.inbox[w]
	delete(s.inbox, w)
	if len(shown) == 0 {
		return "nothing"
	}
	return strings.Join(shown, "; ")
}

func (s *stage) give(w *watch, batch []histories.Event, end *histories.End) {
	if end != nil {
		s.inbox[w] = append(s.inbox[w], fmt.Sprintf("end %s compacted=%d", end.Reason, end.CompactRevision))
	}
	if len(batch) == 0 {
		return
	}
	receiver := s.store.receiver(w)
	for i, e := range batch {
		shown := showEvent(e)
		if i == 0 && e.Object.RV == s.reached[receiver] && e.Type != histories.ProgressEvent {
			shown = "in another response " + shown
		}
		s.inbox[receiver], s.reached[receiver] = append(s.inbox[receiver], shown), e.Object.RV
	}
}

func (s *stage) client(name string) *client {
	if s.clients[name] == nil {
		s.clients[name] = newClient(s.store, name)
	}
	return s.clients[name]
}
