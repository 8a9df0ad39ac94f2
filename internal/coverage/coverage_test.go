package coverage

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
)

func conflict(objects ...histories.Object) histories.Answer {
	return histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: histories.Conflict}, Objects: objects}
}

func TestShapes(t *testing.T) {
	ok := histories.Answer{Outcome: histories.OK, Revision: 9}
	compacted := histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: histories.Compacted}}
	one := []histories.Object{{Key: histories.Key{Name: "a"}}}
	page := histories.Answer{Outcome: histories.OK, Objects: one, More: true}
	prefix := histories.Scope{Shape: histories.Prefix}
	for want, op := range map[string]histories.Operation{
		"create ok":                    {Request: histories.Request{Kind: histories.Create}, Answer: ok},
		"create conflict":              {Request: histories.Request{Kind: histories.Create}, Answer: conflict()},
		"update conflict present":      {Request: histories.Request{Kind: histories.Update}, Answer: conflict(one...)},
		"delete conflict absent":       {Request: histories.Request{Kind: histories.Delete, Conditional: true}, Answer: conflict()},
		"delete unconditional absent":  {Request: histories.Request{Kind: histories.Delete}, Answer: ok},
		"get newest absent":            {Request: histories.Request{Kind: histories.Get, Revision: -1}, Answer: ok},
		"get past present":             {Request: histories.Request{Kind: histories.Get, Revision: 4}, Answer: histories.Answer{Outcome: histories.OK, Objects: one}},
		"get compacted":                {Request: histories.Request{Kind: histories.Get, Revision: 4}, Answer: compacted},
		"list newest prefix cut":       {Request: histories.Request{Kind: histories.List, Scope: prefix}, Answer: page},
		"list past all empty startKey": {Request: histories.Request{Kind: histories.List, Revision: 3, HasStart: true}, Answer: ok},
		"list compacted":               {Request: histories.Request{Kind: histories.List, Revision: 3, HasStart: true}, Answer: compacted},
		"next ok cut":                  {Request: histories.Request{Kind: histories.Next}, Answer: page},
		"watch now all":                {Request: histories.Request{Kind: histories.Watch}, Answer: ok},
		"watch future prefix prevKV":   {Request: histories.Request{Kind: histories.Watch, StartRevision: 10, Scope: prefix, PrevKV: true}, Answer: ok},
		"watch past all":               {Request: histories.Request{Kind: histories.Watch, StartRevision: 9}, Answer: ok},
		"compact compacted":            {Request: histories.Request{Kind: histories.Compact, Revision: 1}, Answer: compacted},
		"":                             {Request: histories.Request{Kind: histories.Create}, Answer: histories.Answer{Outcome: histories.Unknown}},
	} {
		got := shapeOf(&op, func(int) *histories.Stream { return nil })
		if got != want {
			t.Errorf("got %q, expected %q", got, want)
		}
	}
	cancelled := &histories.Stream{End: &histories.End{Reason: histories.EndCompacted}}
	watch := histories.Operation{Request: histories.Request{Kind: histories.Watch, StartRevision: 2}, Answer: ok}
	if got := shapeOf(&watch, func(int) *histories.Stream { return cancelled }); got != "watch compacted all" {
		t.Errorf("got %q for a watch that was cancelled as compacted", got)
	}
}

func TestUniverseLeavesOutWhatIsUnsupported(t *testing.T) {
	whole := Universe(histories.EtcdLayer, nil)
	for i, s := range whole {
		if slices.Contains(whole[:i], s) {
			t.Errorf("%q is in the universe twice", s)
		}
	}
	for _, s := range Universe(histories.EtcdLayer, map[string]string{"compaction": "", "puts": ""}) {
		if s == "compact ok" || s == "watch compacted all" || s == "put ok" {
			t.Errorf("%q needs what is unsupported", s)
		}
	}
}

func TestOf(t *testing.T) {
	set := Set{}
	set.Add(&histories.History{Operations: []histories.Operation{
		{ID: 1, Request: histories.Request{Kind: histories.Create}, Answer: histories.Answer{Outcome: histories.OK}},
		{ID: 2, Request: histories.Request{Kind: histories.Stop}, Answer: histories.Answer{Outcome: histories.OK}},
	}})
	covered, missing := set.Of([]string{"create ok", "create conflict", "update ok"})
	if covered != 1 || !cmp.Equal(missing, []string{"create conflict", "update ok"}) {
		t.Errorf("got %d covered, missing %q", covered, missing)
	}
}
