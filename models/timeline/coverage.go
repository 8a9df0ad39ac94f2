package timeline

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/internal/intervals"
)

// cover finds out over which revisions nothing can be missing from the timeline:
// where a stream over the whole scope has provably delivered everything. An
// event covers its own revision only once its batch is whole.
func (j *judge) cover() {
	var all []intervals.Interval
	for _, s := range j.streams {
		j.follow(s)
		if r := &s.op.Request; r.Scope.Shape == histories.All && len(r.Filters) == 0 && !s.heir && s.op.Answer.Outcome == histories.OK {
			if from := j.certainStart(s) - 1; from < s.reached {
				all = append(all, intervals.Interval{After: from, UpTo: s.reached})
			}
		}
	}
	j.covered = intervals.Of(all)
}

// follow computes how far a stream has come by whole batches and by progress.
func (j *judge) follow(s *stream) {
	s.reached = j.certainStart(s) - 1
	for i := range s.events {
		e := &s.events[i]
		switch {
		case j.time.refuted[source{s.op.ID, i + 1}]:
		case e.Type == histories.ProgressEvent:
			s.reached = max(s.reached, e.Header)
		case e.Last:
			s.reached = max(s.reached, e.Object.RV)
		default:
			s.reached = max(s.reached, e.Object.RV-1)
		}
	}
}

// certainStart is the first revision that the watch certainly owes: its start
// revision, or for a watch from now the one after the header of its creation,
// which was read after the watch had begun.
func (j *judge) certainStart(s *stream) histories.Revision {
	if s.op.Request.StartRevision > 0 {
		return s.op.Request.StartRevision
	}
	if s.op.Answer.Revision > 0 {
		return s.op.Answer.Revision + 1
	}
	return histories.Revision(1 << 62)
}

// mayHide reports whether a change of the key that nobody saw may lie in
// (after, upTo], as far as an answer that came at a time can have noticed.
// Outside coverage a write of unknown outcome may hide, whatever its condition, and
// in an open world anybody's.
func (j *judge) mayHide(rank int, after, upTo histories.Revision, time int64) bool {
	return j.mayHideOf(rank, after, upTo, time, func(deed) bool { return true })
}

// mayAppear reports whether a write that nobody saw may have made the key present.
func (j *judge) mayAppear(rank int, after, upTo histories.Revision, time int64) bool {
	return j.mayHideOf(rank, after, upTo, time, func(d deed) bool { return stores(d.request) })
}

// isBound reports whether the object of a key was bound to a lease after a revision.
func (j *judge) isBound(rank int, revision histories.Revision) bool {
	e := j.before(rank, revision+1)
	return e != nil && !e.deleted && e.lease != 0
}

// leaseEnd stands for the end of a lease, which may remove a key that is bound to
// one without anybody calling.
var leaseEnd = deed{request: &histories.Request{Kind: histories.LeaseRevoke}}

func (j *judge) mayHideOf(rank int, after, upTo histories.Revision, time int64, counts func(deed) bool) bool {
	if j.covered.Covers(after, upTo) {
		return false
	}
	if j.history.Header.World == histories.Open {
		return true
	}
	for _, d := range j.unseen[rank] {
		if at := d.op.Answer.Revision; d.op.Answer.Outcome == histories.OK && (at <= after || at > upTo) {
			continue // a range delete: only what it removed is not known
		}
		if counts(d) && d.op.Call <= j.surely(time) && !j.covered.Covers(max(after, j.time.learned(d.op.Call)), upTo) {
			return true
		}
	}
	return j.leased[rank] && counts(leaseEnd) && j.isBound(rank, after)
}

// open describes what is left to the porcupine judge: unknown writes that may
// hide outside the coverage, below the newest revision that any answer names.
func (j *judge) open() string {
	for rank := range j.unseen {
		for _, d := range j.unseen[rank] {
			if j.covered.Covers(j.time.learned(d.op.Call), j.time.newest) {
				continue
			}
			if d.op.Answer.Outcome == histories.OK {
				return j.name(d.op.ID) + " says how many keys it removed, not which, where no watch covers the history"
			}
			return j.name(d.op.ID) + ", whose outcome is unknown, may have taken effect where no watch covers the history"
		}
	}
	return ""
}
