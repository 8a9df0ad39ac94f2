// Package kube runs plans against any kube-apiserver, over plain HTTP with what a
// kubeconfig says about hosts and credentials.
//
// A client has a transport of its own and makes one attempt a call: no retries, no
// rate limit, no cache. Requests are built and answers are read by this package, so
// that every status, header and field that a rule of the contract is about can be seen.
//
// A run works in namespaces that it made and labelled, by default on a type of objects of its
// own, a CustomResourceDefinition that it makes and removes. What a plan calls a/x is the object x in the
// namespace that stands for a. Of a cluster-scoped type that is the run's own a plan has all
// objects, of another one those whose names begin with a prefix of the plan's. Nothing else
// in the cluster is ever written.
package kube
