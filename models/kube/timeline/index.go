package timeline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/kube"
)

// stream is a watch with what it delivered.
type stream struct {
	*histories.Stream
	op       *histories.Operation
	options  histories.KubeOptions
	selector kube.Selector
	// legible: the selector is one that this program can evaluate.
	legible bool
	// partial: events show metadata only.
	partial bool
	// from is the resource version after which the watch begins; zero where it begins
	// with a state, or at a place that only the server knows.
	from histories.Revision
	// state: the watch begins with initial events.
	state bool
	// told is the resource version of the state, as the bookmark says that ends the
	// initial events, and end the number of events up to it, itself included.
	told histories.Revision
	end  int
	// awaited is the closing await, nil if there is none.
	awaited *histories.Operation
}

// whole reports whether the watch tells of everything in the run's space.
func (s *stream) whole() bool {
	return s.op.Request.Scope.Shape == histories.All && s.legible && s.selector.Empty() && s.op.Answer.Outcome == histories.OK
}

// index looks up what the later steps need.
func (j *judge) index() {
	j.writers = map[histories.WriteID]*histories.Operation{}
	j.vanished = map[string]*histories.Operation{}
	watches := map[int]*stream{}
	for i := range j.history.Streams {
		if s := j.streamOf(&j.history.Streams[i]); s != nil {
			j.streams = append(j.streams, s)
			watches[s.Op] = s
		}
	}
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op.Request.Write != "" && op.Request.Kind.IsWrite() {
			j.writers[op.Request.Write] = op
		}
		if s := watches[op.Request.Of]; s != nil && op.Request.Kind == histories.Await && op.Client == histories.ClosingClient {
			s.awaited = op
		}
	}
	j.rankKeys()
}

func (j *judge) streamOf(h *histories.Stream) *stream {
	op := j.history.Operation(h.Op)
	if op == nil || op.Request.Kind != histories.Watch {
		return nil
	}
	s := &stream{Stream: h, op: op, options: op.Request.Options()}
	var err error
	s.selector, err = kube.ParseSelector(s.options.LabelSelector, s.options.FieldSelector)
	s.legible = err == nil
	s.partial = isPartial(s.options.Encoding)
	rv, ok := parseRV(s.options.ResourceVersion)
	wantsState := s.options.SendInitialEvents
	s.state = wantsState != nil && *wantsState || wantsState == nil && ok && rv == 0
	if ok && !s.state {
		s.from = rv
	}
	for i := range h.Events {
		if e := &h.Events[i]; e.Type == histories.ProgressEvent && e.Details().InitialEventsEnd && s.told == 0 {
			s.told, s.end = e.Header, i+1
		}
	}
	return s
}

// isPartial reports whether an encoding shows metadata only.
func isPartial(encoding string) bool {
	return encoding == histories.Table || encoding == histories.MetadataOnly
}

// parseRV reads a resource version of a request: zero where it is unset or 0. It is
// false for what is no number or too large for one.
func parseRV(text string) (histories.Revision, bool) {
	if text == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > 1<<63-1 {
		return 0, false
	}
	return histories.Revision(n), true
}

// isSound reports whether a key is one of the run's.
func isSound(k histories.Key) bool {
	return k.Name != "" && !strings.HasPrefix(k.Name, histories.OutsideMark)
}

func (j *judge) rankKeys() {
	j.ranks = map[histories.Key]int{}
	note := func(k histories.Key) {
		if isSound(k) {
			j.ranks[k] = 0
		}
	}
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if !op.Request.Options().GenerateName {
			note(op.Request.Key)
		}
		for k := range op.Answer.Objects {
			note(op.Answer.Objects[k].Key)
		}
	}
	for i := range j.history.Streams {
		for k := range j.history.Streams[i].Events {
			note(j.history.Streams[i].Events[k].Object.Key)
		}
	}
	for k := range j.ranks {
		j.keys = append(j.keys, k)
	}
	slices.SortFunc(j.keys, func(a, b histories.Key) int { return cmp.Or(a.Compare(b), cmp.Compare(a.Namespace, b.Namespace)) })
	for rank, k := range j.keys {
		j.ranks[k] = rank
	}
}

// base is where the history begins: several plans share a store, and a read that may
// be old shows what an earlier one left.
type base struct {
	revision histories.Revision
	// known: what the space holds there is known: objects, and nothing else.
	known   bool
	objects map[histories.Key]histories.Revision
}

// findBase finds the last revision before the history's own: that of the list with which
// a run begins, or, where there is none, the one below the first value of the run. In
// a closed world the space is empty then, in an open one it holds what the list shows.
func (j *judge) findBase() {
	first := j.firstOwn() - 1
	list := j.firstList()
	switch {
	case list != nil && list.Answer.Revision <= first:
		j.base = base{revision: list.Answer.Revision, known: true, objects: map[histories.Key]histories.Revision{}}
		for i := range list.Answer.Objects {
			o := &list.Answer.Objects[i]
			j.base.objects[o.Key] = o.RV
		}
	case j.closed():
		j.base = base{revision: first, known: true}
	}
}

// firstList returns the list of everything that a run begins with, nil if it did not.
// What only observes the run may have begun before.
func (j *judge) firstList() *histories.Operation {
	first := slices.IndexFunc(j.history.Operations, func(op histories.Operation) bool { return !op.Request.Kind.IsDerived() })
	if first < 0 {
		return nil
	}
	op := &j.history.Operations[first]
	if op.Client != histories.ClosingClient || op.Request.Kind != histories.List || op.Request.Scope.Shape != histories.All ||
		op.Answer.Outcome != histories.OK || op.Answer.Revision <= 0 || op.Answer.Continue != "" {
		return nil
	}
	return op
}

// firstOwn is the smallest revision at which anybody saw a value of this history; where
// nobody did everything is older.
func (j *judge) firstOwn() histories.Revision {
	first := histories.Revision(0)
	j.eachShown(func(_ source, o *histories.Object, _ bool) {
		if j.writers[o.Write] != nil && o.Write != "" && (first == 0 || o.RV < first) {
			first = o.RV
		}
	})
	if first == 0 {
		return unbounded
	}
	return first
}

// isOld reports whether an object is of before the history.
func (j *judge) isOld(k histories.Key, rv histories.Revision) bool {
	return rv <= j.base.revision && j.base.objects[k] != rv
}
