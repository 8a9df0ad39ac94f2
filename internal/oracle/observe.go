package oracle

import "github.com/rvcheck/rvcheck/histories"

// observation is something that a stream, or an answer built late, told at a time:
// by then the store had reached a revision, or a compaction point.
type observation struct {
	time   int64
	newest histories.Revision
	point  histories.Revision
}

// claim says that a certain change exists.
type claim struct {
	revision histories.Revision
	key      string
	deleted  bool
	write    histories.WriteID
}

// evidence is what the history says beside the order of its calls.
type evidence struct {
	observations []observation
	claims       []claim
	named        []histories.Revision
}

func gather(h *histories.History) *evidence {
	e := &evidence{}
	for i := range h.Operations {
		e.operation(&h.Operations[i])
	}
	for i := range h.Streams {
		e.stream(&h.Streams[i])
	}
	return e
}

func (e *evidence) operation(op *histories.Operation) {
	e.name(op.Request.Revision, op.Request.StartRevision, op.Request.Expect, op.Answer.Revision)
	late := op.Request.Kind == histories.Compact || op.Request.Kind == histories.Watch
	if late && op.Answer.Outcome == histories.OK {
		e.observations = append(e.observations, observation{time: op.Return, newest: op.Answer.Revision})
	}
	for _, o := range op.Answer.Objects {
		e.object(o)
	}
	e.transaction(op)
}

func (e *evidence) stream(s *histories.Stream) {
	for i := range s.Events {
		event := &s.Events[i]
		e.name(event.Header)
		e.observations = append(e.observations, observation{time: event.Time, newest: max(event.Header, event.Object.RV)})
		switch event.Type {
		case histories.PutEvent:
			e.object(event.Object)
		case histories.DeleteEvent:
			e.name(event.Object.RV)
			e.claims = append(e.claims, claim{revision: event.Object.RV, key: event.Object.Key.Name, deleted: true})
		default:
		}
		if event.Prev != nil {
			e.object(*event.Prev)
		}
	}
	if s.End != nil {
		e.end(s.End)
	}
}

func (e *evidence) end(end *histories.End) {
	e.name(end.CompactRevision, end.Header)
	o := observation{time: end.Time, newest: end.Header}
	if end.Reason == histories.EndCompacted {
		o.point = end.CompactRevision
	}
	e.observations = append(e.observations, o)
}

func (e *evidence) object(o histories.Object) {
	e.name(o.RV, o.CreateRevision)
	e.claims = append(e.claims, claim{revision: o.RV, key: o.Key.Name, write: o.Write})
}

func (e *evidence) name(revisions ...histories.Revision) { e.named = append(e.named, revisions...) }

// revisionOf returns the revision at which a write was seen.
func (e *evidence) revisionOf(write histories.WriteID) (histories.Revision, bool) {
	for _, c := range e.claims {
		if write != "" && c.write == write {
			return c.revision, true
		}
	}
	return 0, false
}

// floor returns what was known of the store before a time.
func (e *evidence) floor(time, uncertainty int64) (newest, point histories.Revision) {
	for _, o := range e.observations {
		if o.time+uncertainty < time {
			newest, point = max(newest, o.newest), max(point, o.point)
		}
	}
	return newest, point
}
