// Package process runs a server as a child of this process and leaves nothing of it
// behind.
//
// A server and all that it starts form a process group of their own. The group is
// ended by Stop, and by a guard process where this process ends without having
// called it: killed, by a panic, by a machine that ran out of memory. Only what leaves
// the group by itself, a daemon, escapes.
//
// What the server prints goes to a Log, which hides the secrets that it knows.
package process
