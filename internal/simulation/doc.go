// Package simulation makes histories whose validity is known, for the tests of
// the judges.
//
// Generate runs clients against a small store of its own in virtual time. Every
// call takes effect at one instant between its call and its return, calls of
// different clients overlap, answers get lost, other tenants raise the revision,
// watches lag, are cut or are cancelled as compacted. Whatever freedom the
// contract grants is used, so that a judge that says anything about such a
// history cries wolf.
//
// A Damage alters one answer, event or stream afterwards, as a broken store
// would have.
//
// The store in this package shares no code with the specification in package
// models: where the two disagree, the tests say so.
//
// The package is pure: the only randomness is the generator passed in, and time
// is a number.
package simulation
