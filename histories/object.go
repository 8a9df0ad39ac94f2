package histories

import (
	"math"
	"strings"
)

// Key names an object. At the etcd layer only Name is set: a byte string below
// the prefix that belongs to the run, not necessarily valid UTF-8. At the
// Kubernetes layers Namespace is empty for cluster-scoped resources.
type Key struct {
	Resource  string
	Namespace string
	Name      string
}

// Compare orders keys as a store orders them: by resource, then by the bytes of
// "namespace/name" as one string (LIST-11), so "a-b/x" comes before "a/x".
func (k Key) Compare(other Key) int {
	if c := strings.Compare(k.Resource, other.Resource); c != 0 {
		return c
	}
	if k.Namespace == "" && other.Namespace == "" {
		return strings.Compare(k.Name, other.Name)
	}
	return strings.Compare(k.Namespace+"/"+k.Name, other.Namespace+"/"+other.Name)
}

// WriteID identifies the write that produced an object. Every write of a run
// carries its own id in the stored value, so that whoever reads the value knows
// which write made it.
type WriteID string

// NoVersion is the version of an object in a store that counts none: it says nothing,
// and nothing is held against it.
const NoVersion = math.MinInt64

// Object is what a read or an event showed of a key.
type Object struct {
	Key Key
	// Write is the id of the write that stored this value, empty where the value
	// was not written by the run (then Foreign is set) or is not shown (keys
	// only, the object of an etcd DELETE event).
	Write WriteID
	// RV is when the object last changed: its resourceVersion, at etcd its mod
	// revision. It is not a position: a get may return an object whose RV is far
	// below the revision at which the get was answered.
	RV Revision
	// CreateRevision, Version and Lease are the etcd layer's extras (ETCD-08).
	// Version is NoVersion where the store does not count the writes of an object.
	CreateRevision Revision
	Version        int64
	Lease          int64
	// UID, Generation and Deleting are the Kubernetes layers' extras.
	UID        string
	Generation int64
	Deleting   bool
	Labels     map[string]string
	// Size is the length of the stored value in bytes.
	Size int
	// Foreign is a digest of a value that no write of the run can have stored,
	// damaged values included. The value itself is never kept: it may be secret.
	Foreign string
	// Kube holds what only the Kubernetes layers have beside these.
	Kube  *KubeMeta
	Extra Extra
}
