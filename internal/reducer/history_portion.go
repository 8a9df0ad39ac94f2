package reducer

import (
	"cmp"
	"maps"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// portion is the part of a history that a candidate keeps.
type portion struct {
	operations []bool // by position
	// until is how many events a stream keeps from its start, by position.
	until []int
	// gone are single events that are left out.
	gone map[eventRef]bool
}

// eventRef is an event by the position of its stream and its own.
type eventRef struct{ stream, event int }

func (p *portion) clone() *portion {
	return &portion{slices.Clone(p.operations), slices.Clone(p.until), maps.Clone(p.gone)}
}

// size is what a reduction makes smaller: the operations and the events that are left.
func (p *portion) size(l *links) int {
	n := 0
	for _, kept := range p.operations {
		if kept {
			n++
		}
	}
	for i := range l.history.Streams {
		n += len(p.shown(l, i))
	}
	return n
}

// shown returns the positions of the events that a stream still shows.
func (p *portion) shown(l *links, stream int) []int {
	if at := l.watches[stream]; at < 0 || !p.operations[at] {
		return nil
	}
	var list []int
	for i := range p.until[stream] {
		if p.shows(l, eventRef{stream, i}) {
			list = append(list, i)
		}
	}
	return list
}

// shows reports whether an event stays: it is not left out itself, and neither are all
// that may have caused it.
func (p *portion) shows(l *links, e eventRef) bool {
	causes := l.causes[e.stream][e.event]
	return !p.gone[e] && (len(causes) == 0 || slices.ContainsFunc(causes, func(at int) bool { return p.operations[at] }))
}

// piece is something that can be left out.
type piece struct {
	operations []int // by position
	events     []eventRef
}

func (s piece) leaveOut(p *portion) {
	for _, at := range s.operations {
		p.operations[at] = false
	}
	for _, e := range s.events {
		p.gone[e] = true
	}
}

// clients lists the calls of each client.
func (r *historyReduction) clients() []piece {
	var names []string
	calls := map[string][]int{}
	for _, piece := range r.operations() {
		at := piece.operations[0]
		name := r.links.history.Operations[at].Client
		if calls[name] == nil {
			names = append(names, name)
		}
		calls[name] = append(calls[name], at)
	}
	var list []piece
	for _, name := range names {
		list = append(list, piece{operations: calls[name]})
	}
	return list
}

// operations lists the calls that are left but the one that is to blame: the last ones
// first, for nothing builds on them, and later those that need most others.
func (r *historyReduction) operations() []piece {
	var left []int
	for at, kept := range r.kept.operations {
		if kept && r.links.history.Operations[at].ID != r.wanted.Culprit {
			left = append(left, at)
		}
	}
	if r.thorough {
		slices.Reverse(left)
	} else {
		slices.SortStableFunc(left, func(a, b int) int { return cmp.Compare(r.links.weight(b), r.links.weight(a)) })
	}
	list := make([]piece, 0, len(left))
	for _, at := range left {
		list = append(list, piece{operations: []int{at}})
	}
	return list
}

// uncaused lists the events that no call caused, such as notifications.
func (r *historyReduction) uncaused() []piece {
	var list []piece
	for i := range r.links.history.Streams {
		for _, event := range r.kept.shown(r.links, i) {
			if len(r.links.causes[i][event]) == 0 {
				list = append(list, piece{events: []eventRef{{i, event}}})
			}
		}
	}
	return list
}

// project makes the history that a portion is.
func (l *links) project(p *portion) *histories.History {
	h := *l.history
	h.Operations, h.Streams, h.Notes = nil, nil, nil
	lines := map[int]bool{}
	for at, kept := range p.operations {
		if kept {
			op := l.history.Operations[at]
			h.Operations = append(h.Operations, op)
			lines[op.Line] = true
		}
	}
	for i := range l.history.Streams {
		if at := l.watches[i]; at >= 0 && p.operations[at] {
			h.Streams = append(h.Streams, l.projectStream(p, i))
		}
	}
	for _, n := range l.history.Notes {
		if n.Line > 0 && lines[n.Line] {
			h.Notes = append(h.Notes, n)
		}
	}
	return &h
}

// projectStream keeps the events that a portion shows. A response that was whole stays
// so without some of its events.
func (l *links) projectStream(p *portion, stream int) histories.Stream {
	s := l.history.Streams[stream]
	whole := map[int]bool{}
	for i := range s.Events {
		whole[s.Events[i].Batch] = whole[s.Events[i].Batch] || s.Events[i].Last
	}
	var events []histories.Event
	for _, i := range p.shown(l, stream) {
		e := s.Events[i]
		if n := len(events); n > 0 && events[n-1].Batch == e.Batch {
			events[n-1].Last = false
		}
		e.Last = whole[e.Batch]
		events = append(events, e)
	}
	s.Events = events
	return s
}
