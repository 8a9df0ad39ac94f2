// Package etcd tests any server that speaks etcd's v3 API: etcd itself, and the
// stores that stand in for it.
//
// It speaks through the generated gRPC stubs on plain connections, not through
// etcd's convenience client: nothing is retried, no watch is resumed, no answer
// is cached, so that a history holds what went over the wire. Conditional writes,
// plain reads and watches have exactly the shapes that a kube-apiserver issues (a
// compare on the mod revision and one operation; linearizable ranges; watches with a
// leader required). Beyond those there are etcd's own calls: unconditional writes,
// transactions, leases, options of ranges and watches, watches that share a
// transport stream, and the status.
//
// A run writes below one random prefix, /rvcheck/<random>/ below the prefix that
// the user names, and each plan below a prefix of its own inside it. The keys of
// requests and answers are relative to that. Nothing outside the run's prefix is
// ever written or removed, leases that others hold are left alone, and the only power
// over the whole store, compaction, needs the user's word that the store is exclusive
// to the run. The leases of a plan are revoked after it.
package etcd
