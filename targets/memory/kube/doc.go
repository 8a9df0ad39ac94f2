// Package kube is the reference store at the Kubernetes layer: the specification of
// package models/kube behind real goroutines, and its faults. Package memory opens it
// and says what a reference store is.
//
// A store is a server with a watch cache, or without one, as its profile says. The cache
// lags behind what is stored: reads that may be old, and watches that begin at any state,
// are answered where it stands. Bookmarks come often, so that short runs see them.
package kube
