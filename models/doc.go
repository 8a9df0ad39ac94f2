// Package models is the contract as code: the sequential specification, the
// catalogue of properties, and what judges say.
//
// State is the specification of the etcd layer: the whole store as an immutable
// value. It is used three ways. Apply performs a request and is the reference
// store. Step and Branches take an answer that was observed and say whether it
// is allowed: that makes them the model of the porcupine judge (package linear)
// and the explanation of what it finds.
//
// The specification covers creates, updates and deletes conditional on a
// revision, unconditional puts and deletes, of ranges too, gets, lists and pages
// at any revision with all options, general transactions, leases and compactions.
// It has no clock: that a lease expires is a step of its own, Expire. Watches are
// not calls in this sense: what they must deliver is Effects.
package models
