// Package generators draws plans: what the clients of a run will do to a store.
//
// Plans are aimed, not only random, because a uniform mix of operations finds
// little. Three things aim them:
//
//   - Swarm selection: each plan leaves out some kinds of operations and some
//     options, and weighs the others anew, so that no two plans test the same. What
//     only one family of faults needs is a group, there as a whole or not at all.
//   - Boundary values: limits around the number of keys, revisions around a
//     delete, a compaction and the newest, names that are prefixes of each other,
//     payloads around the size limit, and now and then what no client would send.
//   - Scenes: short sequences that bring a store into a state where a whole
//     family of faults would show, such as a compaction at the revision of a
//     delete, mixed with random operations.
//
// Everything is drawn from a rapid.T, so the plans work under rapid.Check; Draw
// makes the same plan for the same seed outside of tests. Drawing is all that
// happens here: a plan is carried out after it was drawn, never while.
//
// Plans are valid (plans.Plan.Validate) and refer mostly to operations that will
// have happened and succeeded by then; what refers to one that has not is skipped
// by the engine.
//
// docs/GENERATORS.md measures how soon known faults are found so.
package generators
