package coverage

import (
	"slices"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
)

func TestKubeShapes(t *testing.T) {
	ok := histories.Answer{Outcome: histories.OK, Revision: 9}
	fail := func(class histories.ErrorClass) histories.Answer {
		return histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: class}}
	}
	expired := fail(histories.Compacted)
	expired.Continue = "T"
	one := []histories.Object{{UID: "u"}}
	namespace := histories.Scope{Shape: histories.Namespace}
	universe := Universe(histories.KubeLayer, nil)
	for want, op := range map[string]histories.Operation{
		"create exists":           {Request: histories.Request{Kind: histories.Create}, Answer: fail(histories.Exists)},
		"update unconditional ok": {Request: histories.Request{Kind: histories.Update}, Answer: ok},
		"update conflict":         {Request: histories.Request{Kind: histories.Update, Expect: 4, Conditional: true}, Answer: fail(histories.Conflict)},
		"patch noop ok":           {Request: histories.Request{Kind: histories.Patch, Kube: &histories.KubeOptions{NoOp: true}}, Answer: ok},
		"delete marked":           {Request: histories.Request{Kind: histories.Delete}, Answer: histories.Answer{Outcome: histories.OK, Objects: one}},
		"get any absent":          {Request: histories.Request{Kind: histories.Get, Kube: &histories.KubeOptions{ResourceVersion: "0"}}, Answer: fail(histories.NotFound)},
		"list exact namespace cut": {
			Request: histories.Request{Kind: histories.List, Scope: namespace, Limit: 1, Kube: &histories.KubeOptions{ResourceVersion: "7"}},
			Answer:  histories.Answer{Outcome: histories.OK, Objects: one, Continue: "T"},
		},
		"list notOlderThan all whole selector": {
			Request: histories.Request{Kind: histories.List, Kube: &histories.KubeOptions{ResourceVersion: "7", LabelSelector: "x"}},
			Answer:  histories.Answer{Outcome: histories.OK, Objects: one},
		},
		"next compacted token": {Request: histories.Request{Kind: histories.Next}, Answer: expired},
		"watch after all":      {Request: histories.Request{Kind: histories.Watch, Kube: &histories.KubeOptions{ResourceVersion: "7"}}, Answer: ok},
	} {
		h := &histories.History{Header: histories.Header{Layer: histories.KubeLayer}, Operations: []histories.Operation{op}}
		set := Set{}
		set.Add(h)
		if got := set.Sorted(); len(got) != 1 || got[0] != want {
			t.Errorf("got %q, expected %q", got, want)
		}
		if !slices.Contains(universe, want) {
			t.Errorf("%q is not in the universe", want)
		}
	}
	for i, s := range universe {
		if slices.Contains(universe[:i], s) {
			t.Errorf("%q is in the universe twice", s)
		}
	}
}
