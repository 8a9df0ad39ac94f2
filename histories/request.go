package histories

// Kind says which call an operation is.
type Kind string

// The kinds of operations. Create, Update and Delete are the conditional writes
// that Kubernetes issues (at etcd: transactions on the mod revision, CONTRACT
// section 11.1).
const (
	Create Kind = "create"
	Update Kind = "update"
	Delete Kind = "delete"
	Get    Kind = "get"
	List   Kind = "list"
	// Next reads the page that follows an earlier one.
	Next  Kind = "next"
	Watch Kind = "watch"
	// Stop cancels a watch.
	Stop Kind = "stop"
	// Await waits, up to a deadline, until a watch has provably reached a revision.
	Await Kind = "await"
	// Progress asks for a progress notification on a watch's transport stream (ETCD-13).
	Progress Kind = "progress"
	Compact  Kind = "compact"
	// Put is etcd's unconditional write.
	Put Kind = "put"
	// Transact is a general etcd transaction.
	Transact Kind = "txn"
	// The lease calls of etcd.
	LeaseGrant      Kind = "grant"
	LeaseAttach     Kind = "attach"
	LeaseKeepAlive  Kind = "keepalive"
	LeaseTimeToLive Kind = "timetolive"
	LeaseRevoke     Kind = "revoke"
	// Status is etcd's maintenance status.
	Status Kind = "status"
)

// Kinds lists every kind, in the order of the documentation.
var Kinds = []Kind{
	Create, Update, Delete, Get, List, Next, Watch, Stop, Await, Progress, Compact, Put,
	Transact, LeaseGrant, LeaseAttach, LeaseKeepAlive, LeaseTimeToLive, LeaseRevoke, Status,
}

// IsWrite reports whether the kind can change the content of the store.
func (k Kind) IsWrite() bool {
	switch k {
	case Create, Update, Delete, Put, Transact, LeaseAttach, LeaseRevoke:
		return true
	default:
		return false
	}
}

// IsRead reports whether the kind returns objects and changes nothing.
func (k Kind) IsRead() bool { return k == Get || k == List || k == Next }

// Shape says what part of the key space a scope is.
type Shape string

// The shapes of a scope.
const (
	All       Shape = ""          // everything that belongs to the run
	Single    Shape = "key"       // one key
	Prefix    Shape = "prefix"    // keys that begin with Key.Name
	Namespace Shape = "namespace" // objects in Key.Namespace
	Range     Shape = "range"     // etcd: keys in [Key.Name, End)
)

// Scope is the part of the key space that a list or a watch asks for.
type Scope struct {
	Shape Shape
	Key   Key
	End   string
	Extra Extra
}

// Request is one call with everything resolved: no symbolic references are left.
// Fields that a kind does not use are zero.
type Request struct {
	Kind Kind
	// Key is the object of create, update, delete, get, put and attach.
	Key Key
	// Scope is the part of the key space of list, next and watch.
	Scope Scope

	// Write is the id that create, update and put store in the value.
	Write  WriteID
	Labels map[string]string
	// Size is the length of the value in bytes, 0 for the shortest that holds the write id.
	Size int
	// Expect is the revision that update and delete are conditional on: the
	// write succeeds only if the stored object has this RV. For update, zero
	// means the key must be absent. Conditional says whether it was given.
	Expect      Revision
	Conditional bool
	// ExpectUID is delete's UID precondition at the Kubernetes layers.
	ExpectUID string

	// Revision is what get, list and next read at (etcd `revision`, zero: newest),
	// what compact compacts to, and what await waits for.
	Revision Revision
	Limit    int64
	// Start is the first key that a list may return, inclusive, where HasStart
	// is set. For next it is the key that follows the last one of the page
	// before (PAGE-15).
	Start    string
	HasStart bool
	// Of is the operation that this one refers to: the page that next follows,
	// the watch that stop, await and progress are about.
	Of int
	// CountOnly, KeysOnly and Serializable are options of etcd ranges.
	CountOnly    bool
	KeysOnly     bool
	Serializable bool

	// StartRevision is where an etcd watch begins, inclusive; zero: from now.
	StartRevision Revision
	// PrevKV asks for the previous value with each event (ETCD-10).
	PrevKV bool
	// ProgressNotify asks for periodic progress notifications.
	ProgressNotify bool
	// Physical makes an etcd compaction wait until the backend is rewritten.
	Physical bool

	// Lease and TTL (seconds) are the arguments of etcd's lease calls and of puts with a lease.
	Lease int64
	TTL   int64
	// Txn is the body of a general transaction.
	Txn *Txn
	// Kube holds the options that only the Kubernetes layers have.
	Kube *KubeOptions
	// Extra is what a file's invoke record holds beyond these fields.
	Extra Extra
}

// KubeOptions are the options of the Kubernetes layers, in their own terms. A
// watch from resourceVersion N starts after N, an etcd start revision is
// inclusive: they never share a field.
type KubeOptions struct {
	ResourceVersion      string
	ResourceVersionMatch string
	Continue             string
	LabelSelector        string
	FieldSelector        string
	AllowWatchBookmarks  bool
	SendInitialEvents    *bool
	TimeoutSeconds       int64
	DryRun               bool
	Extra                Extra
}

// Txn is a general etcd transaction.
type Txn struct {
	Compares []Compare
	Then     []Request
	Else     []Request
	Extra    Extra
}

// Compare is one condition of a transaction.
type Compare struct {
	Key    Key
	Target string // "version", "create", "mod", "value", "lease"
	Op     string // "=", "!=", "<", ">"
	Value  string // decimal, or the write id for "value"
	Extra  Extra
}
