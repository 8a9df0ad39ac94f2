package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/kube"
)

// Two writes of an API server look at the object first and act later, whatever has come
// between. The store does so half the time, as it decides itself: no judge may call that
// wrong.

// inSteps does a write that another one has come between, false for what takes effect at
// once.
func (s *Store) inSteps(m moment, r *histories.Request) (*kube.State, histories.Answer, bool) {
	if r.Options().DryRun || m.began == m.state || !s.pace.Chance(0.5) {
		return nil, histories.Answer{}, false
	}
	seen := stored(m.began.Now(), r.Key)
	if seen == nil {
		return nil, histories.Answer{}, false
	}
	now := stored(m.state.Now(), r.Key)
	switch r.Kind {
	case histories.Delete:
		return deleteInSteps(m.state, r, seen, now)
	case histories.Update, histories.Patch:
		return finishInSteps(m.state, r, seen, now)
	default:
		return nil, histories.Answer{}, false
	}
}

// deleteInSteps removes an object that had no finalizers when the delete looked, and has
// some by now.
func deleteInSteps(s *kube.State, r *histories.Request, seen, now *histories.Object) (*kube.State, histories.Answer, bool) {
	if now == nil || now.UID != seen.UID || kube.Write(seen, r).Change != kube.Removed || kube.Write(now, r).Change != kube.Stored {
		return nil, histories.Answer{}, false
	}
	return s.Remove(r.Key), histories.Answer{Outcome: histories.OK, Kube: &histories.KubeAnswer{UID: now.UID}}, true
}

// finishInSteps removes an object whose deletion has begun and from which the write, as
// it looked, took the last finalizer. It succeeds also where the object is gone by now.
func finishInSteps(s *kube.State, r *histories.Request, seen, now *histories.Object) (*kube.State, histories.Answer, bool) {
	out := kube.Write(seen, r)
	if out.Change != kube.Removed {
		return nil, histories.Answer{}, false
	}
	answer := histories.Answer{Outcome: histories.OK, Objects: []histories.Object{*out.Object}}
	if now == nil || now.UID != seen.UID {
		return s, answer, true
	}
	return s.Remove(r.Key), answer, true
}
