// Package kube runs plans against any kube-apiserver, over plain HTTP with what a
// kubeconfig says about hosts and credentials.
//
// A client has a transport of its own and makes one attempt a call: no retries, no
// rate limit, no cache. Requests are built and answers are read by this package, so
// that every status, header and field that a rule of the contract is about can be seen.
//
// A run works in namespaces that it made and labelled, by default on a type of objects of its
// own, a CustomResourceDefinition that it makes and removes. What a plan calls a/x is the object x in the
// namespace that stands for a. Nothing else in the cluster is ever written.
package kube
