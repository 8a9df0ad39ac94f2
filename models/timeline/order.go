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

// source is who says something about a revision: an operation, or the n-th event
// of a stream, counted from 1.
type source struct{ op, event int }

// lesson is a revision that somebody learned at a time: from then on every
// operation is answered at that revision or later (ETCD-01, RV-05).
type lesson struct {
	source
	time     int64
	revision histories.Revision
}

// demand is what an operation says of its own position: not above bound. Whoever
// had learned a higher revision before its call contradicts it.
type demand struct {
	op    *histories.Operation
	bound histories.Revision
	// exempt: the answer may be old (a watch on a member that lags).
	exempt bool
}

// order is what real time says about revisions. Equal times are concurrent.
type order struct {
	lessons []lesson // by time; best is the highest revision up to each
	best    []histories.Revision
	demands []demand // by call; lowest is the lowest bound from each on
	lowest  []histories.Revision
	// writes are the calls of effects, for the bounds from above.
	refuted map[source]bool
	// newest is the highest revision that any believed source names.
	newest histories.Revision
}

const unbounded = histories.Revision(math.MaxInt64)

// surely is the latest moment that a time may stand for, given the clock's uncertainty.
func (j *judge) surely(time int64) int64 {
	if time > histories.Never-j.history.Header.ClockUncertainty {
		return histories.Never
	}
	return time + j.history.Header.ClockUncertainty
}

// learned returns the highest revision known before a time.
func (o *order) learned(time int64) histories.Revision {
	at := sort.Search(len(o.lessons), func(i int) bool { return o.lessons[i].time >= time })
	if at == 0 {
		return 0
	}
	return o.best[at-1]
}

// ceiling returns the highest revision at which something that was over at a
// time can have been answered: whatever began later lies at or above it.
func (o *order) ceiling(time int64) histories.Revision {
	at := sort.Search(len(o.demands), func(i int) bool { return o.demands[i].op.Call > time })
	if at == len(o.demands) {
		return unbounded
	}
	return o.lowest[at]
}

// orderByTime holds every answer against what was known before its call. Where
// two sources exclude each other, the one that contradicts more others is
// refuted; a refuted source teaches nothing. Of a pair of which one is attested
// the other is to blame, however many others lie as it does.
func (j *judge) orderByTime() {
	j.time.refuted = map[source]bool{}
	j.collectLessons()
	j.collectDemands()
	j.settle()
	j.countOccasions()
	for _, c := range j.contradictions() {
		j.reportContradiction(c)
	}
	j.settle()
}

// countOccasions counts what real time puts to the test: answers that something
// known came before, and answers that something later can contradict.
func (j *judge) countOccasions() {
	for _, l := range j.time.lessons {
		if l.event == 0 && j.time.ceiling(l.time) < unbounded {
			j.exercise(models.HeaderNotAhead)
		}
	}
	for _, d := range j.time.demands {
		if d.op.Request.Kind.IsWrite() && d.op.Answer.Outcome != histories.Fail && j.time.learned(d.op.Call) > 0 {
			j.exercise(models.WriteRevisionOrder)
		}
	}
}

// collectLessons lists what every answer, event and notification teaches.
func (j *judge) collectLessons() {
	o := &j.time
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op.Answer.Revision > 0 && op.Return != histories.Never && !j.misstated(op) {
			o.lessons = append(o.lessons, lesson{source{op.ID, 0}, j.surely(op.Return), op.Answer.Revision})
		}
	}
	for _, s := range j.streams {
		for i := range s.events {
			e := &s.events[i]
			o.lessons = append(o.lessons, lesson{source{s.op.ID, i + 1}, j.surely(e.Time), max(e.Header, e.Object.RV)})
		}
	}
	slices.SortStableFunc(o.lessons, func(a, b lesson) int { return cmp.Compare(a.time, b.time) })
}

// misstated reports whether the answer of a write lost the vote about its revision.
func (j *judge) misstated(op *histories.Operation) bool {
	return op.Request.Kind.IsWrite() && op.Answer.Outcome == histories.OK && j.blamed(op.ID)
}

// collectDemands lists what the operations say of their positions.
func (j *judge) collectDemands() {
	o := &j.time
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if bound, ok := j.boundOf(op); ok {
			exempt := op.Request.Serializable || isSerializable(op) || j.endpoints > 1 && isLocal(op.Request.Kind)
			o.demands = append(o.demands, demand{op, bound, exempt})
		}
	}
	slices.SortStableFunc(o.demands, func(a, b demand) int { return cmp.Compare(a.op.Call, b.op.Call) })
}

// isSerializable reports whether a transaction holds nothing but serializable
// reads, or nothing at all: it is served from what the member has.
func isSerializable(op *histories.Operation) bool {
	return op.Request.Kind == histories.Transact && !slices.ContainsFunc(deeds(op), func(d deed) bool { return !d.request.Serializable })
}

// isLocal reports whether a member answers such a call from what it has, or fills
// in the header from it: the revision may lag behind other members.
func isLocal(kind histories.Kind) bool {
	switch kind {
	case histories.Watch, histories.Status, histories.LeaseGrant, histories.LeaseKeepAlive, histories.LeaseTimeToLive, histories.LeaseRevoke:
		return true
	default:
		return false
	}
}

// boundOf returns the highest revision that can have been known before the call.
func (j *judge) boundOf(op *histories.Operation) (histories.Revision, bool) {
	switch r := &op.Request; {
	case r.Kind == histories.Await || r.Kind == histories.Stop || r.Kind == histories.Progress:
		return 0, false
	case r.Kind.IsWrite():
		if at, ok := j.effectOfWrite(op); ok {
			return at - 1, true
		}
	}
	a := &op.Answer
	if a.Outcome == histories.Fail && a.Error != nil && a.Error.Class == histories.Future {
		if nested := nestedRevisions(op); len(nested) > 0 {
			return nested[len(nested)-1] - 1, true
		}
		return op.Request.Revision - 1, true
	}
	return a.Revision, a.Revision > 0
}

// effectOfWrite returns the revision of the effects that the timeline gives to a
// write, false if it changed nothing.
func (j *judge) effectOfWrite(op *histories.Operation) (histories.Revision, bool) {
	for _, d := range deeds(op) {
		if stores(d.request) {
			if at, ok := j.placeOf(d.request.Write); ok {
				return at, true
			}
		}
		if at, c, ok := j.acknowledgedBy(d); ok {
			if i, there := j.at[at]; there && j.effects[i].content == c {
				return at.revision, true
			}
		}
		if d.answer != nil && d.request.Kind == histories.DeleteRange && d.answer.Deleted > 0 && op.Answer.Outcome == histories.OK {
			return op.Answer.Revision, true
		}
	}
	return 0, false
}

func (j *judge) acknowledgedBy(d deed) (place, content, bool) {
	if d.answer == nil {
		return place{}, content{}, false
	}
	return j.acknowledged(d)
}

// settle computes the running extremes over the sources that are believed.
func (j *judge) settle() {
	o := &j.time
	o.best, o.lowest = make([]histories.Revision, len(o.lessons)), make([]histories.Revision, len(o.demands))
	high := histories.Revision(0)
	for i, l := range o.lessons {
		if !o.refuted[l.source] {
			high = max(high, l.revision)
		}
		o.best[i] = high
	}
	o.newest = high
	low := unbounded
	for i := len(o.demands) - 1; i >= 0; i-- {
		if d := &o.demands[i]; !d.exempt && !o.refuted[source{d.op.ID, 0}] {
			low = min(low, d.bound)
		}
		o.lowest[i] = low
	}
}

// contradiction is a source that excludes others: as a teacher it named a
// revision too high for operations that came later, as an operation it lies below
// what was known.
type contradiction struct {
	source
	revision histories.Revision
	tooHigh  []int // the later operations that it excludes
	tooLow   []source
	tooLowBy histories.Revision
	bound    histories.Revision
	time     int64
	// certain: one that it excludes is attested, so the votes do not matter.
	certain bool
}

// most is how many contradicting sources are weighed against each other; a lie
// that contradicts more than that is out anyway.
const most = 500

// contradictions picks the sources to refute, greedily: always the one that
// excludes most others.
func (j *judge) contradictions() []*contradiction {
	o := &j.time
	var teachers []lesson
	for _, l := range o.lessons {
		if l.revision > o.ceiling(l.time) && len(teachers) < most {
			teachers = append(teachers, l)
		}
	}
	if len(teachers) == 0 {
		return nil
	}
	var students []demand
	for _, d := range o.demands {
		if !d.exempt && o.learned(d.op.Call) > d.bound && len(students) < most {
			students = append(students, d)
		}
	}
	return j.cover2(teachers, students)
}

func (j *judge) cover2(teachers []lesson, students []demand) []*contradiction {
	nodes := map[source]*contradiction{}
	node := func(s source) *contradiction {
		if nodes[s] == nil {
			nodes[s] = &contradiction{source: s}
		}
		return nodes[s]
	}
	var picked []*contradiction
	attested, changed := j.attested(teachers), j.changed(students)
	for {
		clear(nodes)
		for _, l := range teachers {
			for i, d := range students {
				to := source{d.op.ID, 0}
				if l.time >= d.op.Call || l.revision <= d.bound || j.time.refuted[l.source] || j.time.refuted[to] {
					continue
				}
				s := node(to)
				if changed[i] || !attested[l.source] {
					t := node(l.source)
					t.revision, t.time = l.revision, l.time
					t.tooHigh = append(t.tooHigh, d.op.ID)
				} else {
					s.certain = true
				}
				s.bound = d.bound
				s.tooLow = append(s.tooLow, l.source)
				s.tooLowBy = max(s.tooLowBy, l.revision)
			}
		}
		worst := j.worst(nodes)
		if worst == nil {
			return picked
		}
		j.time.refuted[worst.source] = true
		picked = append(picked, worst)
	}
}

// worst returns a source that is certainly wrong, else the one that excludes most
// others; among equals the one whose word weighs least: notifications, then headers
// of reads, then writes.
func (j *judge) worst(nodes map[source]*contradiction) *contradiction {
	var worst *contradiction
	for _, n := range nodes {
		if worst == nil || j.worse(n, worst) {
			worst = n
		}
	}
	return worst
}

func (j *judge) worse(a, b *contradiction) bool {
	if a.certain != b.certain {
		return a.certain
	}
	size := func(c *contradiction) int { return len(c.tooHigh) + len(c.tooLow) }
	if size(a) != size(b) {
		return size(a) > size(b)
	}
	if wa, wb := j.weight(a.source), j.weight(b.source); wa != wb {
		return wa < wb
	}
	return cmp.Or(cmp.Compare(a.op, b.op), cmp.Compare(a.event, b.event)) > 0
}

// weight says how much a source is believed when it is one word against another.
func (j *judge) weight(s source) int {
	op := j.history.Operation(s.op)
	switch {
	case s.event > 0 && j.streamOf(s.op).events[s.event-1].Type == histories.ProgressEvent:
		return 0
	case s.event > 0:
		return 3
	case op.Request.Kind.IsWrite() && op.Answer.Outcome == histories.OK:
		return 2
	default:
		return 1
	}
}

func (j *judge) streamOf(op int) *stream {
	for _, s := range j.streams {
		if s.op.ID == op {
			return s
		}
	}
	return nil
}

// reportContradiction blames the refuted source.
func (j *judge) reportContradiction(c *contradiction) {
	if len(c.tooHigh) >= len(c.tooLow) {
		j.reportTooHigh(c)
		return
	}
	op := j.history.Operation(c.op)
	teacher := c.tooLow[0]
	j.report(models.Finding{
		Property: staleProperty(op), Operations: []int{c.op, teacher.op}, Revision: c.bound,
		Allowed:     fmt.Sprintf("revision %d or later, which %s had shown before the call", c.tooLowBy, j.name(teacher.op)),
		Observed:    j.behind(op, c),
		Explanation: fmt.Sprintf("%s was sent after %s had shown revision %d, but came back with %s.", j.name(c.op), j.name(teacher.op), c.tooLowBy, j.behind(op, c)),
	})
}

// behind says how an answer lies below what was known.
func (j *judge) behind(op *histories.Operation, c *contradiction) string {
	if isError(op, histories.Future) {
		if op.Request.Kind == histories.Transact {
			return "a refusal for a revision that does not exist yet"
		}
		return fmt.Sprintf("a refusal: revision %d does not exist yet", c.bound+1)
	}
	if op.Request.Kind.IsWrite() && c.bound != op.Answer.Revision {
		return fmt.Sprintf("an effect at revision %d", c.bound+1)
	}
	return fmt.Sprintf("an answer at revision %d", op.Answer.Revision)
}

// revisionText says where an operation lies.
func (j *judge) revisionText(op *histories.Operation) string {
	bound, _ := j.boundOf(op)
	switch {
	case isError(op, histories.Future):
		return fmt.Sprintf("was refused because revision %d did not exist yet", bound+1)
	case op.Request.Kind.IsWrite() && bound != op.Answer.Revision:
		return fmt.Sprintf("took effect at revision %d", bound+1)
	default:
		return fmt.Sprintf("was answered at revision %d", op.Answer.Revision)
	}
}

// staleProperty names the property that an answer breaks which lies below what was known.
func staleProperty(op *histories.Operation) string {
	if a := &op.Answer; a.Outcome == histories.Fail && a.Error != nil && a.Error.Class == histories.Future {
		if op.Request.Kind == histories.Compact {
			return models.ExpiryCompactRefused
		}
		return models.ReadFuture
	}
	switch op.Request.Kind {
	case histories.Get:
		return models.GetFresh
	case histories.List, histories.Next:
		return models.ListFresh
	case histories.Watch:
		return models.WatchCreated
	case histories.Create, histories.Update, histories.Put, histories.Delete, histories.DeleteRange, histories.Transact, histories.LeaseAttach:
		if op.Answer.Outcome != histories.Fail && !changedNothing(op) {
			return models.WriteRevisionOrder
		}
		return models.HeaderMonotone
	default:
		return models.HeaderMonotone
	}
}

// changedNothing reports whether a transaction says that it wrote nothing.
func changedNothing(op *histories.Operation) bool {
	return op.Request.Kind == histories.Transact && !slices.ContainsFunc(deeds(op), func(d deed) bool {
		return d.answer != nil && (stores(d.request) || d.answer.Deleted > 0)
	})
}

func (j *judge) reportTooHigh(c *contradiction) {
	later := c.tooHigh[0]
	lies := j.revisionText(j.history.Operation(later))
	f := models.Finding{
		Operations: []int{c.op, later}, Revision: c.revision,
		Allowed:  fmt.Sprintf("a revision that the store has reached; %s was sent later and %s", j.name(later), lies),
		Observed: fmt.Sprintf("revision %d", c.revision),
	}
	f.Explanation = fmt.Sprintf("%s told of revision %d, but the store had not come so far: %s, which was sent later, %s.", j.name(c.op), c.revision, j.name(later), lies)
	if c.event == 0 {
		f.Property = models.HeaderNotAhead
		if op := j.history.Operation(c.op); op.Request.Kind.IsWrite() && op.Answer.Outcome == histories.OK {
			f.Property = models.WriteRevisionOrder
		}
		j.report(f)
		return
	}
	switch e := &j.streamOf(c.op).events[c.event-1]; {
	case e.Type == histories.ProgressEvent:
		f.Property = models.ProgressNotAhead
		f.Explanation = fmt.Sprintf("Progress told %s that everything up to revision %d was delivered, but the store had not come so far: %s, which was sent later, %s.",
			j.name(c.op), c.revision, j.name(later), lies)
	case e.Header > e.Object.RV:
		f.Property = models.HeaderNotAhead
	default:
		f.Property = models.WatchAuthentic
	}
	j.reportStream(f)
}
