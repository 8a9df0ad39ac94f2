// Package etcd tests any server that speaks etcd's v3 API: etcd itself, and the
// stores that stand in for it.
//
// It speaks through the generated gRPC stubs on plain connections, not through
// etcd's convenience client: nothing is retried, no watch is resumed, no answer
// is cached, so that a history holds what went over the wire. The requests have
// exactly the shapes that a kube-apiserver issues (a compare on the mod revision
// and one operation; linearizable ranges; watches with a leader required), plus
// the unconditional put and delete.
//
// A run writes below one random prefix, /rvcheck/<random>/ below the prefix that
// the user names, and each plan below a prefix of its own inside it. The keys of
// requests and answers are relative to that. Nothing outside the run's prefix is
// ever written or removed, and the only power over the whole store, compaction,
// needs the user's word that the store is exclusive to the run.
package etcd
