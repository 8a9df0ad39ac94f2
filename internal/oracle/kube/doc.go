// Package kube decides by brute force whether a small history of the Kubernetes layer
// keeps the contract, as its parent does at etcd's layer. It exists to check the judges
// and is used by tests only.
//
// It is written from the contract alone and shares no code with the judges or with the
// specification in models/kube: where they disagree, one of them is wrong.
//
// The oracle looks for one order of all calls that explains everything: each call takes
// effect between its call and its return, in one step or in those that a server needs;
// calls of unknown outcome at any time after their call, or never; and what does not tell
// its revision, as a delete, at any that makes a difference. Along an order the store is
// nothing but a list of changes, and every answer is computed anew by walking that list.
// What cannot fit to what a watch delivered is left out at once, and when all calls are
// placed every stream is compared with the list. The search is exponential and stops at a
// limit; then the oracle says that it does not know.
//
// What it knows of: writes with their conditions, finalizers, patches, dry runs and
// deletions of collections (WR), uids (RV-10), reads in all modes, lists, selectors and
// pages (GET, LIST, PAGE), watches with selectors, initial events and bookmarks (WATCH,
// BM, WL), who must be told that something expired, and who must not (EXP), and options
// that have to be refused (ERR-14, ERR-15).
//
// What it leaves out: open worlds, what happened before the history, generated names whose
// create was lost, the forms of answers, liveness.
package kube
