package kube

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var stateDamages = []Damage{
	{ID: "initial-incomplete", Property: models.WatchInitial, Apply: streams(marked, initialLost)},
	{ID: "initial-twice", Property: models.WatchInitial, Apply: streams(marked, initialTwice)},
	{ID: "initial-of-older", Property: models.WatchInitial, Apply: streams(marked, asksForMore)},
	{ID: "initial-shows-older", Property: models.WatchInitial, Apply: streams(marked, initialOlder)},
	{ID: "initial-incomplete-unmarked", Property: models.WatchInitial, Apply: streams(unmarked, initialLost)},
	{ID: "initial-end-missing", Property: models.WatchInitialEnd, Apply: streams(marked, markLost)},
	{ID: "initial-end-early", Property: models.WatchInitialEnd, Apply: streams(marked, markEarly)},
	{ID: "initial-end-twice", Property: models.WatchInitialEnd, Apply: streams(marked, markTwice)},
}

var bookmarkDamages = []Damage{
	{ID: "bookmark-early", Property: models.ProgressNoOvertaking, Apply: streams(begins, bookmarks(overtaking))},
	{ID: "bookmark-ahead", Property: models.ProgressNotAhead, Apply: streams(begins, bookmarks(ahead))},
	{ID: "bookmark-back", Property: models.ProgressMonotone, Apply: streams(begins, bookmarks(back))},
	{ID: "bookmark-unasked", Property: models.BookmarkAsked, Apply: streams(begins, bookmarks(unasked))},
	{ID: "bookmark-not-bare", Property: models.BookmarkBare, Apply: streams(begins, bookmarks(dressed))},
}

// markOf is the index of the bookmark that ends initial events, -1 for none.
func markOf(s *histories.Stream) int {
	return slices.IndexFunc(s.Events, func(e histories.Event) bool { return e.Details().InitialEventsEnd })
}

func marked(_ *histories.Request, s *histories.Stream) bool { return markOf(s) >= 0 }

// unmarked holds for watches that began with a state and then told of a change.
func unmarked(r *histories.Request, s *histories.Stream) bool {
	return !begins(r, s) && markOf(s) < 0 && len(s.Events) > 1 && s.Events[0].Type == histories.AddedEvent && r.Options().SendInitialEvents == nil
}

func initialLost(rng *rand.Rand, _ *histories.History, s *histories.Stream) bool {
	n := markOf(s)
	if n < 0 {
		n = 1
	}
	if n == 0 {
		return false
	}
	i := rng.IntN(n)
	s.Events = slices.Delete(s.Events, i, i+1)
	return true
}

func initialTwice(rng *rand.Rand, _ *histories.History, s *histories.Stream) bool {
	n := markOf(s)
	if n == 0 {
		return false
	}
	s.Events = slices.Insert(s.Events, n, s.Events[rng.IntN(n)])
	return true
}

// asksForMore lets the watch have asked for a later state than it got.
func asksForMore(_ *rand.Rand, h *histories.History, s *histories.Stream) bool {
	told := s.Events[markOf(s)].Header
	r := &h.Operation(s.Op).Request
	otherOptions(r, func(o *histories.KubeOptions) { o.ResourceVersion = (told + 1).String() })
	return r.Options().SendInitialEvents != nil
}

func initialOlder(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	n := markOf(s)
	if n == 0 {
		return false
	}
	o := &s.Events[rng.IntN(n)].Object
	old, there := readLedger(h).before(o.Key, o.RV)
	if there {
		*o = old
	}
	return there
}

func markLost(_ *rand.Rand, h *histories.History, s *histories.Stream) bool {
	i := markOf(s)
	s.Events = slices.Delete(s.Events, i, i+1)
	return h.Operation(s.Op).Request.Options().SendInitialEvents != nil && len(s.Events) > i
}

// markEarly puts the mark before the last initial event.
func markEarly(_ *rand.Rand, _ *histories.History, s *histories.Stream) bool {
	i := markOf(s)
	if i == 0 {
		return false
	}
	s.Events[i], s.Events[i-1] = s.Events[i-1], s.Events[i]
	return true
}

func markTwice(_ *rand.Rand, _ *histories.History, s *histories.Stream) bool {
	s.Events = slices.Insert(s.Events, markOf(s), s.Events[markOf(s)])
	return true
}

// bookmarks makes a change to a stream of one to one of its bookmarks.
func bookmarks(change func(*histories.History, *histories.Stream, int) bool) func(*rand.Rand, *histories.History, *histories.Stream) bool {
	return func(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
		var found []int
		for i := range s.Events {
			if s.Events[i].Type == histories.ProgressEvent {
				found = append(found, i)
			}
		}
		i, ok := one(rng, found)
		return ok && change(h, s, i)
	}
}

// overtaking lets a bookmark cover the event that follows it.
func overtaking(_ *histories.History, s *histories.Stream, i int) bool {
	if i+1 == len(s.Events) || s.Events[i+1].Object.RV == 0 {
		return false
	}
	s.Events[i].Header = s.Events[i+1].Object.RV
	return true
}

// ahead lets the last bookmark of a stream go beyond everything.
func ahead(h *histories.History, s *histories.Stream, i int) bool {
	s.Events[i].Header = readLedger(h).newest + 3
	return i+1 == len(s.Events)
}

// back lets a bookmark say less than what was delivered.
func back(_ *histories.History, s *histories.Stream, i int) bool {
	if i == 0 {
		return false
	}
	s.Events[i].Header = max(s.Events[i-1].Object.RV, s.Events[i-1].Header) - 1
	return s.Events[i].Header > 0
}

func unasked(h *histories.History, s *histories.Stream, _ int) bool {
	otherOptions(&h.Operation(s.Op).Request, func(o *histories.KubeOptions) { o.AllowWatchBookmarks = false })
	return true
}

func dressed(_ *histories.History, s *histories.Stream, i int) bool {
	s.Events[i].Kube = &histories.KubeEvent{Form: []string{"it has labels"}}
	return true
}
