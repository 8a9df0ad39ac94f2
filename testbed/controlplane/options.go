package controlplane

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/testbed/servers"
)

// Options say what a control plane consists of. The zero value is the newest
// kube-apiserver on one etcd.
type Options struct {
	// Version is that of the apiserver, such as v1.30.14; empty: the newest.
	Version string
	// ExtensionsOnly: the apiserver is an apiextensions-apiserver, with versions such as
	// v0.24.1. It serves types and their objects, and has no namespaces and no RBAC.
	ExtensionsOnly bool
	// Store is the name of a server of the testbed, with or without a version; empty: etcd.
	Store string
	// Members is how many members the etcd has: 1 (or zero) or 3.
	Members int
	// APIServers is how many there are on the one store: up to 3, zero: 1.
	APIServers int
	// WithoutWatchCache makes every read one of the store.
	WithoutWatchCache bool
	// Compaction is how often an apiserver compacts the store, zero: as it does by default,
	// every five minutes. Negative: never.
	Compaction time.Duration
	// ControllerManager starts a kube-controller-manager, which writes into every namespace,
	// and without which namespaces never end.
	ControllerManager bool
	// Flags are further ones of kube-apiserver.
	Flags []string
	// Logs is a folder for what the components print; empty: that of the control plane,
	// which goes with it.
	Logs string
}

const (
	etcd    = "etcd"
	cluster = "etcd-cluster"
)

// Extensions is the component that serves custom resources alone.
const Extensions = "apiextensions-apiserver"

// apiserverName is the component that serves.
func (o Options) apiserverName() string {
	if o.ExtensionsOnly {
		return Extensions
	}
	return "kube-apiserver"
}

// plan fills in the defaults.
func (o Options) plan() (Options, error) {
	o.Store, o.APIServers, o.Members = cmp.Or(o.Store, etcd), cmp.Or(o.APIServers, 1), cmp.Or(o.Members, 1)
	name, version, _ := strings.Cut(o.Store, "@")
	switch {
	case o.APIServers < 1 || o.APIServers > len(apiserverPorts):
		return o, fmt.Errorf("%d apiservers: expected 1 to %d", o.APIServers, len(apiserverPorts))
	case o.Members != 1 && o.Members != 3:
		return o, fmt.Errorf("%d members: expected 1 or 3", o.Members)
	case o.Members == 3 && name != etcd && name != cluster:
		return o, fmt.Errorf("3 members of %s: expected %s as the store, which alone has members", o.Store, etcd)
	case o.ExtensionsOnly && o.ControllerManager:
		return o, errors.New("a controller-manager: expected a kube-apiserver for it, not one that serves custom resources alone")
	case o.Members == 3:
		o.Store = strings.TrimSuffix(cluster+"@"+version, "@")
	}
	return o, nil
}

// release is what a component is built from: at the version given, or its newest.
func release(name, version string) (servers.Release, error) {
	return servers.Find(strings.TrimSuffix(name+"@"+version, "@"))
}
