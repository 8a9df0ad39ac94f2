package models

import "github.com/rvcheck/rvcheck/histories"

// Replay returns the store after changes that are known to have happened at one
// revision, whatever their conditions: requests that store a value do, deletes
// remove their key if it is there. The revision must exceed Newest.
func (s *State) Replay(revision histories.Revision, changes ...histories.Request) *State {
	var effects []Effect
	for i := range changes {
		r := &changes[i]
		old := s.tip.root().get(r.Key)
		switch {
		case r.Kind != histories.Delete:
			effects = append(effects, put(r, storedSize(r), old, revision))
		case old != nil:
			effects = append(effects, removal(old, revision))
		}
	}
	if len(effects) == 0 {
		return s.raise(revision)
	}
	return s.push(effects...)
}
