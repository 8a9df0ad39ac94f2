// Package timeline is the revision-ordered judge of the Kubernetes layers. It reads
// the order of changes from resource versions, as models/timeline does at etcd's layer,
// where answers say less: a delete hides its revision, a get shows an object and no
// position, a watch may begin with a state.
//
// The judge collects what answers and events claim of each object at each revision into
// one timeline (claims.go), finds out where nothing can be missing from it
// (coverage.go), orders what was known when (order.go), and holds everything else
// against it: writes (write.go, remove.go), answers without a position (floating.go),
// lists and pages (list.go, page.go), watches (stream.go, initial.go), expiry
// (expiry.go), and requests that have to be refused (status.go).
//
// Soundness: the judge never reports what the contract permits. It demands equality
// with the timeline only where nothing can be missing from it; where a change that
// nobody saw may hide it demands only that what is known shows. Reads that may be
// old are held to the state at some revision within their bounds, and what a server may
// do in several ways (limits at resource version 0, ends of watches, 410 from a cache)
// is taken as it comes.
package timeline
