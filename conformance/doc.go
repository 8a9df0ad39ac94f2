// Package conformance is the door for programs and tests: check any store that a
// target can speak to against the contract.
//
// In a go test it is three lines:
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, func(t *testing.T) targets.Target { return openMyStore(t) })
//	}
//
// Each property becomes a subtest: it passes with the number of times that it was
// put to the test, fails with a plan that shows the violation, and is skipped,
// with the reason, where the target cannot do what it needs or no plan exercised
// it. A property that was skipped has not passed.
//
// The plan is reduced to what matters first, and the log says with which seed and which
// command the test fails again. Fuzz is the same for go test -fuzz.
//
// What a target is stands in package targets. A program calls Check and reads
// the Report.
//
// Soundness: a violation is reported only where no order of the calls that
// overlap, and no fate of the calls without an answer, explains what was
// observed. What is not violated is not proven: a run has tried so many plans.
package conformance
