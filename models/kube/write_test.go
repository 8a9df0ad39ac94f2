package kube

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
)

var key = histories.Key{Namespace: "a", Name: "x"}

// plain, held and dying are the three states of an object: without finalizers, with
// one, and with one after its deletion has begun.
func plain() *histories.Object {
	return &histories.Object{Key: key, Write: "w1", RV: 5, UID: "u1", Generation: 1, Labels: map[string]string{"x": "1"}, Size: 3}
}

func held() *histories.Object {
	o := plain()
	o.Kube = &histories.KubeMeta{Finalizers: []string{"f"}}
	return o
}

func dying() *histories.Object {
	o := held()
	o.Deleting = true
	return o
}

// changed is an object with some of it different.
func changed(o *histories.Object, change func(o *histories.Object)) *histories.Object {
	change(o)
	return o
}

func options(o histories.KubeOptions) *histories.KubeOptions { return &o }

func TestWrite(t *testing.T) {
	fresh := &histories.Object{Key: key, Write: "w2", Generation: 1}
	written := func(o *histories.Object) { o.Write, o.RV, o.Size, o.Generation = "w2", 0, 0, 2 }
	for _, test := range []struct {
		rule, name string
		before     *histories.Object
		request    histories.Request
		want       Outcome
	}{
		{"WR-01", "a create", nil, histories.Request{Kind: histories.Create}, Outcome{Change: Stored, Object: fresh}},
		{"WR-02", "a create of what is there", plain(), histories.Request{Kind: histories.Create}, refuse(histories.Exists)},
		{"WR-03", "a create of what is being deleted", dying(), histories.Request{Kind: histories.Create}, refuse(histories.Exists)},
		{
			"WR-06", "a create's dry run", nil,
			histories.Request{Kind: histories.Create, Kube: options(histories.KubeOptions{DryRun: true})},
			Outcome{Object: fresh},
		},
		{
			"WR-06", "an update's dry run", plain(),
			histories.Request{Kind: histories.Update, Conditional: true, Expect: 5, Kube: options(histories.KubeOptions{DryRun: true})},
			Outcome{Object: changed(plain(), func(o *histories.Object) { written(o); o.RV, o.Labels = 5, nil })},
		},
		{
			"WR-06", "a delete's dry run", held(),
			histories.Request{Kind: histories.Delete, Kube: options(histories.KubeOptions{DryRun: true})},
			Outcome{Object: changed(held(), func(o *histories.Object) { o.Deleting, o.Generation = true, 2 })},
		},
		{
			"WR-08", "an update", plain(),
			histories.Request{Kind: histories.Update, Conditional: true, Expect: 5},
			Outcome{Change: Stored, Object: changed(plain(), func(o *histories.Object) { written(o); o.Labels = nil })},
		},
		{"WR-09", "an update at an older version", plain(), histories.Request{Kind: histories.Update, Conditional: true, Expect: 4}, refuse(histories.Conflict)},
		{"WR-09", "an update at a later version", plain(), histories.Request{Kind: histories.Update, Conditional: true, Expect: 9}, refuse(histories.Conflict)},
		{
			"WR-10", "an update without a version", plain(),
			histories.Request{Kind: histories.Update},
			Outcome{Change: Stored, Optional: true, Or: []histories.ErrorClass{histories.Invalid}, Object: changed(plain(), func(o *histories.Object) { written(o); o.Labels = nil })},
		},
		{
			"WR-11", "an update of nothing", nil,
			histories.Request{Kind: histories.Update, Conditional: true, Expect: 5},
			refuse(histories.NotFound, histories.Conflict, histories.Invalid),
		},
		{
			"WR-12", "an update of another uid", plain(),
			histories.Request{Kind: histories.Update, Conditional: true, Expect: 5, ExpectUID: "u0"},
			refuse(histories.Conflict, histories.Invalid),
		},
		{
			"WR-12", "a patch of another uid", plain(),
			histories.Request{Kind: histories.Patch, ExpectUID: "u0"},
			refuse(histories.Invalid, histories.Conflict),
		},
		{
			"WR-12", "a patch of the status of another uid", held(),
			histories.Request{Kind: histories.Patch, ExpectUID: "u0", Kube: options(histories.KubeOptions{Status: true})},
			Outcome{
				Change: Stored, Optional: true, Or: []histories.ErrorClass{histories.Invalid, histories.Conflict},
				Object: changed(held(), func(o *histories.Object) { o.RV, o.Kube.Status = 0, "w2" }),
			},
		},
		{
			"WR-14", "a merge patch", held(),
			histories.Request{Kind: histories.Patch, Labels: map[string]string{"y": "2"}},
			Outcome{Change: Stored, Object: changed(held(), func(o *histories.Object) { written(o); o.Labels = map[string]string{"x": "1", "y": "2"} })},
		},
		{
			"WR-14", "a JSON patch", plain(),
			histories.Request{Kind: histories.Patch, Labels: map[string]string{"y": "2"}, Kube: options(histories.KubeOptions{Patch: histories.JSONPatch})},
			Outcome{Change: Stored, Object: changed(plain(), func(o *histories.Object) { written(o); o.Labels = map[string]string{"y": "2"} })},
		},
		{"WR-14", "a patch of nothing", nil, histories.Request{Kind: histories.Patch}, refuse(histories.NotFound)},
		{"WR-14", "a patch of an older version", plain(), histories.Request{Kind: histories.Patch, Conditional: true, Expect: 4}, refuse(histories.Conflict)},
		{
			"WR-15", "an apply that creates", nil,
			histories.Request{Kind: histories.Patch, Kube: options(histories.KubeOptions{Patch: histories.ApplyPatch})},
			Outcome{Change: Stored, Object: fresh},
		},
		{
			"WR-15", "an apply", plain(),
			histories.Request{Kind: histories.Patch, Kube: options(histories.KubeOptions{Patch: histories.ApplyPatch})},
			Outcome{Change: Stored, Loose: true, Optional: true, Or: []histories.ErrorClass{histories.Conflict}, Object: changed(plain(), written)},
		},
		{
			"WR-16", "a patch that changes nothing", plain(),
			histories.Request{Kind: histories.Patch, Kube: options(histories.KubeOptions{NoOp: true})},
			Outcome{Object: plain()},
		},
		{"WR-20", "a delete", plain(), histories.Request{Kind: histories.Delete, Conditional: true, Expect: 5, ExpectUID: "u1"}, Outcome{Change: Removed}},
		{"WR-20", "a delete of nothing", nil, histories.Request{Kind: histories.Delete, Conditional: true, Expect: 5}, refuse(histories.NotFound)},
		{"WR-21", "a delete at another version", plain(), histories.Request{Kind: histories.Delete, Conditional: true, Expect: 4}, refuse(histories.Conflict)},
		{"WR-21", "a delete of another uid", dying(), histories.Request{Kind: histories.Delete, ExpectUID: "u0"}, refuse(histories.Conflict)},
		{
			"WR-24", "a delete with finalizers", held(),
			histories.Request{Kind: histories.Delete},
			Outcome{Change: Stored, Object: changed(dying(), func(o *histories.Object) { o.RV, o.Generation = 0, 2 })},
		},
		{"WR-24", "a delete once more", dying(), histories.Request{Kind: histories.Delete}, Outcome{Object: dying()}},
		{
			"WR-24", "a new finalizer after the delete", dying(),
			histories.Request{Kind: histories.Patch, Kube: options(histories.KubeOptions{Finalizers: []string{"f", "g"}})},
			refuse(histories.Invalid),
		},
		{
			"WR-25", "the last finalizer goes", dying(),
			histories.Request{Kind: histories.Update, Conditional: true, Expect: 5},
			Outcome{Change: Removed, Object: changed(plain(), func(o *histories.Object) { written(o); o.RV, o.Labels, o.Deleting = 5, nil, true })},
		},
		{
			"WR-25", "the last finalizer goes by a patch", dying(),
			histories.Request{Kind: histories.Patch, Kube: options(histories.KubeOptions{ClearFinalizers: true})},
			Outcome{Change: Removed, Object: changed(plain(), func(o *histories.Object) { written(o); o.RV, o.Deleting = 5, true })},
		},
		{
			"WR-30", "an update of the status", held(),
			histories.Request{Kind: histories.Update, Conditional: true, Expect: 5, Kube: options(histories.KubeOptions{Status: true})},
			Outcome{Change: Stored, Object: changed(held(), func(o *histories.Object) { o.RV, o.Kube.Status = 0, "w2" })},
		},
	} {
		if test.request.Key = key; !test.request.Options().NoOp && test.request.Kind != histories.Delete {
			test.request.Write = "w2"
		}
		before := test.before
		if before != nil {
			copied := *before
			before = &copied
		}
		got := Write(test.before, &test.request)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s (- expected, + got)\n%s", test.rule, test.name, diff)
		}
		if diff := cmp.Diff(before, test.before); diff != "" {
			t.Errorf("%s: the object that was there has changed\n%s", test.name, diff)
		}
	}
}

func TestMayRefuse(t *testing.T) {
	unconditional := Write(plain(), &histories.Request{Kind: histories.Update, Key: key, Write: "w2"})
	if !unconditional.MayRefuse(histories.Invalid) || unconditional.MayRefuse(histories.Conflict) {
		t.Error("an update without a version may be refused as invalid, and not as a conflict")
	}
	conditional := Write(plain(), &histories.Request{Kind: histories.Update, Key: key, Write: "w2", Conditional: true, Expect: 5})
	if conditional.MayRefuse(histories.Invalid) || conditional.MayRefuse("") {
		t.Error("an update whose condition holds may not be refused")
	}
}

func TestEvent(t *testing.T) {
	sel, err := ParseSelector("x=1", "")
	if err != nil {
		t.Fatal(err)
	}
	other := changed(plain(), func(o *histories.Object) { o.Labels, o.RV, o.Write = nil, 7, "w2" })
	again := changed(plain(), func(o *histories.Object) { o.RV, o.Write = 7, "w2" })
	left := changed(plain(), func(o *histories.Object) { o.RV = 7 })
	for _, test := range []struct {
		name          string
		before, after *histories.Object
		event         histories.EventType
		object        *histories.Object
	}{
		{"created", nil, again, histories.AddedEvent, again},
		{"changed", plain(), again, histories.ModifiedEvent, again},
		{"came to match", other, again, histories.AddedEvent, again},
		{"ceased to match", plain(), other, histories.DeleteEvent, left},
		{"removed", plain(), nil, histories.DeleteEvent, left},
		{"removed without a match", other, nil, "", &histories.Object{}},
		{"never matched", other, other, "", &histories.Object{}},
	} {
		event, object, tells := Event(test.before, test.after, sel.Matches, 7)
		if event != test.event || tells != (test.event != "") {
			t.Errorf("%s: expected %q, not %q (%v)", test.name, test.event, event, tells)
		}
		if diff := cmp.Diff(*test.object, object); diff != "" {
			t.Errorf("%s (- expected, + got)\n%s", test.name, diff)
		}
	}
}
