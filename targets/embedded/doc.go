// Package embedded runs an etcd server inside this process and tests it: the
// target that needs nothing installed.
//
// The server keeps its data in a temporary folder and listens on loopback ports of
// the system's choice. Close stops it and removes the folder. It is exclusive to
// the run, so compaction is offered.
//
// Whoever imports this package compiles an etcd server; package etcd alone does not.
package embedded
