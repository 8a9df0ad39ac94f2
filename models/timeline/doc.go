// Package timeline is the revision-ordered judge. Effects carry their revision:
// so the judge does not search for an order, it reads it.
//
// The judge collects every claim about what happened at which revision (answers
// of writes, events, objects that reads returned) into one timeline, replays the
// timeline through the rules for conditional writes, and holds every read, page,
// watch and compaction against it.
//
// Soundness: the judge never reports what the contract permits. It demands
// equality with the timeline only where nothing can be missing from it (see
// coverage.go); elsewhere acknowledged effects must show and nothing unheard-of
// may. What it cannot decide it names in Result.Open instead of guessing, for the
// porcupine judge.
package timeline
