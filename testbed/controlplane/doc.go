// Package controlplane starts a Kubernetes control plane of real binaries on the
// loopback interface: a store, one or several kube-apiservers on it, and, if asked for, a
// kube-controller-manager beside them.
//
// There are no nodes and no containers, nothing but Go is needed, and it is ready
// within seconds. The store is any server of package servers that speaks etcd's API.
// Ports are random, certificates are made for each control plane, requests are
// authorized by RBAC. All files are in a temporary folder. Nothing outlives Stop, nor
// this process, should it end without one.
package controlplane
