package timeline

import (
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// stream is one watch with the operation that opened it.
type stream struct {
	op     *histories.Operation
	events []histories.Event
	end    *histories.End
	// heir: an earlier watch had the same id on the same transport stream. What a
	// server still sends under that id may be for either.
	heir bool
	// awaited is the closing await of this stream, nil if the run did not get there.
	awaited *histories.Operation
	// reached is the revision up to which the stream has provably delivered its scope.
	reached histories.Revision
}

// index looks up what the later steps need: keys by rank, writes by id, watches
// with their streams.
func (j *judge) index() {
	j.rankKeys()
	j.authors = map[histories.WriteID]deed{}
	watches := map[int]*stream{}
	for i := range j.history.Streams {
		s := &j.history.Streams[i]
		opened := &stream{events: s.Events, end: s.End}
		watches[s.Op] = opened
		j.streams = append(j.streams, opened)
	}
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		j.endpoints = max(j.endpoints, op.Endpoint)
		for _, d := range deeds(op) {
			if stores(d.request) {
				j.authors[d.request.Write] = d
				if d.request.Lease != 0 {
					j.leased[j.ranks[d.request.Key]] = true
				}
			}
		}
		switch r := &op.Request; r.Kind {
		case histories.Watch:
			if s := watches[op.ID]; s != nil {
				s.op = op
			}
		case histories.Await:
			if s := watches[r.Of]; s != nil && op.Client == histories.ClosingClient {
				s.awaited = op
			}
		default:
		}
	}
	j.streams = slices.DeleteFunc(j.streams, func(s *stream) bool { return s.op == nil })
	j.findHeirs()
}

// findHeirs marks the watches that took over an id.
func (j *judge) findHeirs() {
	type identity struct {
		client, transport string
		id                int64
	}
	had := map[identity]bool{}
	for _, s := range j.streams {
		r := &s.op.Request
		if r.WatchID == 0 || r.Transport == "" {
			continue
		}
		i := identity{s.op.Client, r.Transport, r.WatchID}
		s.heir = had[i]
		had[i] = true
	}
}

// rankKeys sorts every key that the history mentions.
func (j *judge) rankKeys() {
	j.ranks = map[histories.Key]int{}
	see := func(k histories.Key) { j.ranks[k] = 0 }
	for i := range j.history.Operations {
		for _, d := range deeds(&j.history.Operations[i]) {
			if stores(d.request) || d.request.Kind == histories.Delete || d.request.Kind == histories.Get {
				see(d.request.Key)
			}
			if d.answer == nil {
				continue
			}
			for k := range d.answer.Objects {
				see(d.answer.Objects[k].Key)
			}
		}
	}
	for i := range j.history.Streams {
		for k := range j.history.Streams[i].Events {
			e := &j.history.Streams[i].Events[k]
			if e.Type == histories.ProgressEvent {
				continue
			}
			see(e.Object.Key)
			if e.Prev != nil {
				see(e.Prev.Key)
			}
		}
	}
	for k := range j.ranks {
		j.keys = append(j.keys, k)
	}
	slices.SortFunc(j.keys, histories.Key.Compare)
	for rank, k := range j.keys {
		j.ranks[k] = rank
	}
	j.leased = make([]bool, len(j.keys))
}

// span returns the ranks [from, to) of the keys that a list may return.
func span(keys []histories.Key, r *histories.Request) (from, to int) {
	from, to = 0, len(keys)
	low, high := "", ""
	switch r.Scope.Shape {
	case histories.Single:
		low, high = r.Scope.Key.Name, r.Scope.Key.Name+"\x00"
	case histories.Prefix:
		low = r.Scope.Key.Name
		high, _ = histories.PrefixEnd(low)
	case histories.Range:
		low, high = r.Scope.Key.Name, r.Scope.End
		if high <= low {
			return 0, 0
		}
	default:
	}
	if r.HasStart {
		low = max(low, r.Start)
	}
	search := func(name string) int {
		at, _ := slices.BinarySearchFunc(keys, name, func(k histories.Key, n string) int { return strings.Compare(k.Name, n) })
		return at
	}
	if low != "" {
		from = search(low)
	}
	if high != "" {
		to = search(high)
	}
	return from, max(from, to)
}
