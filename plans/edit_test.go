package plans

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rvcheck/rvcheck/histories"
)

// edited returns the plan with a changed copy of each operation.
func edited(p Plan, change func(*Op)) Plan {
	var all []Step
	for _, step := range p.Steps {
		if step.Op != nil {
			step.Op = step.Op.Clone()
			change(step.Op)
		}
		all = append(all, step)
	}
	p.Steps = all
	return p
}

// Whatever is changed in a copy, the plan stays as it was; and what was changed is
// still a plan.
func TestEditsLeaveThePlanAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := arbitrary.Draw(t, "plan")
		text := Format(plan)
		changes := map[string]func(*Op){
			"options": func(op *Op) {
				for _, name := range op.Options() {
					op.Unset(name)
				}
				if left := op.Options(); len(left) > 0 {
					t.Errorf("options are left: %v", left)
				}
			},
			"labels": func(op *Op) { op.Relabel(func(label string) string { return "x" + label }) },
			"keys": func(op *Op) {
				op.Rekey(func(key histories.Key) histories.Key {
					return histories.Key{Namespace: key.Namespace, Name: "x" + key.Name}
				})
			},
			"references": func(op *Op) {
				for _, ref := range op.Refs() {
					ref.Offset++
				}
			},
		}
		for name, change := range changes {
			got := edited(plan, change)
			if err := got.Validate(); err != nil && name != "references" {
				t.Errorf("%s: %v\n%s", name, err, Format(got))
			}
			if d := cmp.Diff(text, Format(plan)); d != "" {
				t.Fatalf("%s: the plan was changed (-want +got):\n%s", name, d)
			}
		}
	})
}

func TestRekeyAndRelabel(t *testing.T) {
	plan := parsed(t,
		"c1 g1: grant ttl=5", "c1 a1: create a lease=g1", "c1 w1: watch [a,c) startRevision=rv(a1)", "c1 w2: watch a* on=w1",
		"c1 txn if mod(a)=rv(a1) then put b lease=g1 else list all startKey=a", "c1 stop w2")
	got := edited(plan, func(op *Op) {
		op.Relabel(func(label string) string { return "x" + label })
		op.Rekey(func(key histories.Key) histories.Key { return histories.Key{Name: key.Name + key.Name} })
	})
	want := head + "c1    xg1: grant ttl=5\nc1    xa1: create aa lease=xg1\nc1    xw1: watch [aa,cc) startRevision=rv(xa1)\n" +
		"c1    xw2: watch aa* on=xw1\nc1    txn if mod(aa)=rv(xa1) then put bb lease=xg1 else list all startKey=aa\nc1    stop xw2\n"
	if d := cmp.Diff(want, Format(got)); d != "" {
		t.Errorf("edited plan (-want +got):\n%s", d)
	}
}
