package kube

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

var eventDamages = []Damage{
	{ID: "event-lost", Property: models.WatchNoGap, Apply: streams(begins, events(1, removed))},
	{ID: "event-twice", Property: models.WatchUnique, Apply: streams(begins, events(0, doubled))},
	{ID: "events-swapped", Property: models.WatchOrdered, Apply: streams(begins, events(1, exchanged))},
	{ID: "event-of-another-version", Property: models.WatchContent, Apply: streams(begins, events(0, otherContent))},
	{ID: "event-of-another-type", Property: models.WatchContent, Apply: streams(begins, events(0, otherType))},
	{ID: "deletion-with-old-version", Property: models.WatchContent, Apply: streams(begins, events(0, oldVersion))},
	{ID: "deletion-of-older-state", Property: models.WatchContent, Apply: streams(begins, events(0, olderState))},
	{ID: "event-out-of-scope", Property: models.WatchScope, Apply: streams(begins, events(0, outOfScope))},
	{ID: "event-from-before", Property: models.WatchStart, Apply: streams(begins, startRaised)},
	{ID: "deletion-of-its-own", Property: models.WatchAuthentic, Apply: streams(both2(begins, unselective), events(0, invented))},
	{ID: "leaving-not-told", Property: models.WatchSelector, Apply: streams(both2(begins, selectiveWatch), events(1, leavingLost))},
	{ID: "joining-is-modified", Property: models.WatchSelector, Apply: streams(both2(begins, selectiveWatch), events(0, otherType))},
	{ID: "event-after-error", Property: models.WatchErrorLast, Apply: streams(ended, afterError)},
}

// begins holds for watches that begin behind a resource version and delivered something.
func begins(r *histories.Request, s *histories.Stream) bool {
	o := r.Options()
	rv, _ := kube.ParseRV(o.ResourceVersion)
	return rv.Revision > 0 && (o.SendInitialEvents == nil || !*o.SendInitialEvents) && len(s.Events) > 0 && s.Events[0].Type != histories.ErrorEvent
}

type suits = func(*histories.Request, *histories.Stream) bool

func both2(a, b suits) suits {
	return func(r *histories.Request, s *histories.Stream) bool { return a(r, s) && b(r, s) }
}

func unselective(r *histories.Request, _ *histories.Stream) bool    { return !hasSelector(r) }
func selectiveWatch(r *histories.Request, _ *histories.Stream) bool { return hasSelector(r) }

func ended(_ *histories.Request, s *histories.Stream) bool {
	return len(s.Events) > 0 && s.Events[len(s.Events)-1].Type == histories.ErrorEvent
}

// events makes a change to a stream of one to one of its changes, of which some have to
// follow it.
func events(behind int, change func(*histories.History, *histories.Stream, int) bool) func(*rand.Rand, *histories.History, *histories.Stream) bool {
	return func(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
		var found []int
		for i := range s.Events {
			if t := s.Events[i].Type; t != histories.ProgressEvent && t != histories.ErrorEvent {
				found = append(found, i)
			}
		}
		i, ok := one(rng, found[:max(0, len(found)-behind)])
		return ok && change(h, s, i)
	}
}

func removed(_ *histories.History, s *histories.Stream, i int) bool {
	s.Events = slices.Delete(s.Events, i, i+1)
	return true
}

func doubled(_ *histories.History, s *histories.Stream, i int) bool {
	s.Events = slices.Insert(s.Events, i, s.Events[i])
	return true
}

func exchanged(_ *histories.History, s *histories.Stream, i int) bool {
	for k := i + 1; k < len(s.Events); k++ {
		if t := s.Events[k].Type; t != histories.ProgressEvent && t != histories.ErrorEvent {
			s.Events[i].Object, s.Events[k].Object = s.Events[k].Object, s.Events[i].Object
			s.Events[i].Type, s.Events[k].Type = s.Events[k].Type, s.Events[i].Type
			return true
		}
	}
	return false
}

// otherContent shows the value of the version before, under the new resource version.
func otherContent(h *histories.History, s *histories.Stream, i int) bool {
	o := &s.Events[i].Object
	old, there := readLedger(h).before(o.Key, o.RV)
	if !there || old.Write == o.Write || old.Write == "" || o.Write == "" || s.Events[i].Type == histories.DeleteEvent {
		return false
	}
	o.Write = old.Write
	return true
}

func otherType(_ *histories.History, s *histories.Stream, i int) bool {
	switch e := &s.Events[i]; e.Type {
	case histories.AddedEvent:
		e.Type = histories.ModifiedEvent
	case histories.ModifiedEvent:
		e.Type = histories.AddedEvent
	default:
		return false
	}
	return true
}

// oldVersion tells of a deletion with the resource version that the object had.
func oldVersion(h *histories.History, s *histories.Stream, i int) bool {
	e := &s.Events[i]
	old, there := readLedger(h).before(e.Object.Key, e.Object.RV)
	e.Object.RV = old.RV
	return there && e.Type == histories.DeleteEvent
}

// olderState tells of a deletion with a state from before the last one.
func olderState(h *histories.History, s *histories.Stream, i int) bool {
	e := &s.Events[i]
	l := readLedger(h)
	last, _ := l.before(e.Object.Key, e.Object.RV)
	old, there := l.before(e.Object.Key, last.RV)
	if !there || old.UID != last.UID || old.Write == last.Write || old.Write == "" || e.Object.Write == "" {
		return false
	}
	e.Object.Write = old.Write
	return e.Type == histories.DeleteEvent
}

// outOfScope narrows the watch so that an event lies outside.
func outOfScope(h *histories.History, s *histories.Stream, i int) bool {
	r := &h.Operation(s.Op).Request
	other := "ab"
	if s.Events[i].Object.Key.Namespace == other {
		other = "a"
	}
	r.Scope = histories.Scope{Shape: histories.Namespace, Key: histories.Key{Namespace: other}}
	return true
}

// startRaised lets the watch have asked to begin behind what it delivered.
func startRaised(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	return events(0, func(h *histories.History, s *histories.Stream, i int) bool {
		otherOptions(&h.Operation(s.Op).Request, func(o *histories.KubeOptions) { o.ResourceVersion = s.Events[i].Object.RV.String() })
		return true
	})(rng, h, s)
}

// invented tells of a deletion that never was, behind an event.
func invented(h *histories.History, s *histories.Stream, i int) bool {
	e := s.Events[i]
	if e.Type == histories.DeleteEvent {
		return false
	}
	e.Type = histories.DeleteEvent
	if e.Object.RV = readLedger(h).free(e.Object.RV); i+1 < len(s.Events) && e.Object.RV >= max(s.Events[i+1].Object.RV, s.Events[i+1].Header) {
		return false
	}
	s.Events = slices.Insert(s.Events, i+1, e)
	return true
}

func leavingLost(h *histories.History, s *histories.Stream, i int) bool {
	return s.Events[i].Type == histories.DeleteEvent && removed(h, s, i)
}

func afterError(_ *rand.Rand, _ *histories.History, s *histories.Stream) bool {
	last := s.Events[len(s.Events)-1]
	s.Events = append(s.Events, last)
	return true
}
