package timeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

const unbounded = histories.Revision(math.MaxInt64)

// lesson is a resource version that somebody learned at a time: whatever asks for the
// most recent state later is answered at that one or a later one (RV-05, LIST-02).
type lesson struct {
	source
	time     int64
	revision histories.Revision
}

// demand is what an operation says of its own position: not above bound.
type demand struct {
	op    *histories.Operation
	bound histories.Revision
}

// timing is what real time says about resource versions. Equal times are concurrent.
type timing struct {
	lessons []lesson // by time; best is the highest revision up to each
	best    []histories.Revision
	demands []demand // by call; lowest is the lowest bound from each on
	lowest  []histories.Revision
	// refuted are the sources that more others contradict than anything else.
	refuted map[source]bool
}

// surely is the latest moment that a time may stand for, given the clock's uncertainty.
func (j *judge) surely(time int64) int64 {
	if time > histories.Never-j.history.Header.ClockUncertainty {
		return histories.Never
	}
	return time + j.history.Header.ClockUncertainty
}

// learned returns the highest revision known before a time.
func (t *timing) learned(time int64) histories.Revision {
	at := sort.Search(len(t.lessons), func(i int) bool { return t.lessons[i].time >= time })
	if at == 0 {
		return 0
	}
	return t.best[at-1]
}

// ceiling returns the highest revision at which something that was over at a time can
// have been answered: whatever began later lies at or above it.
func (t *timing) ceiling(time int64) histories.Revision {
	at := sort.Search(len(t.demands), func(i int) bool { return t.demands[i].op.Call > time })
	if at == len(t.demands) {
		return unbounded
	}
	return t.lowest[at]
}

// order holds every answer against what was known before its call. Where two sources
// exclude each other, the one that contradicts more others is refuted; a refuted source
// teaches nothing.
func (j *judge) order() {
	j.time.refuted = map[source]bool{}
	j.collectLessons()
	j.collectDemands()
	j.settle()
	for {
		worst, found := j.worst()
		if !found {
			break
		}
		j.time.refuted[worst.source] = true
		j.reportContradiction(worst)
		j.settle()
	}
	j.countOrdered()
}

func (j *judge) countOrdered() {
	for _, l := range j.time.lessons {
		if j.time.ceiling(l.time) == unbounded {
			continue
		}
		if e := j.eventOf(l.source); e != nil && e.Type == histories.ProgressEvent {
			j.Exercise(models.ProgressNotAhead)
		} else if e == nil {
			j.Exercise(models.HeaderNotAhead)
		}
	}
	for _, d := range j.time.demands {
		if j.time.learned(d.op.Call) == 0 {
			continue
		}
		if d.op.Request.Kind.IsWrite() {
			j.Exercise(models.WriteRevisionOrder)
		} else {
			j.Exercise(models.ListFresh)
		}
	}
}

// collectLessons lists what every answer, event and bookmark teaches.
func (j *judge) collectLessons() {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op.Return == histories.Never || op.Answer.Outcome != histories.OK || op.Request.Kind.IsDerived() {
			continue
		}
		if r := told(op); r > 0 {
			j.time.lessons = append(j.time.lessons, lesson{source{op: op.ID}, j.surely(op.Return), r})
		}
	}
	for _, s := range j.streams {
		for i := range s.Events {
			e := &s.Events[i]
			if r := max(e.Header, e.Object.RV); r > 0 && e.Type != histories.ErrorEvent {
				j.time.lessons = append(j.time.lessons, lesson{source{s.Op, i + 1}, j.surely(e.Time), r})
			}
		}
	}
	slices.SortStableFunc(j.time.lessons, func(a, b lesson) int { return cmp.Compare(a.time, b.time) })
}

// told is the newest resource version that a successful answer shows. A list of a
// deleted collection shows what was there before. A dry run tells none: an apply to what
// is absent repeats the one in its request (finding A3).
func told(op *histories.Operation) histories.Revision {
	if op.Request.Options().DryRun {
		return 0
	}
	r := op.Answer.Revision
	for i := range op.Answer.Objects {
		r = max(r, op.Answer.Objects[i].RV)
	}
	return r
}

// collectDemands lists what operations say of their positions: a list of the most
// recent state, and writes whose effect is known.
func (j *judge) collectDemands() {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if r := j.ownRevision(op); r > 0 {
			j.time.demands = append(j.time.demands, demand{op, r - 1})
		} else if isRecentList(op) {
			j.time.demands = append(j.time.demands, demand{op, op.Answer.Revision})
		}
	}
	slices.SortStableFunc(j.time.demands, func(a, b demand) int { return cmp.Compare(a.op.Call, b.op.Call) })
}

// isRecentList reports whether an operation is a successful list of the most recent
// state that tells its resource version.
func isRecentList(op *histories.Operation) bool {
	return op.Request.Kind == histories.List && op.Answer.Outcome == histories.OK && op.Answer.Revision > 0 &&
		op.Request.Options().ResourceVersion == "" && op.Request.Options().ResourceVersionMatch == ""
}

// ownRevision is the revision that a write made, as its answer says, or the first one
// at which its value was seen, zero where nobody saw it.
func (j *judge) ownRevision(op *histories.Operation) histories.Revision {
	switch op.Request.Kind {
	case histories.Create, histories.Update, histories.Patch:
	default:
		return 0
	}
	if op.Answer.Outcome == histories.OK && showsStored(op) && madeBy(op, &op.Answer.Objects[0]) {
		return op.Answer.Objects[0].RV
	}
	if op.Answer.Outcome != histories.Unknown {
		return 0
	}
	if e := j.firstOf(op); e != nil {
		return e.revision
	}
	return 0
}

// firstOf returns the first effect that shows the value of a write, nil if none does.
func (j *judge) firstOf(op *histories.Operation) *effect {
	if op.Request.Options().GenerateName {
		for _, e := range j.effects {
			if e.object != nil && madeBy(op, e.object) {
				return e
			}
		}
		return nil
	}
	rank, ok := j.ranks[op.Request.Key]
	if !ok {
		return nil
	}
	for _, e := range j.byKey[rank] {
		if e.object != nil && !e.lost && madeBy(op, e.object) {
			return e
		}
	}
	return nil
}

// settle computes what is known at each time from the sources that are believed.
func (j *judge) settle() {
	t := &j.time
	t.best, t.lowest = make([]histories.Revision, len(t.lessons)), make([]histories.Revision, len(t.demands))
	best := histories.Revision(0)
	for i, l := range t.lessons {
		if !t.refuted[l.source] {
			best = max(best, l.revision)
		}
		t.best[i] = best
	}
	lowest := unbounded
	for i := len(t.demands) - 1; i >= 0; i-- {
		if !t.refuted[source{op: t.demands[i].op.ID}] {
			lowest = min(lowest, t.demands[i].bound)
		}
		t.lowest[i] = lowest
	}
}

// contradiction is a source with those that it excludes.
type contradiction struct {
	source
	// ahead are demands that lie below what the source told before them, behind are
	// lessons from before the source that lie above what it says of itself.
	ahead, behind []int
}

// worst returns the source that contradicts most others. Of two that only contradict
// each other it is the later one, but for what a bookmark says.
func (j *judge) worst() (*contradiction, bool) {
	t, all := &j.time, map[source]*contradiction{}
	of := func(s source) *contradiction {
		if all[s] == nil {
			all[s] = &contradiction{source: s}
		}
		return all[s]
	}
	for _, d := range t.demands {
		by := source{op: d.op.ID}
		if t.refuted[by] || t.learned(d.op.Call) <= d.bound {
			continue
		}
		for i, l := range t.lessons {
			if l.time >= d.op.Call {
				break
			}
			if l.revision > d.bound && !t.refuted[l.source] {
				of(by).behind = append(of(by).behind, i)
				of(l.source).ahead = append(of(l.source).ahead, d.op.ID)
			}
		}
	}
	var worst *contradiction
	for _, c := range all {
		if worst == nil || cmp.Or(cmp.Compare(c.weight(), worst.weight()), compareBools(j.isBookmark(c.source), j.isBookmark(worst.source)),
			compareSources(c.source, worst.source)) > 0 {
			worst = c
		}
	}
	return worst, worst != nil
}

func (c *contradiction) weight() int { return len(c.ahead) + len(c.behind) }

// eventOf returns the event that a source is, nil for an operation.
func (j *judge) eventOf(s source) *histories.Event {
	if s.event == 0 {
		return nil
	}
	return &j.history.Stream(s.op).Events[s.event-1]
}

func (j *judge) isBookmark(s source) bool {
	e := j.eventOf(s)
	return e != nil && e.Type == histories.ProgressEvent
}

func (j *judge) reportContradiction(c *contradiction) {
	if len(c.behind) > len(c.ahead) {
		j.reportStale(c)
		return
	}
	j.reportAhead(c)
}

func (j *judge) reportStale(c *contradiction) {
	op := j.history.Operation(c.op)
	highest := j.time.lessons[c.behind[0]]
	for _, i := range c.behind {
		if l := j.time.lessons[i]; l.revision > highest.revision {
			highest = l
		}
	}
	f := models.Finding{
		Property: models.ListFresh, Operations: []int{c.op, highest.op}, Revision: highest.revision,
		Allowed:  fmt.Sprintf("resource version %d or a later one", highest.revision),
		Observed: fmt.Sprintf("resource version %d", told(op)),
	}
	f.Explanation = fmt.Sprintf("%s was sent after %s had shown resource version %d, but was answered at resource version %d.",
		j.name(c.op), j.name(highest.op), highest.revision, told(op))
	if op.Request.Kind.IsWrite() {
		own := j.ownRevision(op)
		f.Property, f.Observed = models.WriteRevisionOrder, fmt.Sprintf("resource version %d", own)
		f.Allowed = fmt.Sprintf("a resource version above %d", highest.revision)
		f.Explanation = fmt.Sprintf("%s was sent after %s had shown resource version %d, but took effect at resource version %d.",
			j.name(c.op), j.name(highest.op), highest.revision, own)
	}
	j.Report(f)
}

func (j *judge) reportAhead(c *contradiction) {
	later := j.history.Operation(c.ahead[0])
	lies := fmt.Sprintf("was answered at resource version %d", later.Answer.Revision)
	if own := j.ownRevision(later); own > 0 {
		lies = fmt.Sprintf("took effect at resource version %d", own)
	}
	revision := histories.Revision(0)
	for _, l := range j.time.lessons {
		if l.source == c.source {
			revision = l.revision
		}
	}
	f := models.Finding{
		Operations: []int{c.op, later.ID}, Revision: revision,
		Allowed:  fmt.Sprintf("a resource version that the store has reached; %s was sent later and %s", j.name(later.ID), lies),
		Observed: fmt.Sprintf("resource version %d", revision),
	}
	f.Explanation = fmt.Sprintf("%s told of resource version %d, but the store had not come so far: %s, which was sent later, %s.", j.name(c.op), revision, j.name(later.ID), lies)
	switch e := j.eventOf(c.source); {
	case e == nil && j.history.Operation(c.op).Request.Kind.IsWrite():
		f.Property = models.WriteRevisionOrder
		j.Report(f)
	case e == nil:
		f.Property = models.HeaderNotAhead
		j.Report(f)
	case e.Type == histories.ProgressEvent:
		f.Property = models.ProgressNotAhead
		j.ReportStream(f)
	default:
		f.Property = models.WatchAuthentic
		j.ReportStream(f)
	}
}
