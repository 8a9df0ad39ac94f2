package linear

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/rvcheck/rvcheck/histories"
)

// TestJudge runs the transcripts in testdata: a history and the verdict below it.
// A line is a call: client, from-to, request, "->", answer. An object is written
// key=write@RV/create revision/version, and /lease where there is one. A call
// that ends at "-" did not return.
// `seen` is an event that some stream showed. A transaction is written
//
//	txn if mod(a)=2 then put a x ; get b else get a
//
// and the results of its operations follow its answer, after semicolons. A word
// ttl=N of a lease call is in seconds, the times are in seconds too.
func TestJudge(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			h := parseHistory(t, d)
			return verdict(Judge(h, Options{}))
		})
	})
}

func verdict(r Result) string {
	switch r.Verdict {
	case Violated:
		order := fmt.Sprint(r.Order)
		return fmt.Sprintf("violated: %s by %v after %s\n%s\n%s\n", r.Finding.Property, r.Finding.Operations, order, r.Finding.Observed, r.Finding.Explanation)
	case Inconclusive:
		return "inconclusive: " + r.Reason + "\n"
	default:
		return "ok\n"
	}
}

func parseHistory(t *testing.T, d *datadriven.TestData) *histories.History {
	h := &histories.History{Header: histories.Header{
		Layer: histories.EtcdLayer, World: histories.Closed, Exclusive: !d.HasArg("shared"),
	}}
	if d.HasArg("open") {
		h.Header.World = histories.Open
	}
	if d.HasArg("uncertain") {
		h.Header.ClockUncertainty = 2 * int64(time.Second)
	}
	for line := range strings.SplitSeq(d.Input, "\n") {
		words := strings.Fields(line)
		if words[0] == "seen" {
			o := parseObject(t, words[1])
			h.Streams = append(h.Streams, histories.Stream{Events: []histories.Event{{Type: histories.PutEvent, Object: o}}})
			continue
		}
		op := parseOperation(t, words)
		op.ID = len(h.Operations) + 1
		h.Operations = append(h.Operations, op)
	}
	return h
}

func parseOperation(t *testing.T, words []string) histories.Operation {
	from, to, _ := strings.Cut(words[1], "-")
	op := histories.Operation{Client: words[0], Call: seconds(t, from), Return: histories.Never}
	if to != "" {
		op.Return = seconds(t, to)
	}
	asked, told := cut(words[2:], "->")
	op.Request = parseRequest(t, asked)
	op.Answer = parseAnswer(t, told)
	for i := range op.Answer.Results {
		count(&op.Answer.Results[i])
	}
	if op.Request.Kind.IsRead() {
		count(&op.Answer)
	}
	return op
}

func seconds(t *testing.T, text string) int64 { return number(t, text) * int64(time.Second) }

// count fills in the count of a read that tells none.
func count(a *histories.Answer) {
	if a.Count == 0 {
		a.Count = int64(len(a.Objects))
	}
}

// cut cuts words at the first of some separators.
func cut(words []string, separators ...string) (before, after []string) {
	i := slices.IndexFunc(words, func(w string) bool { return slices.Contains(separators, w) })
	if i < 0 {
		return words, nil
	}
	return words[:i], words[i+1:]
}

func split(words []string) [][]string {
	var parts [][]string
	for len(words) > 0 {
		part, rest := cut(words, ";")
		parts, words = append(parts, part), rest
	}
	return parts
}

func parseTxn(t *testing.T, words []string) *histories.Txn {
	t.Helper()
	txn := &histories.Txn{}
	words, otherwise := cut(words, "else")
	conditions, then := cut(words, "then")
	for _, word := range conditions {
		if word == "if" {
			continue
		}
		target, rest, _ := strings.Cut(word, "(")
		key, value, _ := strings.Cut(rest, ")")
		txn.Compares = append(txn.Compares, histories.Compare{
			Target: target, Key: histories.Key{Name: key}, Op: value[:1], Value: value[1:],
		})
	}
	for _, op := range split(then) {
		txn.Then = append(txn.Then, parseRequest(t, op))
	}
	for _, op := range split(otherwise) {
		txn.Else = append(txn.Else, parseRequest(t, op))
	}
	return txn
}

func parseRequest(t *testing.T, words []string) histories.Request {
	t.Helper()
	r := histories.Request{Kind: histories.Kind(words[0])}
	if r.Kind == histories.Transact {
		r.Txn = parseTxn(t, words[1:])
		return r
	}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "expect":
			r.Expect, r.Conditional = histories.Revision(number(t, value)), true
		case "at":
			r.Revision = histories.Revision(number(t, value))
		case "limit":
			r.Limit = number(t, value)
		case "start":
			r.Start, r.HasStart = value, true
		case "lease":
			r.Lease = number(t, value)
		case "ttl":
			r.TTL = number(t, value)
		case "minMod":
			r.MinModRevision = histories.Revision(number(t, value))
		case "sort":
			target, order, _ := strings.Cut(value, ":")
			r.SortTarget, r.SortOrder = histories.SortTarget(target), histories.SortOrder(order)
		case "prev":
			r.PrevKV = true
		default:
			if r.Key.Name != "" {
				r.Write = histories.WriteID(word)
			}
			if r.Key.Name == "" {
				r.Key.Name = word
			}
		}
	}
	return r
}

func parseAnswer(t *testing.T, words []string) histories.Answer {
	t.Helper()
	var a histories.Answer
	parts := split(words)
	for i, part := range parts {
		if i > 0 {
			a.Results = append(a.Results, parseAnswer(t, part))
		}
	}
	if len(parts) == 0 {
		return a
	}
	for _, word := range parts[0] {
		name, value, _ := strings.Cut(word, "=")
		switch {
		case strings.Contains(value, "@"):
			a.Objects = append(a.Objects, parseObject(t, word))
		case name == "rev":
			a.Revision = histories.Revision(number(t, value))
		case name == "count":
			a.Count = number(t, value)
		case name == "deleted":
			a.Deleted = number(t, value)
		case name == "more":
			a.More = true
		case name == "succeeded":
			a.Succeeded = true
		case name == "lease":
			a.Lease = number(t, value)
		case name == "ttl":
			a.TTL = number(t, value)
		case name == "granted":
			a.GrantedTTL = number(t, value)
		case a.Outcome == "":
			a.Outcome = histories.Outcome(name)
		default:
			a.Error = &histories.Error{Class: histories.ErrorClass(name)}
		}
	}
	return a
}

func parseObject(t *testing.T, word string) histories.Object {
	name, rest, _ := strings.Cut(word, "=")
	write, numbers, _ := strings.Cut(rest, "@")
	parts := strings.Split(numbers, "/")
	var lease int64
	if len(parts) > 3 {
		lease = number(t, parts[3])
	}
	return histories.Object{
		Lease: lease, Key: histories.Key{Name: name}, Write: histories.WriteID(write),
		RV: histories.Revision(number(t, parts[0])), CreateRevision: histories.Revision(number(t, parts[1])),
		Version: number(t, parts[2]), Size: len(histories.EncodeValue(histories.WriteID(write), nil, 0)),
	}
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
