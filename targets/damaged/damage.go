package damaged

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// Damage is one way to damage what passes between a store and its clients.
type Damage struct {
	// ID names the damage, in the parameter damage of a target's URL.
	ID string
	// Family is the kind of fault, a number of memory.Families.
	Family int
	// Sentence says what the damaged store does wrong.
	Sentence string
	// Source is a public report, commit or release that had the fault.
	Source string
	// Primary is the id of the property that the damage breaks, first of all.
	Primary string
	// ConcurrencyOnly: a run with one client never shows the damage.
	ConcurrencyOnly bool

	// make returns the fault for one space: it may keep a state.
	make func() fault
}

// Damages returns every damage: of requests, of answers, of streams.
func Damages() []Damage {
	return slices.Concat(requestDamages, answerDamages, readDamages, streamDamages)
}

// Lookup finds a damage by its id.
func Lookup(id string) (Damage, bool) {
	all := Damages()
	i := slices.IndexFunc(all, func(d Damage) bool { return d.ID == id })
	if i < 0 {
		return Damage{}, false
	}
	return all[i], true
}

// Wrap returns the target with the damage of this id. An id that no damage has is a
// *targets.UsageError.
func Wrap(t targets.Target, id string) (targets.Target, error) {
	d, known := Lookup(id)
	if !known {
		return nil, &targets.UsageError{Where: "damage", Expected: fmt.Sprintf("expected the id of a damage, not %q", id)}
	}
	wrapped := &target{Target: t, damage: d}
	if server, keeps := t.(targets.Logged); keeps {
		return logged{wrapped, server}, nil
	}
	return wrapped, nil
}

// logged is a damaged target whose server has a log.
type logged struct {
	*target
	targets.Logged
}

// fault is what a damage does. Each field takes the place of an honest step; nil
// fields are honest. Its functions may be called by several clients at once, and
// change no slice or object that they were given but for their own copy.
type fault struct {
	// request changes what is sent: calls and watches.
	request func(m moment, r *histories.Request)
	// call makes the call, with send, as often as it wants to.
	call func(m moment, r histories.Request, send send) (histories.Answer, error)
	// answer changes what is answered: calls, and the creation of watches.
	answer func(m moment, r histories.Request, a *histories.Answer)
	// stream returns who edits what a new watch delivers.
	stream func(r histories.Request) editor
}

// send makes a call at the store.
type send func(histories.Request) (histories.Answer, error)

// moment is what a fault may know of the time at which a call came in.
type moment struct {
	// newest is the largest revision that any client had been told by then.
	newest histories.Revision
	// compacting is the largest revision that any client has asked to compact by
	// the time that the fault looks.
	compacting func() histories.Revision
}
