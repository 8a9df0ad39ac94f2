package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// An API server compacts its store by itself, and a cache forgets when it likes. So who
// is refused as expired can only be held to the kind of request (EXP-01), and to the
// compactions of the run where the run alone makes them.

// judgeExpiry holds every 410, and every answer where one was owed.
func (j *judge) judgeExpiry() {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op.Request.Kind == histories.Compact {
			continue
		}
		if isError(op, histories.Compacted) {
			j.judgeForms(op, op.Answer.Error)
			j.judgeRefusal(op)
		}
		j.judgeOwed(op)
	}
	for _, s := range j.streams {
		for i := range s.Events {
			e := s.Events[i].Details().Error
			if s.Events[i].Type != histories.ErrorEvent || e == nil || e.Class != histories.Compacted {
				continue
			}
			j.judgeForms(s.op, e)
			j.judgeRefusedWatch(s, s.Events[i].Time)
			break
		}
	}
	j.judgeTokens()
}

// judgeForms holds the code and the reason of a 410 (EXP-06).
func (j *judge) judgeForms(op *histories.Operation, e *histories.Error) {
	j.Exercise(models.ExpiryForm)
	if (e.Code == "" || e.Code == "410") && (e.Reason == "" || e.Reason == "Expired" || e.Reason == "Gone") {
		return
	}
	observed := e.Code + " " + e.Reason
	j.ReportStream(models.Finding{
		Property: models.ExpiryForm, Operations: []int{op.ID}, Allowed: "410 Expired", Observed: observed,
		Explanation: fmt.Sprintf("%s was told by %s that what it asked for has expired.", j.name(op.ID), observed),
	})
}

// judgeRefusal holds a read or a watch that was refused as expired.
func (j *judge) judgeRefusal(op *histories.Operation) {
	r := &op.Request
	j.Exercise(models.ExpiryJustified)
	if r.Kind == histories.Watch {
		rv, ok := parseRV(r.Options().ResourceVersion)
		if ok && rv > 0 {
			j.judgeUnowed(op, rv, op.Return, j.profile.Cached || !j.strict)
		}
		return
	}
	asked, n := modeOf(r)
	switch asked {
	case recent, anyState, notOlder:
		if r.Kind != histories.Get && (r.Limit > 0 && !plainList(op) || isSingle(r) && n > 0) {
			return // LIST-22, LIST-12
		}
		j.Report(models.Finding{
			Property: models.ExpiryJustified, Operations: []int{op.ID}, Allowed: "an answer: it names no resource version that it needs exactly", Observed: "410",
			Explanation: fmt.Sprintf("%s does not ask for one exact resource version, but was refused as expired.", j.name(op.ID)),
		})
	case exactly:
		j.judgeUnowed(op, n, op.Return, false)
	case pinned:
		if c := j.chains[op.ID]; !c.foreign && c.revision > 0 {
			j.judgeUnowed(op, c.revision, op.Return, false)
		}
	case refused: // as it had to be, if with another error
	}
}

// judgeUnowed reports a refusal, at a time, of a revision that nothing can have taken
// away: the run alone compacts the store, and did not by then. What is older than the history may have
// been compacted before.
func (j *judge) judgeUnowed(op *histories.Operation, n histories.Revision, at int64, forgetful bool) {
	if !j.history.Header.Exclusive || forgetful || n <= j.base.revision || len(j.history.Faults) > 0 {
		return
	}
	if n == unbounded {
		return // nothing comes after it, and servers differ in what they make of that
	}
	for i := range j.history.Operations {
		c := &j.history.Operations[i]
		if c.Request.Kind == histories.Compact && c.Answer.Outcome != histories.Fail && c.Call <= j.surely(at) && c.Request.Revision > n {
			return
		}
	}
	j.Report(models.Finding{
		Property: models.ExpiryJustified, Operations: []int{op.ID}, Revision: n, Allowed: "an answer: nothing has compacted resource version " + n.String(), Observed: "410",
		Explanation: fmt.Sprintf("%s was refused as expired, but nobody had compacted the store beyond resource version %d.", j.name(op.ID), n),
	})
}

// judgeRefusedWatch holds an error event. A watch that lags may be overtaken by a
// compaction long after it was opened.
func (j *judge) judgeRefusedWatch(s *stream, at int64) {
	j.Exercise(models.ExpiryJustified)
	if s.from > 0 {
		j.judgeUnowed(s.op, s.from, at, j.profile.Cached || !j.strict)
	}
}

// compactedBefore is the highest revision that was certainly compacted to before a call.
func (j *judge) compactedBefore(op *histories.Operation) histories.Revision {
	highest := histories.Revision(0)
	for i := range j.history.Operations {
		c := &j.history.Operations[i]
		if c.Request.Kind == histories.Compact && c.Answer.Outcome == histories.OK && j.surely(c.Return) < op.Call {
			highest = max(highest, c.Request.Revision)
		}
	}
	return highest
}

// isCompacted reports whether a server without a cache certainly lacked a revision before
// a call.
func (j *judge) isCompacted(op *histories.Operation, n histories.Revision) bool {
	return j.strict && !j.profile.Cached && n > 0 && n < j.compactedBefore(op)
}

// judgeOwed reports an answer at a revision that a server without a cache can no longer
// have (EXP-03, EXP-04).
func (j *judge) judgeOwed(op *histories.Operation) {
	told := isError(op, histories.Compacted)
	if op.Answer.Outcome != histories.OK && !told || !op.Request.Kind.IsRead() {
		return
	}
	asked, n := modeOf(&op.Request)
	if c := j.chains[op.ID]; asked == pinned && !c.foreign {
		n = c.revision
	} else if asked != exactly {
		return
	}
	if n <= 0 || n >= j.compactedBefore(op) {
		return
	}
	j.Exercise(models.ExpiryOwed)
	if told || !j.isCompacted(op, n) {
		return // a cache may answer rightly (EXP-03); what is wrong is judged with the list
	}
	j.Report(models.Finding{
		Property: models.ExpiryOwed, Operations: []int{op.ID}, Revision: n, Allowed: "410", Observed: "an answer",
		Explanation: fmt.Sprintf("%s asked for resource version %d after the store had been compacted to %d, and was answered.", j.name(op.ID), n, j.compactedBefore(op)),
	})
}
