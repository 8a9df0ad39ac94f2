package reducer

import (
	"cmp"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// links say what of a history hangs together. Operations are named by position.
type links struct {
	history *histories.History
	authors map[histories.WriteID]int
	grants  map[int64]int
	// removers are, by key, the operations that can have removed it.
	removers map[histories.Key][]int
	// placed are, by key, the writes whose revision anybody told, ascending.
	placed map[histories.Key][]placedWrite
	// watches holds the operation of each stream, -1 if there is none.
	watches []int
	// weights are, by operation, how many others it needs, nil until somebody asks.
	weights []int
	// thorough is the operation all of whose needs are kept, -1 if there is none.
	thorough int
	// causes are, by stream and event, the operations one of which caused it; none
	// where no operation of the history can have.
	causes [][][]int
}

type placedWrite struct {
	revision histories.Revision
	at       int
	// removes: it left no object.
	removes bool
}

func newLinks(h *histories.History) *links {
	l := &links{
		history: h, authors: map[histories.WriteID]int{}, grants: map[int64]int{}, removers: map[histories.Key][]int{},
		placed: map[histories.Key][]placedWrite{}, thorough: -1,
	}
	for at := range h.Operations {
		op := &h.Operations[at]
		if op.Request.Kind == histories.LeaseGrant && op.Answer.Lease != 0 {
			l.grants[op.Answer.Lease] = at
		}
		for _, r := range requests(&op.Request) {
			if r.Write != "" {
				l.authors[r.Write] = at
			}
		}
	}
	for i := range h.Streams {
		l.watches = append(l.watches, l.position(h.Streams[i].Op))
		causes := make([][]int, len(h.Streams[i].Events))
		for k := range h.Streams[i].Events {
			causes[k] = l.causesOf(&h.Streams[i].Events[k])
		}
		l.causes = append(l.causes, causes)
	}
	l.place()
	return l
}

// requests lists a request and those inside it.
func requests(r *histories.Request) []*histories.Request {
	all := []*histories.Request{r}
	if r.Txn == nil {
		return all
	}
	for _, branch := range [][]histories.Request{r.Txn.Then, r.Txn.Else} {
		for i := range branch {
			all = append(all, requests(&branch[i])...)
		}
	}
	return all
}

// objects lists the objects of an answer and of the results inside it.
func objects(a *histories.Answer) []*histories.Object {
	var all []*histories.Object
	for i := range a.Objects {
		all = append(all, &a.Objects[i])
	}
	for i := range a.Results {
		all = append(all, objects(&a.Results[i])...)
	}
	return all
}

// position returns where an operation stands, -1 if there is none with this id.
func (l *links) position(id int) int {
	at, found := slices.BinarySearchFunc(l.history.Operations, id, func(op histories.Operation, id int) int { return cmp.Compare(op.ID, id) })
	if !found {
		return -1
	}
	return at
}

// place collects which write is at which revision of its key: as answers say, and as
// objects and events show.
func (l *links) place() {
	for at := range l.history.Operations {
		l.placeCall(at)
	}
	for i := range l.history.Streams {
		for k := range l.history.Streams[i].Events {
			e := &l.history.Streams[i].Events[k]
			l.placeObject(&e.Object)
			if e.Prev != nil {
				l.placeObject(e.Prev)
			}
		}
	}
	l.placeRemovals()
	for key, list := range l.placed {
		slices.SortFunc(list, func(a, b placedWrite) int {
			return cmp.Or(cmp.Compare(a.revision, b.revision), cmp.Compare(a.at, b.at))
		})
		l.placed[key] = slices.Compact(list)
	}
}

func (l *links) add(key histories.Key, revision histories.Revision, at int, removes bool) {
	l.placed[key] = append(l.placed[key], placedWrite{revision, at, removes})
}

func (l *links) placeCall(at int) {
	op := &l.history.Operations[at]
	for _, r := range requests(&op.Request) {
		if op.Answer.Outcome == histories.OK && op.Answer.Revision > 0 && (r.Write != "" || r.Kind == histories.Delete) {
			l.add(r.Key, op.Answer.Revision, at, r.Write == "")
		}
	}
	for _, o := range objects(&op.Answer) {
		l.placeObject(o)
	}
}

func (l *links) placeObject(o *histories.Object) {
	if at, ok := l.authors[o.Write]; ok && o.Write != "" {
		l.add(o.Key, o.RV, at, false)
	}
}

// placeRemovals adds what removes keys without naming them, or without an answer.
func (l *links) placeRemovals() {
	for i := range l.history.Streams {
		for k, causes := range l.causes[i] {
			e := &l.history.Streams[i].Events[k]
			if e.Type != histories.DeleteEvent {
				continue
			}
			for _, at := range causes {
				l.add(e.Object.Key, e.Object.RV, at, true)
			}
		}
	}
	for at := range l.history.Operations {
		op := &l.history.Operations[at]
		if op.Answer.Outcome != histories.OK || op.Answer.Revision <= 0 {
			continue
		}
		for _, r := range requests(&op.Request) {
			for _, key := range l.within(r) {
				l.add(key, op.Answer.Revision, at, true)
			}
		}
	}
}

// within lists the keys that a range delete may have removed.
func (l *links) within(r *histories.Request) []histories.Key {
	var keys []histories.Key
	if r.Kind != histories.DeleteRange {
		return nil
	}
	for key := range l.placed {
		if r.Scope.Contains(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// causesOf lists the operations that may have caused an event: the write that it
// shows; of a deletion the calls that say so, else all that can have removed the key.
func (l *links) causesOf(e *histories.Event) []int {
	if e.Type != histories.DeleteEvent {
		if at, ok := l.authors[e.Object.Write]; ok && e.Object.Write != "" {
			return []int{at}
		}
		return nil
	}
	var certain, possible []int
	for _, at := range l.removersOf(e.Object.Key) {
		op := &l.history.Operations[at]
		possible = append(possible, at)
		if op.Answer.Outcome == histories.OK && op.Answer.Revision == e.Object.RV {
			certain = append(certain, at)
		}
	}
	if len(certain) > 0 {
		return certain
	}
	return possible
}

// removersOf lists the operations that can have removed a key.
func (l *links) removersOf(key histories.Key) []int {
	found, known := l.removers[key]
	if !known {
		found = l.where(func(op *histories.Operation) bool { return mayRemove(op, key) })
		l.removers[key] = found
	}
	return found
}

// mayRemove reports whether an operation can have removed a key: by name, by range, or
// because the key was bound to a lease.
func mayRemove(op *histories.Operation, key histories.Key) bool {
	return slices.ContainsFunc(requests(&op.Request), func(r *histories.Request) bool {
		switch {
		case r.Kind == histories.DeleteRange:
			return r.Scope.Contains(key)
		case r.Kind == histories.LeaseRevoke:
			return true
		case r.Kind == histories.Delete, r.Write != "" && r.Lease != 0:
			return r.Key == key
		default:
			return false
		}
	})
}

// upTo returns the last write of a key at or below a revision, -1 if there is none.
func (l *links) upTo(key histories.Key, revision histories.Revision) int {
	list := l.placed[key]
	at, _ := slices.BinarySearchFunc(list, revision+1, func(w placedWrite, r histories.Revision) int { return cmp.Compare(w.revision, r) })
	if at == 0 {
		return -1
	}
	return list[at-1].at
}

// chain lists the writes that made the object of a key what an answer shows: from its
// creation to its last change.
func (l *links) chain(o *histories.Object) []int {
	var made []int
	if at, ok := l.authors[o.Write]; ok && o.Write != "" {
		made = append(made, at)
	}
	if o.CreateRevision <= 0 || o.CreateRevision >= o.RV {
		return made
	}
	list := l.placed[o.Key]
	from, _ := slices.BinarySearchFunc(list, o.CreateRevision, func(w placedWrite, r histories.Revision) int { return cmp.Compare(w.revision, r) })
	for _, w := range list[from:] {
		if w.revision > o.RV {
			break
		}
		if !w.removes {
			made = append(made, w.at)
		}
	}
	return made
}

// needs lists what an operation refers to and what its answer shows; thorough: also
// what it builds on.
func (l *links) needs(at int, thorough bool) []int {
	op := &l.history.Operations[at]
	list := []int{l.position(op.Request.Of)}
	for _, r := range requests(&op.Request) {
		if grant, ok := l.grants[r.Lease]; ok && r.Lease != 0 {
			list = append(list, grant)
		}
		if thorough || at == l.thorough {
			list = append(list, l.foundation(op, r)...)
		}
		if at == l.thorough {
			list = append(list, l.state(op, r)...)
		}
	}
	for _, o := range objects(&op.Answer) {
		list = append(list, l.chain(o)...)
	}
	return list
}

// foundation lists the writes without which a request cannot have been answered as it
// was: what it was conditional on, and what it removed.
func (l *links) foundation(op *histories.Operation, r *histories.Request) []int {
	revision := cmp.Or(op.Answer.Revision, unbounded)
	var list []int
	if r.Conditional && r.Expect > 0 {
		list = append(list, l.upTo(r.Key, r.Expect))
	}
	if op.Answer.Outcome == histories.Fail && (r.Conditional || r.Kind == histories.Create) {
		list = append(list, l.upTo(r.Key, revision))
	}
	if r.Kind == histories.Delete {
		list = append(list, l.upTo(r.Key, revision-1))
	}
	for _, key := range l.within(r) {
		list = append(list, l.upTo(key, revision-1))
	}
	if r.Txn != nil {
		for _, c := range r.Txn.Compares {
			list = append(list, l.upTo(c.Key, revision-1))
		}
	}
	return list
}

// state lists the last writes of every key that a request is about.
func (l *links) state(op *histories.Operation, r *histories.Request) []int {
	revision := cmp.Or(op.Answer.Revision, unbounded)
	if r.Revision > 0 {
		revision = r.Revision
	}
	list := []int{l.upTo(r.Key, revision), l.upTo(r.Key, revision-1)}
	if r.Kind != histories.DeleteRange && r.Kind != histories.List && r.Kind != histories.Next {
		return list
	}
	for key := range l.placed {
		if r.Scope.Contains(key) {
			list = append(list, l.upTo(key, revision), l.upTo(key, revision-1))
		}
	}
	return list
}

// between lists the writes of each key that lie between two that are kept: what is
// there at the second may depend on them.
func (l *links) between(p *portion) []int {
	var list []int
	for _, writes := range l.placed {
		isKept := func(w placedWrite) bool { return p.operations[w.at] }
		first := slices.IndexFunc(writes, isKept)
		if first < 0 {
			continue
		}
		last := len(writes) - 1
		for !isKept(writes[last]) {
			last--
		}
		for _, w := range writes[first:last] {
			list = append(list, w.at)
		}
	}
	return list
}

const unbounded = histories.Revision(1 << 62)

// weight is how many other operations an operation keeps.
func (l *links) weight(at int) int {
	if l.weights == nil {
		l.weights = make([]int, len(l.history.Operations))
		for i := range l.weights {
			l.weights[i] = len(l.needs(i, false))
		}
	}
	return l.weights[at]
}

// complete puts back into a portion what the rest of it needs.
func (l *links) complete(p *portion, thorough bool) {
	var next []int
	add := func(list []int) {
		for _, at := range list {
			if at >= 0 && !p.operations[at] {
				p.operations[at] = true
				next = append(next, at)
			}
		}
	}
	for at, kept := range p.operations {
		if kept {
			next = append(next, at)
		}
	}
	for len(next) > 0 {
		for len(next) > 0 {
			at := next[len(next)-1]
			next = next[:len(next)-1]
			add(l.needs(at, thorough))
		}
		for i := range l.history.Streams {
			for _, k := range p.shown(l, i) {
				e := &l.history.Streams[i].Events[k]
				add(l.chain(&e.Object))
				if e.Prev != nil {
					add(l.chain(e.Prev))
				}
			}
		}
		if thorough {
			add(l.between(p))
		}
	}
}

// everything is the whole history, nothing a portion without any operation, but with
// all events of the streams that are put back.
func (l *links) everything() *portion {
	p := l.nothing()
	for at := range p.operations {
		p.operations[at] = true
	}
	return p
}

func (l *links) nothing() *portion {
	p := &portion{operations: make([]bool, len(l.history.Operations)), gone: map[eventRef]bool{}}
	for i := range l.history.Streams {
		p.until = append(p.until, len(l.history.Streams[i].Events))
	}
	return p
}

// cones lists what a finding may be about, narrow first: its operations, the last
// writes of its key and the events around; all writes of the key; whatever compacts and the run's own calls;
// all writes.
func (l *links) cones(f *models.Finding) [][]int {
	var seeds []int
	for _, id := range f.Operations {
		seeds = append(seeds, l.position(id))
	}
	seeds = append(seeds, l.around(f)...)
	cones := make([][]int, 0, 4)
	widen := func(more ...int) {
		seeds = append(slices.Clone(seeds), more...)
		seeds = slices.DeleteFunc(seeds, func(at int) bool { return at < 0 })
		cones = append(cones, seeds)
	}
	if f.Key == nil {
		widen()
	} else {
		widen(l.upTo(*f.Key, f.Revision), l.upTo(*f.Key, f.Revision-1))
		widen(l.where(func(op *histories.Operation) bool { return writes(op, *f.Key) })...)
	}
	widen(l.where(func(op *histories.Operation) bool {
		return op.Request.Kind == histories.Compact || op.Client == histories.WitnessClient || op.Client == histories.ClosingClient
	})...)
	widen(l.where(func(op *histories.Operation) bool { return op.Request.Kind.IsWrite() })...)
	return cones
}

// around lists what caused the event that a finding is about, the one before and the
// one after: without these nothing came too late or went missing.
func (l *links) around(f *models.Finding) []int {
	i := slices.IndexFunc(l.history.Streams, func(s histories.Stream) bool { return s.Op == f.Culprit })
	if i < 0 {
		return nil
	}
	events := l.history.Streams[i].Events
	at := slices.IndexFunc(events, func(e histories.Event) bool {
		return e.Object.RV == f.Revision && (f.Key == nil || e.Object.Key == *f.Key)
	})
	if at < 0 {
		at = slices.IndexFunc(events, func(e histories.Event) bool { return e.Object.RV > f.Revision })
	}
	var list []int
	for k := max(0, at-1); at >= 0 && k <= at+1 && k < len(events); k++ {
		list = append(list, l.causes[i][k]...)
	}
	return list
}

func writes(op *histories.Operation, key histories.Key) bool {
	return slices.ContainsFunc(requests(&op.Request), func(r *histories.Request) bool { return r.Write != "" && r.Key == key }) ||
		op.Request.Kind.IsWrite() && mayRemove(op, key)
}

func (l *links) where(wanted func(*histories.Operation) bool) []int {
	var found []int
	for at := range l.history.Operations {
		if wanted(&l.history.Operations[at]) {
			found = append(found, at)
		}
	}
	return found
}
