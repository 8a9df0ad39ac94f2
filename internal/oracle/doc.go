// Package oracle decides by brute force whether a small history of the etcd layer
// keeps the contract. It exists to check the judges and is used by tests only.
//
// It is written from the contract alone and shares no code with the judges or
// with the specification: where they disagree, one of them is wrong.
//
// The oracle looks for one order of all calls that explains everything: each call
// takes effect between its call and its return, each compaction and each
// registration of a watch as well; calls of unknown outcome take effect at any
// time after their call, or never, at any revision that makes a difference. Along
// an order the store is nothing but a list of changes, and every answer is
// computed anew by walking that list. When all calls are placed, every stream is
// compared with the list. The search is exponential and stops at a limit; then
// the oracle says that it does not know.
//
// What it knows of:
//   - writes, reads, pages and compactions (ETCD-01 to ETCD-08, ETCD-17, ETCD-22),
//   - streams: order, gaps, content, previous values, headers, progress (ETCD-09 to
//     ETCD-13, ETCD-15, ETCD-18),
//   - expiry: who must be told that a revision is compacted, and who must not
//     (EXP-02 to EXP-05, ETCD-06, ETCD-16),
//   - what etcd has beside that: transactions (ETCD-03), deletes of a scope,
//     serializable reads (ETCD-23), filters and ids of watches.
//
// What it leaves out: liveness (whether something arrives in time), leases,
// transactions in transactions, the options of ranges, the Kubernetes layers.
package oracle
