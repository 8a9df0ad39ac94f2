// Package servers builds the real servers of the testbed, each from its Go module at a
// pinned version, and knows how to start them.
//
// The table in table.go is the one place to add a server. A binary is built once and
// kept outside the tree, in a folder of the user's cache that is named by what it was
// built from.
package servers
