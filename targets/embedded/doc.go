// Package embedded runs etcd servers inside this process and tests them: the
// target that needs nothing installed.
//
// There are one or three servers, which are the members of one cluster and the
// endpoints of the target. They keep their data in a temporary folder and listen on
// loopback ports of the system's choice. Close stops them and removes the folder.
// They are exclusive to the run, so compaction is offered.
//
// Whoever imports this package compiles an etcd server; package etcd alone does not.
package embedded
