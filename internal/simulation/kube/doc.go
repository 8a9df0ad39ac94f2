// Package kube makes histories of the Kubernetes layer whose validity is known, as its
// parent does of etcd's.
//
// Generate runs clients, watches and other tenants in virtual time: at each tick one of
// them goes a step on. A call takes effect in one step between its call and its return,
// or in the several that a server needs for it; answers get lost, and what was lost takes
// effect late or never; caches lag, watches fall behind or are cut, tokens expire. The
// content and the answers are those of models/kube. What a server may do otherwise than
// the specification (old revisions that a cache still has, watches that it refuses,
// writes that are refused for more reasons than one) is drawn here.
//
// A Damage alters one answer, event or stream afterwards, as a broken server would have.
//
// The package is pure: the only randomness is the generator passed in, and time is a
// number.
package kube
