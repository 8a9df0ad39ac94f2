package histories

// What only the Kubernetes layers have stands behind a pointer, nil where there is
// nothing of it, so that histories of the etcd layer do not pay for it. The methods
// that return these structs are for reading: they never return nil.

// KubeOptions are the options of a request at the Kubernetes layers, in their own terms. A
// watch from resourceVersion N starts after N, an etcd start revision is
// inclusive: they never share a field.
type KubeOptions struct {
	ResourceVersion      string
	ResourceVersionMatch string
	// Continue is the token that next sends, as it was sent.
	Continue string
	// LabelSelector and FieldSelector are as in the API.
	LabelSelector       string
	FieldSelector       string
	AllowWatchBookmarks bool
	SendInitialEvents   *bool
	TimeoutSeconds      int64
	DryRun              bool
	// Patch is the type of a patch: MergePatch, JSONPatch or ApplyPatch.
	Patch string
	// Force takes over fields that others own, in an apply patch.
	Force bool
	// Finalizers are those in the body of a create or an update, which replaces what
	// the object has, or those that a patch sets. ClearFinalizers is a patch that
	// takes all of them away; a patch with neither leaves them alone.
	Finalizers      []string
	ClearFinalizers bool
	// NoOp is a write whose body leaves the object as it is; it has no write id.
	NoOp bool
	// Status writes the status subresource: the write id goes there, and nothing else
	// changes.
	Status bool
	// GenerateName makes the server complete the name, of which Key.Name is the prefix.
	GenerateName bool
	// Encoding asks for the answer as Protobuf, Table or MetadataOnly, empty: JSON.
	Encoding string
	// Slow reads a watch slowly, as a client that cannot keep up.
	Slow  bool
	Extra Extra
}

// The types of patches.
const (
	MergePatch = "merge"
	JSONPatch  = "json"
	ApplyPatch = "apply"
)

// The encodings of answers beside JSON.
const (
	Protobuf     = "protobuf"
	Table        = "table"
	MetadataOnly = "metadata"
)

// KubeAnswer is what only the answers of the Kubernetes layers say.
type KubeAnswer struct {
	// Remaining is the list's remainingItemCount, nil where it is not told (PAGE-12).
	Remaining *int64
	// UID is that of the object which a delete's status names (WR-23).
	UID string
	// RawRV is the resourceVersion of a list as it was sent, where it is no decimal
	// above zero without leading zeros (RV-01); Revision is zero then.
	RawRV string
	// Outside counts the objects of the answer that do not belong to the run and were
	// left out: they count for limits.
	Outside int64
	// Form lists what is wrong with the form of the answer and shows in no other
	// field, such as "items is null".
	Form  []string
	Extra Extra
}

// KubeMeta is what only objects of the Kubernetes layers have.
type KubeMeta struct {
	Finalizers []string
	// Status is the id of the write that stored the status.
	Status WriteID
	// RawRV is the resourceVersion as it was sent, where it is no decimal above zero
	// without leading zeros (RV-01); RV is zero then.
	RawRV string
	Extra Extra
}

// StrictUpdates is what a header's Unsupported names where the type of objects may create
// by an update what is not there, whatever the condition of the update (WR-11).
const StrictUpdates = "strictUpdates"

// Namespaces is what a header's Unsupported names where the type of objects is
// cluster-scoped, so that keys have no namespace.
const Namespaces = "namespaces"

// KubeEvent is what only events of the Kubernetes layers have.
type KubeEvent struct {
	// InitialEventsEnd marks the bookmark that ends the initial events (WL-03).
	InitialEventsEnd bool
	// Error is what an error event says.
	Error *Error
	// Form lists what is wrong with the form of the event and shows in no other field,
	// such as "the bookmark has labels" (BM-02).
	Form []string
	// Initial marks what an informer tells of its first list (INF-09).
	Initial bool
	// FinalStateUnknown marks a deletion that an informer missed: the object is as it was
	// last known (INF-07).
	FinalStateUnknown bool
	Extra             Extra
}

// Options are the request's options of the Kubernetes layers, the zero value where
// it has none.
func (r *Request) Options() KubeOptions { return orZero(r.Kube) }

// Details are the answer's fields of the Kubernetes layers, the zero value where it
// has none.
func (a *Answer) Details() KubeAnswer { return orZero(a.Kube) }

// Meta are the object's fields of the Kubernetes layers, the zero value where it has
// none.
func (o *Object) Meta() KubeMeta { return orZero(o.Kube) }

// Details are the event's fields of the Kubernetes layers, the zero value where it
// has none.
func (e *Event) Details() KubeEvent { return orZero(e.Kube) }

func orZero[T any](v *T) T {
	if v == nil {
		var zero T
		return zero
	}
	return *v
}
