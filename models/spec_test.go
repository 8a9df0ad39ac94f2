package models

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rvcheck/rvcheck/histories"
)

// TestSpecification runs the transcripts in testdata/spec. A command is a
// request. Without an answer below it, it is performed, and the answer is what
// the specification gives; that answer must also be allowed as a step and lead
// to an equal state. With an answer, the specification says whether it is
// allowed. `open` takes a write of unknown outcome as having taken effect.
func TestSpecification(t *testing.T) {
	datadriven.Walk(t, "testdata/spec", func(t *testing.T, path string) {
		s := &script{states: []*State{Empty()}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return s.run(t, d)
		})
	})
}

type script struct {
	states    []*State
	operation int
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "empty":
		s.states = []*State{Empty()}
		return s.show()
	case "state":
		return s.show()
	case "effects":
		return s.effects(t, d)
	case "prior":
		s.states = []*State{s.states[0].WithPriorCompaction(number(t, d, "up-to"))}
		return s.show()
	case "others-compact":
		s.states = []*State{s.states[0].WithForeignCompactions()}
		return s.show()
	}
	s.operation++
	request := parseRequest(t, d)
	switch {
	case d.HasArg("open"):
		return s.step(request, histories.Answer{Outcome: histories.Unknown})
	case d.Input != "":
		return s.step(request, parseAnswer(t, d))
	default:
		return s.apply(t, d, request)
	}
}

func (s *script) apply(t *testing.T, d *datadriven.TestData, request histories.Request) string {
	revision := s.states[0].Newest() + 1
	if d.HasArg("at") {
		revision = number(t, d, "at")
	}
	before := s.states[0]
	after, answer := before.Apply(request, revision)
	stepped, reason := before.Step(request, answer)
	if reason != "" {
		d.Fatalf(t, "the specification refuses its own answer: %s", reason)
	}
	if !stepped.Equal(after) || stepped.Hash() != after.Hash() {
		d.Fatalf(t, "performing it and stepping over it lead to different states")
	}
	s.states = []*State{after}
	return formatAnswer(answer)
}

func (s *script) step(request histories.Request, answer histories.Answer) string {
	call := NewCall(s.operation, &request, &answer)
	var branches []*State
	var refusal Refusal
	for _, state := range s.states {
		next, r := state.Branches(call)
		branches, refusal = append(branches, next...), r
	}
	if len(branches) == 0 {
		return fmt.Sprintf("refused: %s: %s\n", refusal.Property, refusal)
	}
	s.states = branches
	return "allowed\n" + s.intervals()
}

// intervals shows the open writes of each branch.
func (s *script) intervals() string {
	var b strings.Builder
	for _, state := range s.states {
		for _, i := range state.open {
			high := i.high.String()
			if i.high == unbounded {
				high = "∞"
			}
			fmt.Fprintf(&b, "write %d in [%s, %s]  ", i.operation, i.low, high)
		}
		if len(state.open) > 0 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func (s *script) show() string {
	state := s.states[0]
	var b strings.Builder
	fmt.Fprintf(&b, "newest=%s compacted=%s\n", state.Newest(), state.Compacted())
	for o := range state.Now().All() {
		b.WriteString(formatObject(o))
	}
	return b.String()
}

func (s *script) effects(t *testing.T, d *datadriven.TestData) string {
	var b strings.Builder
	for _, e := range s.states[0].Effects(number(t, d, "from")) {
		verb, before := "put", "absent"
		if e.Deleted {
			verb = "delete"
		}
		if e.Prev != nil {
			before = string(e.Prev.Write)
		}
		fmt.Fprintf(&b, "%s %s %q %s before=%s\n", e.Revision, verb, e.Key.Name, e.Object.Write, before)
	}
	return b.String()
}

func parseRequest(t *testing.T, d *datadriven.TestData) histories.Request {
	r := histories.Request{Kind: histories.Kind(d.Cmd)}
	for _, arg := range d.CmdArgs {
		value := strings.Join(arg.Vals, ",")
		switch arg.Key {
		case "key":
			r.Key.Name = unquote(value)
		case "write":
			r.Write = histories.WriteID(value)
		case "size":
			r.Size = int(parse(t, value))
		case "expect":
			r.Expect, r.Conditional = histories.Revision(parse(t, value)), true
		case "revision":
			r.Revision = histories.Revision(parse(t, value))
		case "limit":
			r.Limit = parse(t, value)
		case "start":
			r.Start, r.HasStart = unquote(value), true
		case "prefix":
			r.Scope = histories.Scope{Shape: histories.Prefix, Key: histories.Key{Name: unquote(value)}}
		case "single":
			r.Scope = histories.Scope{Shape: histories.Single, Key: histories.Key{Name: unquote(value)}}
		case "from":
			r.Scope.Shape, r.Scope.Key.Name = histories.Range, unquote(value)
		case "to":
			r.Scope.End = unquote(value)
		case "serializable":
			r.Serializable = true
		case "countOnly":
			r.CountOnly = true
		case "keysOnly":
			r.KeysOnly = true
		case "lease":
			r.Lease = parse(t, value)
		case "at", "open":
		default:
			d.Fatalf(t, "unknown argument %q", arg.Key)
		}
	}
	return r
}

// parseAnswer reads the form that formatAnswer writes.
func parseAnswer(t *testing.T, d *datadriven.TestData) histories.Answer {
	lines := strings.Split(strings.TrimSpace(d.Input), "\n")
	words := strings.Fields(lines[0])
	a := histories.Answer{Outcome: histories.Outcome(words[0])}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "header":
			a.Revision = histories.Revision(parse(t, value))
		case "count":
			a.Count = parse(t, value)
		case "deleted":
			a.Deleted = parse(t, value)
		case "more":
			a.More = true
		default:
			a.Error = &histories.Error{Class: histories.ErrorClass(name)}
		}
	}
	for _, line := range lines[1:] {
		a.Objects = append(a.Objects, parseObject(t, line))
	}
	return a
}

func parseObject(t *testing.T, line string) histories.Object {
	words := strings.Fields(line)
	o := histories.Object{
		Key: histories.Key{Name: unquote(words[0])}, Write: histories.WriteID(words[1]),
		RV: histories.Revision(parse(t, words[2])), CreateRevision: histories.Revision(parse(t, words[3])),
		Version: parse(t, words[4]),
	}
	o.Size = len(histories.EncodeValue(o.Write, nil, 0))
	return o
}

func formatAnswer(a histories.Answer) string {
	var b strings.Builder
	b.WriteString(string(a.Outcome))
	if a.Error != nil {
		fmt.Fprintf(&b, " %s", a.Error.Class)
	}
	if a.Revision != 0 {
		fmt.Fprintf(&b, " header=%s", a.Revision)
	}
	if a.Count != 0 {
		fmt.Fprintf(&b, " count=%d", a.Count)
	}
	if a.More {
		b.WriteString(" more")
	}
	if a.Deleted != 0 {
		fmt.Fprintf(&b, " deleted=%d", a.Deleted)
	}
	b.WriteString("\n")
	for _, o := range a.Objects {
		b.WriteString(formatObject(o))
	}
	return b.String()
}

// formatObject writes key, write id, RV, create revision and version.
func formatObject(o histories.Object) string {
	write := string(o.Write)
	if write == "" {
		write = "-"
	}
	return fmt.Sprintf("%s %s %s %s %d\n", quote(o.Key.Name), write, o.RV, o.CreateRevision, o.Version)
}

func quote(name string) string {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz/") != "" {
		return strconv.Quote(name)
	}
	return name
}

func unquote(text string) string {
	if name, err := strconv.Unquote(text); err == nil {
		return name
	}
	return text
}

func parse(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func number(t *testing.T, d *datadriven.TestData, name string) histories.Revision {
	t.Helper()
	var text string
	d.ScanArgs(t, name, &text)
	return histories.Revision(parse(t, text))
}
