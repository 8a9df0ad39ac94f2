// Package scenarios writes small histories as text, for the transcripts that show
// what each property permits and what it refuses, and for examples in reports.
//
// A line is an operation, an event or a setting; times are whatever orders them:
//
//	c1 10 20 a1: create a #1 = ok @2
//	c2 12 30 list limit=2 = ok @3 a@2#1 b@3#2 count=3 more
//	c1 31 32 d1: delete a rv=2 = fail @5 conflict a@4#3/2.2
//	c1 33 34 w1: watch start=2 prev = ok @5
//	w1 40 put a@2#1 h=5 +
//	w1 40 delete a@3 h=5 prev=a@2#1
//	w1 41 progress 5
//	w1 42 end compacted 7
//	set shared
//
// An object is key@revision#write, followed where it is not the first version of
// its key by /createRevision.version. An operation that did not return has "-" as
// its second time. A "+" at the end of an event says that its response goes on
// with the next line.
package scenarios

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// Files are the transcripts, one a group of properties.
//
//go:embed *.txt
var Files embed.FS

// Parse reads a history from its short form.
func Parse(text string) (*histories.History, error) {
	p := &parser{history: &histories.History{Header: histories.Header{
		Format: histories.FormatVersion, Layer: histories.EtcdLayer, World: histories.Closed, Exclusive: true,
	}}, labels: map[string]int{}}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		if err := p.line(strings.Fields(line)); err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", n+1, line, err)
		}
	}
	slices.SortStableFunc(p.history.Streams, func(a, b histories.Stream) int { return a.Op - b.Op })
	return p.history, nil
}

type parser struct {
	history *histories.History
	labels  map[string]int
}

func (p *parser) line(words []string) error {
	if words[0] == "set" {
		return p.set(words[1:])
	}
	if len(words) < 3 {
		return fmt.Errorf("expected an operation, an event or a setting")
	}
	if id, ok := p.labels[words[0]]; ok && p.history.Stream(id) != nil {
		return p.event(p.history.Stream(id), words[1:])
	}
	return p.operation(words)
}

func (p *parser) set(words []string) error {
	for _, w := range words {
		switch w {
		case "shared":
			p.history.Header.Exclusive = false
		case "open":
			p.history.Header.World = histories.Open
		default:
			return fmt.Errorf("unknown setting %q: expected shared or open", w)
		}
	}
	return nil
}

func (p *parser) operation(words []string) error {
	op := histories.Operation{ID: len(p.history.Operations) + 1, Client: words[0], Endpoint: 1}
	if client, endpoint, ok := strings.Cut(words[0], "@"); ok {
		op.Client = client
		op.Endpoint, _ = strconv.Atoi(endpoint)
	}
	op.Call = number(words[1])
	op.Return = histories.Never
	if words[2] != "-" {
		op.Return = number(words[2])
	}
	rest := words[3:]
	if label, ok := strings.CutSuffix(rest[0], ":"); ok {
		op.Label = label
		p.labels[label] = op.ID
		rest = rest[1:]
	}
	request, answer := rest, []string(nil)
	if at := slices.Index(rest, "="); at >= 0 {
		request, answer = rest[:at], rest[at+1:]
	}
	if err := p.request(&op, request); err != nil {
		return err
	}
	if err := p.answer(&op, answer); err != nil {
		return err
	}
	p.history.Operations = append(p.history.Operations, op)
	if op.Request.Kind == histories.Watch {
		p.history.Streams = append(p.history.Streams, histories.Stream{Op: op.ID})
	}
	return nil
}

func (p *parser) request(op *histories.Operation, words []string) error {
	r := &op.Request
	r.Kind = histories.Kind(words[0])
	if !slices.Contains(histories.Kinds, r.Kind) {
		return fmt.Errorf("unknown operation %q", words[0])
	}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		switch {
		case strings.HasPrefix(w, "#"):
			r.Write = histories.WriteID(w[1:])
		case name == "rv":
			r.Expect, r.Conditional = revision(value), true
		case name == "at":
			r.Revision = revision(value)
		case name == "limit":
			r.Limit = number(value)
		case name == "from":
			r.Start, r.HasStart = value, true
		case name == "start":
			r.StartRevision = revision(value)
		case name == "of":
			r.Of = p.labels[value]
		case w == "prev":
			r.PrevKV = true
		case strings.HasSuffix(w, "*"):
			r.Scope = histories.Scope{Shape: histories.Prefix, Key: histories.Key{Name: w[:len(w)-1]}}
		case r.Kind == histories.List || r.Kind == histories.Watch || r.Kind == histories.Next:
			r.Scope = histories.Scope{Shape: histories.Single, Key: histories.Key{Name: w}}
		default:
			r.Key = histories.Key{Name: w}
		}
	}
	return nil
}

func (p *parser) answer(op *histories.Operation, words []string) error {
	a := &op.Answer
	a.Outcome = histories.Unknown
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch {
		case w == "ok" || w == "fail" || w == "unknown":
			a.Outcome = histories.Outcome(w)
		case strings.HasPrefix(w, "@"):
			a.Revision = revision(w[1:])
		case name == "count":
			a.Count = number(value)
		case w == "more":
			a.More = true
		case name == "deleted":
			a.Deleted = number(value)
		case strings.Contains(w, "@"):
			o, err := object(w)
			if err != nil {
				return err
			}
			a.Objects = append(a.Objects, o)
		default:
			a.Error = &histories.Error{Class: histories.ErrorClass(w)}
		}
	}
	p.defaults(op, words)
	return nil
}

// defaults fills in what an answer says when the text does not: the count of what
// was returned, one deleted key.
func (p *parser) defaults(op *histories.Operation, words []string) {
	told := func(name string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, name) })
	}
	a := &op.Answer
	if !told("count=") {
		a.Count = int64(len(a.Objects))
	}
	if op.Request.Kind == histories.Delete && a.Outcome == histories.OK && !told("deleted=") {
		a.Deleted = 1
	}
}

func (p *parser) event(s *histories.Stream, words []string) error {
	time := number(words[0])
	if words[1] == "end" {
		s.End = &histories.End{Time: time, Reason: histories.EndReason(words[2])}
		if len(words) > 3 {
			s.End.CompactRevision = revision(words[3])
		}
		return nil
	}
	e := histories.Event{Type: histories.EventType(words[1]), Time: time, Batch: 1, Last: true, Transport: "t1"}
	if n := len(s.Events); n > 0 {
		e.Batch = s.Events[n-1].Batch
		if s.Events[n-1].Last {
			e.Batch++
		}
	}
	if e.Type == histories.ProgressEvent {
		e.Header = revision(words[2])
		s.Events = append(s.Events, e)
		return nil
	}
	o, err := object(words[2])
	if err != nil {
		return err
	}
	e.Object, e.Header = o, o.RV
	if e.Type == histories.DeleteEvent && o.Write == "" {
		e.Object = histories.Object{Key: o.Key, RV: o.RV}
	}
	for _, w := range words[3:] {
		switch {
		case w == "+":
			e.Last = false
		case strings.HasPrefix(w, "h="):
			e.Header = revision(w[2:])
		case strings.HasPrefix(w, "prev="):
			prev, err := object(w[5:])
			if err != nil {
				return err
			}
			e.Prev = &prev
		default:
			return fmt.Errorf("unknown word %q of an event", w)
		}
	}
	s.Events = append(s.Events, e)
	return nil
}

// object reads key@revision#write/create.version.
func object(w string) (histories.Object, error) {
	name, rest, ok := strings.Cut(w, "@")
	if !ok {
		return histories.Object{}, fmt.Errorf("object %q: expected key@revision#write", w)
	}
	rest, meta, hasMeta := strings.Cut(rest, "/")
	at, write, _ := strings.Cut(rest, "#")
	o := histories.Object{Key: histories.Key{Name: name}, RV: revision(at), Write: histories.WriteID(write)}
	o.CreateRevision, o.Version = o.RV, 1
	if hasMeta {
		created, version, _ := strings.Cut(meta, ".")
		o.CreateRevision, o.Version = revision(created), number(version)
	}
	return o, nil
}

func revision(s string) histories.Revision { return histories.Revision(number(s)) }

// number reads a number; scenario files are part of the program, so that a bad
// one is a fault of the program.
func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("scenarios: fault of this program: %q is no number", s))
	}
	return n
}
