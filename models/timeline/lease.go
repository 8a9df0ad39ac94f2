package timeline

import (
	"fmt"
	"slices"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// life is what the history tells of one lease. An id that was granted more than
// once is not judged: its calls cannot be told apart.
type life struct {
	id    int64
	grant *histories.Operation
	// renewals are the grant and the keepalives that found the lease.
	renewals []*histories.Operation
	revokes  []*histories.Operation // acknowledged or of unknown outcome
	twice    bool
	// ended is the first time at which somebody saw a key vanish with the lease.
	ended int64
}

// lifeOf returns the life of a lease, nil if it is not known or not judged.
func (j *judge) lifeOf(id int64) *life {
	if j.lives == nil {
		j.collectLives()
	}
	if l := j.lives[id]; l != nil && !l.twice {
		return l
	}
	return nil
}

func (j *judge) collectLives() {
	j.lives = map[int64]*life{}
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op.Request.Kind != histories.LeaseGrant || op.Answer.Outcome != histories.OK {
			continue
		}
		id := op.Answer.Lease
		if earlier := j.lives[id]; earlier != nil {
			earlier.twice = true
			continue
		}
		j.lives[id] = &life{id: id, grant: op, renewals: []*histories.Operation{op}, ended: histories.Never}
	}
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		l := j.lives[op.Request.Lease]
		switch {
		case l == nil:
		case op.Request.Kind == histories.LeaseKeepAlive && op.Answer.Outcome == histories.OK && op.Answer.TTL > 0:
			l.renewals = append(l.renewals, op)
		case op.Request.Kind == histories.LeaseRevoke && op.Answer.Outcome != histories.Fail:
			l.revokes = append(l.revokes, op)
		}
	}
}

// lasts is the time before which a renewed lease cannot have expired.
func (l *life) lasts(renewal *histories.Operation) int64 {
	return renewal.Call + renewal.Answer.TTL*int64(time.Second)
}

// mayHaveBeenRevoked reports whether a revocation may have taken effect by a time.
func (l *life) mayHaveBeenRevoked(by int64) bool {
	for _, op := range l.revokes {
		if op.Call <= by {
			return true
		}
	}
	return false
}

// judgeLeaseEnd looks at the tombstones of one revision that nobody asked for and
// that the end of a lease explains: not early, and all keys at once.
func (j *judge) judgeLeaseEnd(state *table, group []effect) {
	for i := range group {
		e := &group[i]
		before := state.object(e.rank)
		if !e.deleted || e.author != nil || before == nil || before.lease == 0 || j.history.Header.World == histories.Open {
			continue
		}
		l := j.lifeOf(before.lease)
		if l == nil {
			continue
		}
		j.judgeNotEarly(l, e)
		j.judgeTogether(state, group, l, e)
	}
}

// judgeNotEarly checks that a key did not vanish before its lease can have expired.
func (j *judge) judgeNotEarly(l *life, e *effect) {
	seen := j.firstSeen(e)
	if seen == histories.Never {
		return
	}
	l.ended = min(l.ended, seen)
	j.exercise(models.LeaseNotEarly)
	if l.mayHaveBeenRevoked(j.surely(seen)) {
		return
	}
	for _, renewal := range l.renewals {
		if left := l.lasts(renewal) - j.surely(seen); left > 0 {
			j.report(models.Finding{
				Property: models.LeaseNotEarly, Operations: []int{renewal.ID, l.grant.ID}, Revision: e.revision, Key: &j.keys[e.rank],
				Allowed:  fmt.Sprintf("the key until %s after %s", plural(renewal.Answer.TTL, "second"), j.name(renewal.ID)),
				Observed: fmt.Sprintf("its deletion %v before that", time.Duration(left).Round(time.Millisecond)),
				Explanation: fmt.Sprintf("%q was bound to a lease that lives for %s from %s on, but it was deleted at revision %d, %v before that time was over.",
					j.keys[e.rank].Name, plural(renewal.Answer.TTL, "second"), j.name(renewal.ID), e.revision, time.Duration(left).Round(time.Millisecond)),
			})
			return
		}
	}
}

// firstSeen is the first time at which a stream told of an effect.
func (j *judge) firstSeen(e *effect) int64 {
	first := histories.Never
	for _, s := range j.streams {
		for i := range s.events {
			if s.events[i].Time >= first {
				break
			}
			if p, c, ok := j.told(&s.events[i]); ok && p == e.place && c == e.content {
				first = s.events[i].Time
			}
		}
	}
	return first
}

// judgeTogether checks that no key of the lease outlives the others.
func (j *judge) judgeTogether(state *table, group []effect, l *life, e *effect) {
	deleted := map[int]bool{}
	for i := range group {
		deleted[group[i].rank] = group[i].deleted
	}
	for rank := range j.keys {
		o := state.object(rank)
		if rank == e.rank || o == nil || o.lease != l.id {
			continue
		}
		j.exercise(models.LeaseOneRevision)
		if !deleted[rank] && !j.mayHide(rank, o.revision, e.revision, histories.Never) {
			j.report(models.Finding{
				Property: models.LeaseOneRevision, Operations: []int{l.grant.ID}, Revision: e.revision, Key: &j.keys[rank],
				Allowed: "all keys of the lease deleted at one revision", Observed: fmt.Sprintf("%q is still there", j.keys[rank].Name),
				Explanation: fmt.Sprintf("The lease of %s ended at revision %d, where %q was deleted, but %q, which was bound to it as well, was still there.",
					j.name(l.grant.ID), e.revision, j.keys[e.rank].Name, j.keys[rank].Name),
			})
			return
		}
	}
}

// judgeRevoked checks that no key of a revoked lease is left.
func (j *judge) judgeRevoked(state *table, v visit) {
	j.exercise(models.LeaseRevoked)
	l := j.lifeOf(v.op.Request.Lease)
	if l == nil {
		return
	}
	for rank := range j.keys {
		o := state.object(rank)
		if o == nil || o.lease != l.id || j.mayHide(rank, o.revision, v.revision, v.op.Return) {
			continue
		}
		j.report(models.Finding{
			Property: models.LeaseRevoked, Operations: append([]int{v.op.ID}, authorIDs(o)...), Revision: v.revision, Key: &j.keys[rank],
			Allowed: "no key of the lease", Observed: fmt.Sprintf("%q: %s", j.keys[rank].Name, j.held(o)),
			Explanation: fmt.Sprintf("%s revoked the lease of %s at revision %d, but %q, which was bound to it, was still there then, with %s.",
				j.name(v.op.ID), j.name(l.grant.ID), v.revision, j.keys[rank].Name, j.held(o)),
		})
		return
	}
}

// judgeLeases holds the calls that name a lease against its life.
func (j *judge) judgeLeases() {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		switch {
		case op.Request.Kind == histories.LeaseGrant:
			j.judgeGrant(op)
		case j.namesLease(op):
			j.judgeKnown(op)
		}
	}
	j.judgeExpiredInTime()
}

// namesLease reports whether an operation of its own depends on a living lease.
func (j *judge) namesLease(op *histories.Operation) bool {
	return op.Request.Lease != 0 && op.Answer.Outcome != histories.Unknown && !j.blamed(op.ID)
}

// judgeGrant checks the id of a new lease.
func (j *judge) judgeGrant(op *histories.Operation) {
	if op.Answer.Outcome != histories.OK {
		return
	}
	j.exercise(models.LeaseDistinct)
	wanted, got := op.Request.Lease, op.Answer.Lease
	allowed, involved := "", []int{op.ID}
	story := fmt.Sprintf("%s asked for a lease with id %d and was granted one with id %d.", j.name(op.ID), wanted, got)
	switch {
	case wanted != 0 && got != wanted:
		allowed = fmt.Sprintf("id %d", wanted)
	case got == 0:
		allowed = "an id"
		story = fmt.Sprintf("%s was granted a lease without an id.", j.name(op.ID))
	}
	for i := range j.history.Operations {
		other := &j.history.Operations[i]
		if other.ID < op.ID && other.Request.Kind == histories.LeaseGrant && other.Answer.Outcome == histories.OK && other.Answer.Lease == got &&
			j.certainlyLives(&life{id: got, grant: other, renewals: []*histories.Operation{other}, revokes: j.revokesOf(got), ended: histories.Never}, op) {
			allowed, involved = "an id that no living lease has", []int{op.ID, other.ID}
			story = fmt.Sprintf("%s was granted a lease with id %d, which the lease of %s, still alive, has.", j.name(op.ID), got, j.name(other.ID))
		}
	}
	if allowed == "" {
		return
	}
	j.report(models.Finding{
		Property: models.LeaseDistinct, Operations: involved, Allowed: allowed, Observed: fmt.Sprintf("id %d", got), Explanation: story,
	})
}

func (j *judge) revokesOf(id int64) []*histories.Operation {
	var list []*histories.Operation
	for i := range j.history.Operations {
		if op := &j.history.Operations[i]; op.Request.Kind == histories.LeaseRevoke && op.Request.Lease == id && op.Answer.Outcome != histories.Fail {
			list = append(list, op)
		}
	}
	return list
}

// judgeKnown checks that a call found its lease exactly if it lived.
func (j *judge) judgeKnown(op *histories.Operation) {
	if j.lives == nil {
		j.collectLives()
	}
	l, known := j.lives[op.Request.Lease]
	if known && l.twice || !known && !j.history.Header.Exclusive {
		return
	}
	found := foundLease(op)
	j.exercise(models.LeaseKnown)
	switch {
	case found && !j.mayLive(l, op):
		j.reportLease(op, l, "a refusal: there is no such lease", "the lease was found")
	case !found && isLeaseMissing(op) && known && j.certainlyLives(l, op):
		j.reportLease(op, l, "the lease is found: it cannot have ended", "no such lease")
	}
}

func (j *judge) reportLease(op *histories.Operation, l *life, allowed, observed string) {
	involved, story := []int{op.ID}, fmt.Sprintf("%s names lease %d, which nobody had granted, and the store found it.", j.name(op.ID), op.Request.Lease)
	if l != nil {
		involved = append(involved, l.grant.ID)
		if foundLease(op) {
			story = fmt.Sprintf("%s names the lease of %s, which had ended before, and the store found it.", j.name(op.ID), j.name(l.grant.ID))
		} else {
			story = fmt.Sprintf("%s names the lease of %s, which cannot have ended, but was told that there is no such lease.", j.name(op.ID), j.name(l.grant.ID))
		}
	}
	j.report(models.Finding{Property: models.LeaseKnown, Operations: involved, Allowed: allowed, Observed: observed, Explanation: story})
}

// foundLease reports whether the answer says that the lease lives.
func foundLease(op *histories.Operation) bool {
	if op.Answer.Outcome != histories.OK {
		return false
	}
	switch op.Request.Kind {
	case histories.LeaseKeepAlive:
		return op.Answer.TTL > 0
	case histories.LeaseTimeToLive:
		return op.Answer.TTL >= 0
	default:
		return true
	}
}

// isLeaseMissing reports whether the answer says that there is no such lease.
func isLeaseMissing(op *histories.Operation) bool {
	if isError(op, histories.NoLease) {
		return true
	}
	switch op.Request.Kind {
	case histories.LeaseKeepAlive:
		return op.Answer.Outcome == histories.OK && op.Answer.TTL <= 0
	case histories.LeaseTimeToLive:
		return op.Answer.Outcome == histories.OK && op.Answer.TTL < 0 && op.Answer.GrantedTTL == 0
	default:
		return false
	}
}

// mayLive reports whether a lease may have lived at some moment of a call. Calls
// that another member passes on may find a lease that has just ended.
func (j *judge) mayLive(l *life, op *histories.Operation) bool {
	switch {
	case l == nil:
		return j.unknownGrants()
	case l.grant.Call > op.Return:
		return false
	case j.endpoints > 1 && isLocal(op.Request.Kind):
		return true
	case j.surely(l.ended) < op.Call:
		return false
	}
	for _, revoke := range l.revokes {
		if revoke != op && revoke.Answer.Outcome == histories.OK && j.surely(revoke.Return) < op.Call {
			return false
		}
	}
	return true
}

// unknownGrants reports whether a lease of unknown id may live.
func (j *judge) unknownGrants() bool {
	for i := range j.history.Operations {
		if op := &j.history.Operations[i]; op.Request.Kind == histories.LeaseGrant && op.Answer.Outcome == histories.Unknown {
			return true
		}
	}
	return false
}

// certainlyLives reports whether a lease lived during the whole call.
func (j *judge) certainlyLives(l *life, op *histories.Operation) bool {
	if j.surely(l.grant.Return) >= op.Call || op.Return == histories.Never {
		return false
	}
	for _, revoke := range l.revokes {
		if revoke != op && revoke.Call <= j.surely(op.Return) {
			return false
		}
	}
	for _, renewal := range l.renewals {
		if j.surely(renewal.Return) < op.Call && j.surely(op.Return) < l.lasts(renewal) {
			return true
		}
	}
	return false
}

// judgeExpiredInTime looks at the run's notes on leases that outlived their deadline.
func (j *judge) judgeExpiredInTime() {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op.Request.Kind == histories.LeaseTimeToLive && isLeaseMissing(op) {
			j.exercise(models.LeaseExpires)
		}
	}
	for i := range j.history.Notes {
		n := &j.history.Notes[i]
		if n.Kind != "deadline" {
			continue
		}
		if op := j.lastLook(n.Line); op != nil && foundLease(op) && j.isOverdue(op) {
			l := j.lifeOf(op.Request.Lease)
			j.exercise(models.LeaseExpires)
			j.report(models.Finding{
				Property: models.LeaseExpires, Operations: []int{op.ID},
				Allowed: "the end of the lease within the run's deadline", Observed: plural(op.Answer.TTL, "second") + " left",
				Explanation: fmt.Sprintf("The lease of %s was for %s and nobody renewed it in time, but %s still found it after the run's deadline had passed.",
					j.name(l.grant.ID), plural(l.grant.Answer.TTL, "second"), j.name(op.ID)),
			})
		}
	}
}

// grace is how long a lease may outlive its time before that is held against the
// store: it ends leases in rounds, and a change of leaders renews them.
const grace = 5 * time.Second

// isOverdue reports whether a lease should long have ended when somebody looked:
// nobody can have renewed it since.
func (j *judge) isOverdue(look *histories.Operation) bool {
	l := j.lifeOf(look.Request.Lease)
	if l == nil {
		return false
	}
	later := func(op *histories.Operation) bool { return j.surely(look.Return) < op.Call }
	for _, renewal := range l.renewals {
		if !later(renewal) && j.surely(renewal.Return)+renewal.Answer.TTL*int64(time.Second)+int64(grace) >= look.Call {
			return false
		}
	}
	return !slices.ContainsFunc(j.history.Operations, func(op histories.Operation) bool {
		return op.Request.Kind == histories.LeaseKeepAlive && op.Request.Lease == l.id && op.Answer.Outcome == histories.Unknown && !later(&op)
	})
}

// lastLook returns the last timetolive of a plan's line.
func (j *judge) lastLook(line int) *histories.Operation {
	for i := len(j.history.Operations) - 1; i >= 0; i-- {
		if op := &j.history.Operations[i]; op.Line == line && op.Request.Kind == histories.LeaseTimeToLive {
			return op
		}
	}
	return nil
}
