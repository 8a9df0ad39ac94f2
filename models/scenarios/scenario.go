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
//	deadline 99 x1
//	set shared
//
// An object is key@revision#write, followed where it is not the first version of
// its key by /createRevision.version, and by ~lease where it is bound to one. An
// operation that did not return has "-" as its second time. A "+" at the end of an
// event says that its response goes on with the next line.
//
// The parts of a transaction are ?compare, !then and ~else; "took" says that the
// answer is of the then branch, and each result stands behind a slash of its own:
//
//	c1 1 2 txn ?mod(a)=2 !put(a,#5) !get(b) ~get(a) = ok @3 took / / b@2#2
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
		return fmt.Errorf("expected an operation, an event, a deadline or a setting")
	}
	if words[0] == "deadline" {
		return p.deadline(words[1:])
	}
	if id, ok := p.labels[words[0]]; ok && p.history.Stream(id) != nil {
		return p.event(p.history.Stream(id), words[1:])
	}
	return p.operation(words)
}

func (p *parser) set(words []string) error {
	for _, w := range words {
		if p.setKube(w) {
			continue
		}
		switch w {
		case "shared":
			p.history.Header.Exclusive = false
		case "open":
			p.history.Header.World = histories.Open
		default:
			return fmt.Errorf("unknown setting %q: expected kube, profile=, shared or open", w)
		}
	}
	return nil
}

// deadline notes that the operation with a label missed the run's deadline.
func (p *parser) deadline(words []string) error {
	op := p.history.Operation(p.labels[words[1]])
	if op == nil {
		return fmt.Errorf("no operation %q", words[1])
	}
	op.Line = op.ID
	p.history.Notes = append(p.history.Notes, histories.Note{Time: number(words[0]), Kind: "deadline", Label: words[1], Line: op.Line})
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
	if err := p.call(&op.Request, request); err != nil {
		return err
	}
	read := p.answer
	if p.isKube() {
		read = p.kubeAnswer
	}
	if err := read(&op, answer); err != nil {
		return err
	}
	p.history.Operations = append(p.history.Operations, op)
	if op.Request.Kind.OpensStream() {
		p.history.Streams = append(p.history.Streams, histories.Stream{Op: op.ID})
	}
	return nil
}

// call reads a kind and its arguments.
func (p *parser) call(r *histories.Request, words []string) error {
	r.Kind = histories.Kind(words[0])
	if !slices.Contains(histories.Kinds, r.Kind) {
		return fmt.Errorf("unknown operation %q", words[0])
	}
	for _, w := range words[1:] {
		if p.isKube() && p.kubeWord(r, w) || p.part(r, w) || p.flag(r, w) || p.option(r, w) {
			continue
		}
		p.object(r, w)
	}
	return nil
}

// part reads a part of a transaction.
func (p *parser) part(r *histories.Request, w string) bool {
	if r.Kind != histories.Transact {
		return false
	}
	if r.Txn == nil {
		r.Txn = &histories.Txn{}
	}
	if w[0] == '?' {
		target, rest, _ := strings.Cut(w[1:], "(")
		key, rest, _ := strings.Cut(rest, ")")
		r.Txn.Compares = append(r.Txn.Compares, histories.Compare{
			Key: histories.Key{Name: key}, Target: target, Op: rest[:1], Value: rest[1:],
		})
		return true
	}
	kind, arguments, _ := strings.Cut(strings.TrimSuffix(w[1:], ")"), "(")
	var nested histories.Request
	if err := p.call(&nested, append([]string{kind}, strings.Split(arguments, ",")...)); err != nil {
		panic("scenarios: fault of this program: " + err.Error())
	}
	if w[0] == '!' {
		r.Txn.Then = append(r.Txn.Then, nested)
	} else {
		r.Txn.Else = append(r.Txn.Else, nested)
	}
	return true
}

// flag reads an option without a value.
func (p *parser) flag(r *histories.Request, w string) bool {
	switch w {
	case "prev":
		r.PrevKV = true
	case "countOnly":
		r.CountOnly = true
	case "keysOnly":
		r.KeysOnly = true
	case "serializable":
		r.Serializable = true
	case histories.NoPut, histories.NoDelete:
		r.Filters = append(r.Filters, w)
	default:
		return false
	}
	return true
}

// option reads an option with a value.
func (p *parser) option(r *histories.Request, w string) bool {
	name, value, ok := strings.Cut(w, "=")
	if !ok {
		return false
	}
	switch name {
	case "rv":
		r.Expect, r.Conditional = revision(value), true
	case "at":
		r.Revision = revision(value)
	case "limit":
		r.Limit = number(value)
	case "from":
		r.Start, r.HasStart = value, true
	case "start":
		r.StartRevision = revision(value)
	case "of":
		r.Of = p.labels[value]
	case "lease":
		r.Lease = number(value)
	case "ttl":
		r.TTL = number(value)
	case "id":
		r.WatchID = number(value)
	case "on":
		r.Transport = value
	case "sort":
		target, order, _ := strings.Cut(value, ":")
		r.SortTarget, r.SortOrder = histories.SortTarget(target), histories.SortOrder(order)
	case "minMod":
		r.MinModRevision = revision(value)
	default:
		return false
	}
	return true
}

// object reads what a call is about: a write id, a key or a scope.
func (p *parser) object(r *histories.Request, w string) {
	scoped := r.Kind == histories.List || r.Kind == histories.Watch || r.Kind == histories.Next || r.Kind == histories.DeleteRange
	switch {
	case strings.HasPrefix(w, "#"):
		r.Write = histories.WriteID(w[1:])
	case w == "all":
	case strings.HasSuffix(w, "*"):
		r.Scope = histories.Scope{Shape: histories.Prefix, Key: histories.Key{Name: w[:len(w)-1]}}
	case scoped:
		r.Scope = histories.Scope{Shape: histories.Single, Key: histories.Key{Name: w}}
	default:
		r.Key = histories.Key{Name: w}
	}
}

// answer reads the answer of a call and, behind slashes, the results of its parts.
func (p *parser) answer(op *histories.Operation, words []string) error {
	op.Answer.Outcome = histories.Unknown
	parts := [][]string{nil}
	for _, w := range words {
		if w == "/" {
			parts = append(parts, nil)
			continue
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], w)
	}
	if err := tell(&op.Answer, parts[0]); err != nil {
		return err
	}
	for _, part := range parts[1:] {
		result := histories.Answer{Outcome: histories.OK, Revision: op.Answer.Revision}
		if err := tell(&result, part); err != nil {
			return err
		}
		op.Answer.Results = append(op.Answer.Results, result)
	}
	if op.Request.Kind == histories.Delete && op.Answer.Outcome == histories.OK && !says(words, "deleted=") {
		op.Answer.Deleted = 1
	}
	return nil
}

// says reports whether a word begins so.
func says(words []string, name string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, name) })
}

// tell reads the words of one answer. Its count is that of the objects unless the
// text says otherwise.
func tell(a *histories.Answer, words []string) error {
	for _, w := range words {
		if tellNumber(a, w) {
			continue
		}
		switch {
		case w == "ok" || w == "fail" || w == "unknown":
			a.Outcome = histories.Outcome(w)
		case w == "more":
			a.More = true
		case w == "took":
			a.Succeeded = true
		case strings.HasPrefix(w, "@"):
			a.Revision = revision(w[1:])
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
	if !says(words, "count=") && !says(words, "deleted=") {
		a.Count = int64(len(a.Objects))
	}
	return nil
}

func tellNumber(a *histories.Answer, w string) bool {
	name, value, ok := strings.Cut(w, "=")
	if !ok {
		return false
	}
	switch name {
	case "count":
		a.Count = number(value)
	case "deleted":
		a.Deleted = number(value)
	case "lease":
		a.Lease = number(value)
	case "ttl":
		a.TTL = number(value)
	case "granted":
		a.GrantedTTL = number(value)
	case "id":
		a.WatchID = number(value)
	case "version":
		a.Version = value
	default:
		return false
	}
	return true
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
	if p.isKube() {
		return kubeEvent(s, time, words[1:])
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

// object reads key@revision#write/create.version; the version may be "?".
func object(w string) (histories.Object, error) {
	name, rest, ok := strings.Cut(w, "@")
	if !ok {
		return histories.Object{}, fmt.Errorf("object %q: expected key@revision#write", w)
	}
	rest, lease, bound := strings.Cut(rest, "~")
	rest, meta, hasMeta := strings.Cut(rest, "/")
	at, write, _ := strings.Cut(rest, "#")
	o := histories.Object{Key: histories.Key{Name: name}, RV: revision(at), Write: histories.WriteID(write)}
	o.CreateRevision, o.Version = o.RV, 1
	if write != "" {
		o.Size = len(histories.EncodeValue(o.Write, nil, 0))
	}
	if bound {
		o.Lease = number(lease)
	}
	if hasMeta {
		created, version, _ := strings.Cut(meta, ".")
		o.CreateRevision, o.Version = revision(created), histories.NoVersion
		if version != "?" { // a store that counts none
			o.Version = number(version)
		}
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
