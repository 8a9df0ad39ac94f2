package servers

import (
	"cmp"
	"os"
)

// Checker is the command under test: that of the environment variable CHECKER, else
// the one that make build left.
func Checker() string { return cmp.Or(os.Getenv("CHECKER"), "bin/checker") }
