package linear

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rvcheck/rvcheck/histories"
)

// TestJudge runs the transcripts in testdata: a history and the verdict below it.
// A line is a call: client, from-to, request, "->", answer. An object is written
// key=write@RV/create revision/version. A call that ends at "-" did not return.
// `seen` is an event that some stream showed.
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
		return fmt.Sprintf("violated: %s by %v after %s\n%s\n", r.Finding.Property, r.Finding.Operations, order, r.Finding.Observed)
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
		h.Header.ClockUncertainty = 2
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
	op := histories.Operation{Client: words[0], Call: number(t, from), Return: histories.Never}
	if to != "" {
		op.Return = number(t, to)
	}
	op.Request.Kind = histories.Kind(words[2])
	answer := false
	for _, word := range words[3:] {
		switch {
		case word == "->":
			answer = true
		case answer:
			parseAnswer(t, &op.Answer, word)
		default:
			parseRequest(t, &op.Request, word)
		}
	}
	if op.Request.Kind.IsRead() && op.Answer.Count == 0 {
		op.Answer.Count = int64(len(op.Answer.Objects))
	}
	return op
}

func parseRequest(t *testing.T, r *histories.Request, word string) {
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
	default:
		if r.Key.Name != "" {
			r.Write = histories.WriteID(word)
		}
		if r.Key.Name == "" {
			r.Key.Name = word
		}
	}
}

func parseAnswer(t *testing.T, a *histories.Answer, word string) {
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
	case a.Outcome == "":
		a.Outcome = histories.Outcome(name)
	default:
		a.Error = &histories.Error{Class: histories.ErrorClass(name)}
	}
}

func parseObject(t *testing.T, word string) histories.Object {
	name, rest, _ := strings.Cut(word, "=")
	write, numbers, _ := strings.Cut(rest, "@")
	parts := strings.Split(numbers, "/")
	return histories.Object{
		Key: histories.Key{Name: name}, Write: histories.WriteID(write),
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
