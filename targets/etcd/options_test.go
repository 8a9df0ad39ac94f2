package etcd_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rvcheck/rvcheck/histories"
)

func TestRangeOptions(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w4")).Revision
	do(t, client, create("b", "w3"))
	do(t, client, create("c", "w2"))
	do(t, client, put("a", "w1"))
	do(t, client, put("a", "w5"))
	for what, test := range map[string]struct {
		request histories.Request
		names   []string
		count   int64
		more    bool
	}{
		"count only":         {histories.Request{CountOnly: true}, nil, 3, false},
		"count only, limit":  {histories.Request{CountOnly: true, Limit: 1}, nil, 3, false},
		"serializable":       {histories.Request{Serializable: true}, []string{"a", "b", "c"}, 3, false},
		"descending":         {histories.Request{SortTarget: histories.SortByKey, SortOrder: histories.Descend}, []string{"c", "b", "a"}, 3, false},
		"descending, limit":  {histories.Request{SortTarget: histories.SortByKey, SortOrder: histories.Descend, Limit: 2}, []string{"c", "b"}, 3, true},
		"by mod":             {histories.Request{SortTarget: histories.SortByMod, SortOrder: histories.Ascend}, []string{"b", "c", "a"}, 3, false},
		"by mod, no order":   {histories.Request{SortTarget: histories.SortByMod}, []string{"b", "c", "a"}, 3, false},
		"by create":          {histories.Request{SortTarget: histories.SortByCreate, SortOrder: histories.Descend}, []string{"c", "b", "a"}, 3, false},
		"by version":         {histories.Request{SortTarget: histories.SortByVersion, SortOrder: histories.Descend, Limit: 1}, []string{"a"}, 3, true},
		"by value":           {histories.Request{SortTarget: histories.SortByValue, SortOrder: histories.Ascend}, []string{"c", "b", "a"}, 3, false},
		"from mod":           {histories.Request{MinModRevision: r + 2}, []string{"a", "c"}, 3, false},
		"to mod":             {histories.Request{MaxModRevision: r + 1}, []string{"b"}, 3, false},
		"from create":        {histories.Request{MinCreateRevision: r + 1}, []string{"b", "c"}, 3, false},
		"to create":          {histories.Request{MaxCreateRevision: r + 1}, []string{"a", "b"}, 3, false},
		"to create of old":   {histories.Request{MaxModRevision: r + 1, Revision: r + 2}, []string{"a", "b"}, 3, false},
		"nothing in between": {histories.Request{MinModRevision: r + 2, MaxModRevision: r + 1}, nil, 3, false},
	} {
		t.Run(what, func(t *testing.T) {
			test.request.Kind = histories.List
			got := do(t, client, test.request)
			if diff := cmp.Diff(test.names, names(got), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("names: -want +got\n%s", diff)
			}
			if got.Outcome != histories.OK || got.Count != test.count || got.More != test.more || got.Revision != r+4 {
				t.Errorf("got %+v, want count %d, more %v, revision %d", got, test.count, test.more, r+4)
			}
		})
	}
}

func TestKeysOnly(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w1")).Revision
	want := read(r, histories.Object{Key: key("a"), RV: r, CreateRevision: r, Version: 1})
	wantAnswer(t, "list", do(t, client, histories.Request{Kind: histories.List, KeysOnly: true}), want)
	wantAnswer(t, "get", do(t, client, histories.Request{Kind: histories.Get, Key: key("a"), KeysOnly: true}), want)
}

func TestDeleteRange(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w1")).Revision
	do(t, client, create("a/b", "w2"))
	do(t, client, create("b", "w3"))
	below := histories.Scope{Shape: histories.Prefix, Key: key("a")}
	want := histories.Answer{
		Outcome: histories.OK, Revision: r + 3, Deleted: 2,
		Objects: []histories.Object{object("a", "w1", r, r, 1), object("a/b", "w2", r+1, r+1, 1)},
	}
	wantAnswer(t, "deleterange", do(t, client, histories.Request{Kind: histories.DeleteRange, Scope: below, PrevKV: true}), want)
	wantAnswer(t, "again", do(t, client, histories.Request{Kind: histories.DeleteRange, Scope: below, PrevKV: true}), told(r+3))
	backwards := histories.Scope{Shape: histories.Range, Key: key("c"), End: "a"}
	wantAnswer(t, "backwards", do(t, client, histories.Request{Kind: histories.DeleteRange, Scope: backwards}), told(r+3))
	want = told(r + 4)
	want.Deleted = 1
	wantAnswer(t, "all", do(t, client, histories.Request{Kind: histories.DeleteRange}), want)
}

func TestStatus(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w1")).Revision
	want := told(r)
	want.Version = "3.7.3"
	wantAnswer(t, "status", do(t, client, histories.Request{Kind: histories.Status}), want)
}
