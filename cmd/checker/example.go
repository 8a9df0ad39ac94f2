package main

import "github.com/rvcheck/rvcheck/models/scenarios"

// example returns an example of a violation of a property, empty if there is none.
func example(property string) string {
	text, _ := scenarios.Example(property)
	return text
}
