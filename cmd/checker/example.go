package main

import "github.com/rvcheck/rvcheck/models/scenarios"

// example returns an example of a violation of a property with its verdict, from
// the transcripts that the judge is tested with.
func example(property string) (string, bool) { return scenarios.Example(property) }
