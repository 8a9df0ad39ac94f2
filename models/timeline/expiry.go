package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// Expiry is a second axis beside the revision: the store's compaction point,
// which never goes back. Both axes are ordered together: an operation whose
// revision must lie above that of another also sees its compaction point.

// compaction is a call to compact that may have taken effect.
type compaction struct {
	op *histories.Operation
	to histories.Revision
}

// certainty is a lower bound of the compaction point: from point on, for whatever
// began after a time, and for whatever was answered above a revision.
type certainty struct {
	op       int
	point    histories.Revision
	since    int64
	below    histories.Revision
	endpoint int
}

// expiry is what the history says of compaction.
type expiry struct {
	compactions []compaction
	// before is the revision up to which somebody may have compacted before the
	// history began: the first revision that it knows.
	before histories.Revision
	// bySince and byBelow are the certainties, ascending by since and by below,
	// each with the highest point so far.
	bySince, byBelow         []certainty
	highestSince, highestTop []certainty
}

// beginning is the revision of a new store.
const beginning histories.Revision = 1

// placeExpiry collects the compactions and what is certain about them.
func (j *judge) placeExpiry() {
	x := &j.expiry
	x.before = j.firstRevision()
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op.Request.Kind == histories.Compact && op.Answer.Outcome != histories.Fail {
			x.compactions = append(x.compactions, compaction{op, op.Request.Revision})
		}
	}
	for i := range j.history.Operations {
		if c, ok := j.certaintyOf(&j.history.Operations[i]); ok {
			x.bySince = append(x.bySince, c)
		}
	}
	for _, s := range j.streams {
		if c, ok := j.certaintyOfEnd(s); ok {
			x.bySince = append(x.bySince, c)
		}
	}
	x.byBelow = slices.Clone(x.bySince)
	slices.SortStableFunc(x.bySince, func(a, b certainty) int { return cmp.Compare(a.since, b.since) })
	slices.SortStableFunc(x.byBelow, func(a, b certainty) int { return cmp.Compare(a.below, b.below) })
	x.highestSince, x.highestTop = running(x.bySince), running(x.byBelow)
}

// running returns, for each place of the list, the certainty with the highest point so far.
func running(list []certainty) []certainty {
	best := slices.Clone(list)
	for i := 1; i < len(best); i++ {
		if best[i].point <= best[i-1].point {
			best[i] = best[i-1]
		}
	}
	return best
}

// firstRevision returns the lowest revision at which anything was answered: what
// had been compacted before the history began lies at or below it.
func (j *judge) firstRevision() histories.Revision {
	first := unbounded
	for _, d := range j.time.demands {
		if d.bound > 0 && !d.exempt && !j.time.refuted[source{d.op.ID, 0}] {
			first = min(first, d.bound)
		}
	}
	for i := range j.history.Operations {
		first = min(first, uncompacted(&j.history.Operations[i]))
	}
	return first
}

// uncompacted returns a revision above which nothing was compacted when the
// history began, as an answer proves: a served read at it, the first compaction
// beyond it, or a refusal because the store had not reached the next.
func uncompacted(op *histories.Operation) histories.Revision {
	r := &op.Request
	switch {
	case r.Kind == histories.Transact && op.Answer.Outcome == histories.OK && !isSerializable(op):
		return lowestServed(op)
	case r.Serializable || r.Revision <= 0:
	case op.Answer.Outcome == histories.OK && r.Kind.IsRead():
		return r.Revision
	case op.Answer.Outcome == histories.OK && r.Kind == histories.Compact:
		return r.Revision - 1
	case isError(op, histories.Future):
		return r.Revision - 1
	}
	return unbounded
}

// lowestServed returns the lowest revision that a transaction has read at.
func lowestServed(op *histories.Operation) histories.Revision {
	lowest := unbounded
	for _, d := range deeds(op) {
		if d.answer != nil && d.request.Kind.IsRead() && d.request.Revision > 0 {
			lowest = min(lowest, d.request.Revision)
		}
	}
	return lowest
}

// certaintyOf returns what an answer proves about the compaction point.
func (j *judge) certaintyOf(op *histories.Operation) (certainty, bool) {
	c := certainty{op: op.ID, since: j.surely(op.Return), endpoint: op.Endpoint, below: j.ceiling(op.Return)}
	compacted := isError(op, histories.Compacted)
	switch {
	case op.Request.Kind == histories.Compact && op.Answer.Outcome == histories.OK:
		c.point = op.Request.Revision
		if op.Answer.Revision > 0 {
			c.below = min(c.below, op.Answer.Revision)
		}
	case op.Request.Kind == histories.Compact && compacted:
		c.point = j.lowestPoint(op, op.Request.Revision)
	case op.Request.Kind.IsRead() && compacted:
		c.point = j.lowestPoint(op, op.Request.Revision+1)
	default:
		return c, false
	}
	if compacted {
		c = j.fromTheStart(c, op, op.Return)
	}
	return c, c.point > 0
}

// fromTheStart widens a certainty that no compaction of the history explains: it
// was so when the history began. Members that lag may not have known it then.
func (j *judge) fromTheStart(c certainty, not *histories.Operation, by int64) certainty {
	if j.history.Header.Exclusive && j.endpoints == 1 && !j.mayBeCompactedBy(not, c.point-1, by) {
		c.since, c.below = -1, 0
	}
	return c
}

// lowestPoint returns the lowest compaction at or above a revision that can have
// happened before an answer: the point was at least there.
func (j *judge) lowestPoint(op *histories.Operation, atLeast histories.Revision) histories.Revision {
	if !j.history.Header.Exclusive || atLeast <= j.expiry.before {
		return atLeast
	}
	lowest := unbounded
	for _, c := range j.expiry.compactions {
		if c.op != op && c.to >= atLeast && c.op.Call <= j.surely(op.Return) && c.to <= j.ceiling(op.Return) {
			lowest = min(lowest, c.to)
		}
	}
	if lowest == unbounded {
		return 0 // unjustified: it proves nothing, judgeExpiry reports it
	}
	return lowest
}

func (j *judge) certaintyOfEnd(s *stream) (certainty, bool) {
	if !isExpired(s.end) || !j.happened(s.end.CompactRevision, s.end.Time) {
		return certainty{}, false
	}
	c := certainty{op: s.op.ID, point: s.end.CompactRevision, since: j.surely(s.end.Time), endpoint: s.op.Endpoint, below: j.ceiling(s.end.Time)}
	return j.fromTheStart(c, nil, s.end.Time), c.point > 0
}

// isExpired reports whether a stream was ended because its history is compacted.
func isExpired(end *histories.End) bool {
	return end != nil && (end.Reason == histories.EndCompacted || end.Error != nil && end.Error.Class == histories.Compacted)
}

func isError(op *histories.Operation, class histories.ErrorClass) bool {
	return op.Answer.Outcome == histories.Fail && op.Answer.Error != nil && op.Answer.Error.Class == class
}

// happened reports whether a compaction to exactly this revision may have happened by a time.
func (j *judge) happened(point histories.Revision, by int64) bool {
	if !j.history.Header.Exclusive || point <= j.expiry.before {
		return true
	}
	return slices.ContainsFunc(j.expiry.compactions, func(c compaction) bool {
		return c.to == point && c.op.Call <= j.surely(by) && !j.outdone(c)
	})
}

// outdone reports whether a compaction of unknown outcome came too late to happen:
// another that was over before went as far.
func (j *judge) outdone(late compaction) bool {
	return late.op.Answer.Outcome == histories.Unknown && slices.ContainsFunc(j.expiry.compactions, func(c compaction) bool {
		return c.op.Answer.Outcome == histories.OK && c.to >= late.to && j.surely(c.op.Return) < late.op.Call
	})
}

// ceiling is order.ceiling for a time that the clock tells.
func (j *judge) ceiling(time int64) histories.Revision { return j.time.ceiling(j.surely(time)) }

// mayBeCompacted reports whether a revision may have been below the compaction
// point at a time.
func (j *judge) mayBeCompacted(revision histories.Revision, by int64) bool {
	return j.mayBeCompactedBut(nil, revision, by)
}

func (j *judge) mayBeCompactedBut(not *histories.Operation, revision histories.Revision, by int64) bool {
	return !j.history.Header.Exclusive || revision < j.expiry.before || j.mayBeCompactedBy(not, revision, by)
}

// mayBeCompactedBy reports whether a compaction that the history shows may have
// passed a revision by a time.
func (j *judge) mayBeCompactedBy(not *histories.Operation, revision histories.Revision, by int64) bool {
	return slices.ContainsFunc(j.expiry.compactions, func(c compaction) bool {
		return c.op != not && c.to > revision && c.op.Call <= j.surely(by) && c.to <= j.ceiling(by)
	})
}

// surePoint returns the highest certain lower bound of the compaction point for
// an operation, with who proves it; position is zero where the answer has none.
func (j *judge) surePoint(op *histories.Operation, position histories.Revision) certainty {
	x := &j.expiry
	position = max(position, j.time.learned(op.Call))
	var sure certainty
	if at := sort.Search(len(x.bySince), func(i int) bool { return x.bySince[i].since >= op.Call }); at > 0 {
		sure = x.highestSince[at-1]
	}
	if at := sort.Search(len(x.byBelow), func(i int) bool { return x.byBelow[i].below >= position }); at > 0 && position > 0 {
		if top := x.highestTop[at-1]; top.point > sure.point {
			sure = top
		}
	}
	return sure
}

// known returns the highest lower bound of the compaction point that the endpoint of
// an operation itself had shown before. A member that lags may not know of others.
func (j *judge) known(op *histories.Operation) certainty {
	if j.endpoints == 1 {
		return j.surePoint(op, 0)
	}
	var sure certainty
	for _, c := range j.expiry.bySince {
		if c.since < op.Call && c.endpoint == op.Endpoint && c.point > sure.point {
			sure = c
		}
	}
	return sure
}

// certainlyCompacted reports whether a revision was below the compaction point
// when a watch was asked for it.
func (j *judge) certainlyCompacted(op *histories.Operation, revision histories.Revision) bool {
	return revision < j.known(op).point
}

// judgeExpiry holds every answer against the compaction point; watches come with
// their streams.
func (j *judge) judgeExpiry() {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		switch {
		case j.blamed(op.ID):
		case op.Request.Kind == histories.Compact:
			j.judgeCompact(op)
		case op.Request.Kind.IsRead():
			j.judgeExpiryOfRead(op)
		case op.Request.Kind == histories.Transact && isError(op, histories.Compacted):
			nested := nestedRevisions(op)
			if len(nested) > 0 {
				j.exerciseJustified(nested[0])
			}
			if len(nested) == 0 || nested[0] >= 0 && !j.mayBeCompacted(nested[0], op.Return) {
				j.reportUnjustified(op.ID, j.name(op.ID)+" reads at revisions that are kept", j.report)
			}
		case op.Request.Kind == histories.Transact && isError(op, histories.Future):
			j.judgeFutureOfTransaction(op)
		}
	}
}

// exerciseJustified counts an expiry of a revision that can be judged: nobody else
// compacts the store, and nobody can have before the history began.
func (j *judge) exerciseJustified(revision histories.Revision) {
	if j.history.Header.Exclusive && revision >= j.expiry.before {
		j.exercise(models.ExpiryJustified)
	}
}

// judgeFutureOfTransaction checks that a transaction which was refused for a future
// revision names one that may not have existed yet.
func (j *judge) judgeFutureOfTransaction(op *histories.Operation) {
	j.exercise(models.ReadFuture)
	existed := beginning
	if !isSerializable(op) {
		existed = max(existed, j.time.learned(op.Call))
	}
	if nested := nestedRevisions(op); len(nested) > 0 && nested[len(nested)-1] > existed {
		return
	}
	j.report(models.Finding{
		Property: models.ReadFuture, Operations: []int{op.ID}, Revision: existed, Allowed: "an answer: it reads at no later revision",
		Observed:    "refused for a future revision",
		Explanation: fmt.Sprintf("%s was refused because it reads at a revision that does not exist yet, but it reads at none above revision %d, which was known before.", j.name(op.ID), existed),
	})
}

func (j *judge) judgeExpiryOfRead(op *histories.Operation) {
	revision := op.Request.Revision
	sure := j.surePoint(op, op.Answer.Revision)
	switch {
	case isError(op, histories.Compacted):
		j.exerciseJustified(revision)
		if revision < sure.point {
			j.exercise(models.ExpiryOwed)
		}
		if revision <= 0 || !j.mayBeCompacted(revision, op.Return) {
			j.reportUnjustified(op.ID, fmt.Sprintf("%s asked for %s", j.name(op.ID), wantedRevision(revision)), j.report)
		}
	case isError(op, histories.Future):
		j.exercise(models.ReadFuture)
		if revision <= beginning {
			j.report(models.Finding{
				Property: models.ReadFuture, Operations: []int{op.ID}, Allowed: "an answer: every store has come that far",
				Observed:    "refused as a future revision",
				Explanation: fmt.Sprintf("%s was refused because %s does not exist yet, but every store has come that far.", j.name(op.ID), wantedRevision(revision)),
			})
		}
	case op.Answer.Outcome == histories.OK && revision > 0:
		if op.Request.Serializable {
			sure = j.known(op)
		}
		if revision < sure.point {
			j.exercise(models.ExpiryOwed)
			j.reportOwed(op.ID, sure, fmt.Sprintf("%s reads at revision %d", j.name(op.ID), revision), j.report)
		}
		if revision > op.Answer.Revision {
			j.report(models.Finding{
				Property: models.ReadFuture, Operations: []int{op.ID}, Revision: revision,
				Allowed: "a refusal: the revision does not exist yet", Observed: fmt.Sprintf("an answer at revision %d", op.Answer.Revision),
				Explanation: fmt.Sprintf("%s asked for revision %d, which did not exist yet: its answer says that the store was at revision %d. It was served instead of refused.", j.name(op.ID), revision, op.Answer.Revision),
			})
		}
	}
}

// judgeCompact checks that a compaction was accepted or refused rightly.
func (j *judge) judgeCompact(op *histories.Operation) {
	to := op.Request.Revision
	allowed, observed := "", ""
	switch sure := j.surePoint(op, 0); {
	case op.Answer.Outcome == histories.OK:
		j.exercise(models.ExpiryCompactRefused)
		switch {
		case sure.op != 0 && to <= sure.point:
			allowed, observed = fmt.Sprintf("a refusal: revision %d was compacted before", sure.point), "success"
		case j.compactedTwice(op):
			allowed, observed = fmt.Sprintf("a refusal: revision %d was compacted by another call", to), "success"
		case to > j.ceiling(op.Return), op.Answer.Revision > 0 && to > op.Answer.Revision:
			allowed, observed = "a refusal: the revision did not exist yet", "success"
		}
	case isError(op, histories.Compacted):
		j.exercise(models.ExpiryCompactRefused)
		if to >= 0 && !j.mayBeCompactedBut(op, to-1, op.Return) {
			allowed, observed = fmt.Sprintf("success: no compaction had reached revision %d", to), "a refusal as compacted"
		}
	case isError(op, histories.Future):
		j.exercise(models.ExpiryCompactRefused)
		if to == beginning {
			allowed, observed = "success: every store has come that far", "a refusal as in the future"
		}
	}
	if allowed == "" {
		return
	}
	j.report(models.Finding{
		Property: models.ExpiryCompactRefused, Operations: []int{op.ID}, Revision: to, Allowed: allowed, Observed: observed,
		Explanation: fmt.Sprintf("The store was asked to compact to revision %d, by %s, and answered with %s; owed was %s.", to, j.name(op.ID), observed, allowed),
	})
}

// compactedTwice reports whether an earlier call was told as well that it
// compacted to the same revision: only one of the two can have.
func (j *judge) compactedTwice(op *histories.Operation) bool {
	return slices.ContainsFunc(j.expiry.compactions, func(c compaction) bool {
		return c.op.ID < op.ID && c.to == op.Request.Revision && c.op.Answer.Outcome == histories.OK
	})
}

func (j *judge) reportOwed(op int, sure certainty, what string, report func(models.Finding)) {
	report(models.Finding{
		Property: models.ExpiryOwed, Operations: []int{op, sure.op}, Revision: sure.point,
		Allowed: fmt.Sprintf("compacted: %s had shown that everything below revision %d is gone", j.name(sure.op), sure.point), Observed: "an answer",
		Explanation: fmt.Sprintf("%s and was served instead of refused as compacted, although %s had shown before that the store is compacted to revision %d.", what, j.name(sure.op), sure.point),
	})
}

func (j *judge) reportUnjustified(op int, what string, report func(models.Finding)) {
	report(models.Finding{
		Property: models.ExpiryJustified, Operations: []int{op},
		Allowed: "an answer: no compaction can have passed that revision", Observed: "refused as compacted",
		Explanation: what + ", but was refused as compacted: no compaction can have gone beyond that by then.",
	})
}

// wantedRevision names what a read asks for.
func wantedRevision(revision histories.Revision) string {
	if revision <= 0 {
		return "the newest revision"
	}
	return fmt.Sprintf("revision %d", revision)
}
