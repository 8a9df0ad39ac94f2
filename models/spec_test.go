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
// allowed. `open` takes a write of unknown outcome as having taken effect, `seen` one
// whose answer was lost and which somebody saw at a revision.
//
// The lines of a transaction begin with if, then or else, those of one inside it
// with a dot; those of its results begin with >.
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
	case "expire":
		state := s.states[0]
		s.states = []*State{state.Expire(int64(number(t, d, "lease")), state.Newest()+1)}
		return s.show()
	case "members-lag":
		s.states = []*State{s.states[0].WithLaggingMembers()}
		return s.show()
	case "others-compact":
		s.states = []*State{s.states[0].WithForeignCompactions()}
		return s.show()
	}
	s.operation++
	request := parseRequest(t, d.Cmd, d.CmdArgs)
	body, told := cutTxn(lines(d.Input))
	if request.Kind == histories.Transact {
		request.Txn = parseTxn(t, body)
	}
	switch {
	case d.HasArg("open"):
		return s.step(NewCall(s.operation, &request, &histories.Answer{Outcome: histories.Unknown}))
	case d.HasArg("seen"):
		return s.step(NewSeenCall(s.operation, &request, number(t, d, "seen")))
	case len(told) > 0:
		answer := parseAnswer(t, told)
		return s.step(NewCall(s.operation, &request, &answer))
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

func (s *script) step(call *Call) string {
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
	for _, l := range state.Leases() {
		fmt.Fprintf(&b, "lease %d for %ds holds %v\n", l.ID, l.TTL, names(state.Attached(l.ID)))
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

func parseRequest(t *testing.T, command string, args []datadriven.CmdArg) histories.Request {
	r := histories.Request{Kind: histories.Kind(command)}
	for _, arg := range args {
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
		case "sort":
			target, order, _ := strings.Cut(value, ":")
			r.SortTarget, r.SortOrder = histories.SortTarget(target), histories.SortOrder(order)
		case "minMod":
			r.MinModRevision = histories.Revision(parse(t, value))
		case "maxMod":
			r.MaxModRevision = histories.Revision(parse(t, value))
		case "minCreate":
			r.MinCreateRevision = histories.Revision(parse(t, value))
		case "maxCreate":
			r.MaxCreateRevision = histories.Revision(parse(t, value))
		case "prev":
			r.PrevKV = true
		case "lease":
			r.Lease = parse(t, value)
		case "ttl":
			r.TTL = parse(t, value)
		case "at", "open", "seen":
		default:
			t.Fatalf("unknown argument %q", arg.Key)
		}
	}
	return r
}

func lines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}

// cutTxn takes the lines of a transaction off.
func cutTxn(lines []string) (body, rest []string) {
	n := 0
	for n < len(lines) {
		first, _, _ := strings.Cut(lines[n], " ")
		if first != "if" && first != "then" && first != "else" && first != "." {
			break
		}
		n++
	}
	return lines[:n], lines[n:]
}

// parseTxn reads "if mod(a) = 2", "then put key=a write=one" and "else get key=a".
func parseTxn(t *testing.T, lines []string) *histories.Txn {
	txn := &histories.Txn{}
	for i := 0; i < len(lines); {
		word, rest, _ := strings.Cut(lines[i], " ")
		i++
		if word == "if" {
			txn.Compares = append(txn.Compares, parseCompare(t, rest))
			continue
		}
		command, args, err := datadriven.ParseLine(rest)
		if err != nil {
			t.Fatal(err)
		}
		request := parseRequest(t, command, args)
		var inside []string
		for ; i < len(lines) && strings.HasPrefix(lines[i], ". "); i++ {
			inside = append(inside, lines[i][2:])
		}
		if request.Kind == histories.Transact {
			request.Txn = parseTxn(t, inside)
		}
		if word == "then" {
			txn.Then = append(txn.Then, request)
		} else {
			txn.Else = append(txn.Else, request)
		}
	}
	return txn
}

func parseCompare(t *testing.T, text string) histories.Compare {
	words := strings.Fields(text)
	target, key, found := strings.Cut(strings.TrimSuffix(words[0], ")"), "(")
	if !found || len(words) != 3 {
		t.Fatalf("%q is no condition", text)
	}
	return histories.Compare{Target: target, Key: histories.Key{Name: unquote(key)}, Op: words[1], Value: words[2]}
}

// parseAnswer reads the form that formatAnswer writes.
func parseAnswer(t *testing.T, lines []string) histories.Answer {
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
		case "succeeded":
			a.Succeeded = true
		case "lease":
			a.Lease = parse(t, value)
		case "ttl":
			a.TTL = parse(t, value)
		case "granted":
			a.GrantedTTL = parse(t, value)
		case "keys":
			for _, key := range strings.Split(value, ",") {
				a.Keys = append(a.Keys, histories.Key{Name: unquote(key)})
			}
		default:
			a.Error = &histories.Error{Class: histories.ErrorClass(name)}
		}
	}
	parseRest(t, &a, lines[1:])
	return a
}

// parseRest reads the objects and the results of an answer.
func parseRest(t *testing.T, a *histories.Answer, lines []string) {
	var result []string
	flush := func() {
		if len(result) > 0 {
			a.Results = append(a.Results, parseAnswer(t, result))
		}
		result = nil
	}
	for _, line := range lines {
		inside, ok := strings.CutPrefix(line, "> ")
		if !ok {
			a.Objects = append(a.Objects, parseObject(t, line))
			continue
		}
		if strings.HasPrefix(inside, "ok") || strings.HasPrefix(inside, "unknown") {
			flush()
		}
		result = append(result, inside)
	}
	flush()
}

func parseObject(t *testing.T, line string) histories.Object {
	words := strings.Fields(line)
	o := histories.Object{
		Key: histories.Key{Name: unquote(words[0])}, Write: histories.WriteID(words[1]),
		RV: histories.Revision(parse(t, words[2])), CreateRevision: histories.Revision(parse(t, words[3])),
		Version: parse(t, words[4]),
	}
	if o.Write == "-" {
		o.Write = ""
	} else {
		o.Size = len(histories.EncodeValue(o.Write, nil, 0))
	}
	for _, word := range words[5:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "lease":
			o.Lease = parse(t, value)
		case "size":
			o.Size = int(parse(t, value))
		}
	}
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
	if a.Succeeded {
		b.WriteString(" succeeded")
	}
	if a.Lease != 0 {
		fmt.Fprintf(&b, " lease=%d ttl=%d", a.Lease, a.TTL)
	}
	if a.GrantedTTL != 0 {
		fmt.Fprintf(&b, " granted=%d", a.GrantedTTL)
	}
	if len(a.Keys) > 0 {
		fmt.Fprintf(&b, " keys=%s", strings.Join(names(a.Keys), ","))
	}
	b.WriteString("\n")
	for _, o := range a.Objects {
		b.WriteString(formatObject(o))
	}
	for _, result := range a.Results {
		for _, line := range lines(formatAnswer(result)) {
			fmt.Fprintf(&b, "> %s\n", line)
		}
	}
	return b.String()
}

func names(keys []histories.Key) []string {
	all := make([]string, len(keys))
	for i, key := range keys {
		all[i] = quote(key.Name)
	}
	return all
}

// formatObject writes key, write id, RV, create revision and version.
func formatObject(o histories.Object) string {
	write := string(o.Write)
	if write == "" {
		write = "-"
	}
	text := fmt.Sprintf("%s %s %s %s %d", quote(o.Key.Name), write, o.RV, o.CreateRevision, o.Version)
	if o.Lease != 0 {
		text += fmt.Sprintf(" lease=%d", o.Lease)
	}
	return text + "\n"
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
