package main

// example returns an example of a violation of a property, empty if there is none.
func example(property string) string { return "" }
