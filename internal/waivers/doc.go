// Package waivers reads known-failing files: which violations of which store are
// known, so that a run can go on finding others.
//
// A file has one waiver a line:
//
//	watch/prev op=watch prevKV flaky reason="previous values may be missing" link=https://… until=2027-03-01
//	write/delete-cas fails reason="deletes are not compared" plan=delete-cas.plan
//
// First comes a property pattern, as --property takes it. "op=" narrows it to
// violations that involve an operation of one of these kinds, and words such as
// prevKV, limit or encoding=metadata, the options of plans, to those where such an
// operation has all of these options. Then "fails" or "flaky", and why. "#" begins a comment.
//
// A waiver is a claim. "fails" says that the store fails: if it does not, or its
// plan passes, the line is wrong and has to go. "flaky" says that it may. The date
// is the last day of a claim. Package session holds the claims against a run.
package waivers
