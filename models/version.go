package models

import "github.com/rvcheck/rvcheck/histories"

// Effect is one change of one key.
type Effect struct {
	Revision histories.Revision
	Key      histories.Key
	// Object is the new object; of a deletion only its key, RV being the revision
	// of the deletion.
	Object  histories.Object
	Deleted bool
	// Prev is the object before, nil if the key was absent.
	Prev *histories.Object
}

// version is the store after the effects of one revision, linked to all versions
// before. The jumps make a search of a revision logarithmic, and a version never
// changes, so states share them.
type version struct {
	// low is the revision, or of an open write the lowest that it could have had
	// when it was added. It ascends along the chain.
	low histories.Revision
	// open is the operation whose revision is not known, zero if it is.
	open int
	// effects are what happened at the revision, in order.
	effects    []Effect
	content    *node
	prev, jump *version
	depth      int
}

// newVersion returns the store after the effects on a content.
func newVersion(low histories.Revision, content *node, effects []Effect) *version {
	for i := range effects {
		content = effects[i].apply(content)
	}
	return &version{low: low, effects: effects, content: content}
}

// follow links v after prev.
func (v *version) follow(prev *version) *version {
	v.prev, v.depth = prev, 1
	if prev == nil {
		return v
	}
	v.jump, v.depth = prev, prev.depth+1
	if far := prev.jump; far != nil && prev.depth-far.depth == far.depth-far.jump.level() {
		v.jump = far.jump
	}
	return v
}

func (v *version) level() int {
	if v == nil {
		return 0
	}
	return v.depth
}

func (v *version) root() *node {
	if v == nil {
		return nil
	}
	return v.content
}

// find returns the newest version whose low is not above the revision, nil if
// there is none.
func (v *version) find(revision histories.Revision) *version {
	for v != nil && v.low > revision {
		if v.jump != nil && v.jump.low > revision {
			v = v.jump
		} else {
			v = v.prev
		}
	}
	return v
}
