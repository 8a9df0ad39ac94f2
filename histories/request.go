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
	// DeleteRange is etcd's unconditional delete of everything in a scope, at one revision.
	DeleteRange Kind = "deleterange"
	// Transact is a general etcd transaction.
	Transact Kind = "txn"
	// The lease calls of etcd. LeaseAttach is a put of a fresh value with the lease,
	// whether the key exists or not.
	LeaseGrant      Kind = "grant"
	LeaseAttach     Kind = "attach"
	LeaseKeepAlive  Kind = "keepalive"
	LeaseTimeToLive Kind = "timetolive"
	LeaseRevoke     Kind = "revoke"
	// Status is etcd's maintenance status.
	Status Kind = "status"
	// Patch changes a part of an object, DeleteCollection lists a scope and deletes what
	// it found one by one (WR-26). Both belong to the Kubernetes layers.
	Patch            Kind = "patch"
	DeleteCollection Kind = "deletecollection"
	// Inform starts an informer, which keeps a copy of the objects and tells its handlers
	// what changes. Stored asks what its copy holds, once it has had the time to come to
	// a revision. ListPages is a list by a client's pager, which puts the pages together.
	// They show what a client's library made of the store's answers.
	Inform    Kind = "informer"
	Stored    Kind = "store"
	ListPages Kind = "pager"
	// Beneath watches the store that the API servers keep their objects in. Its events are
	// what became of the objects there, at that store's revisions.
	Beneath Kind = "below"
)

// Kinds lists every kind, in the order of the documentation.
var Kinds = []Kind{
	Create, Update, Delete, Get, List, Next, Watch, Stop, Await, Progress, Compact, Put, DeleteRange,
	Transact, LeaseGrant, LeaseAttach, LeaseKeepAlive, LeaseTimeToLive, LeaseRevoke, Status, Patch,
	DeleteCollection, Inform, Stored, ListPages, Beneath,
}

// IsWrite reports whether the kind can change the content of the store.
func (k Kind) IsWrite() bool {
	switch k {
	case Create, Update, Delete, Put, DeleteRange, Transact, LeaseAttach, LeaseRevoke, Patch, DeleteCollection:
		return true
	default:
		return false
	}
}

// IsRead reports whether the kind returns objects and changes nothing.
func (k Kind) IsRead() bool { return k == Get || k == List || k == Next }

// IsDerived reports whether what the operation shows is no answer of the store under
// test, but what a client's library made of its answers, or what lies below it.
func (k Kind) IsDerived() bool { return k == Inform || k == Stored || k == ListPages || k == Beneath }

// OpensStream reports whether events belong to the operation.
func (k Kind) OpensStream() bool { return k == Watch || k == Inform || k == Beneath }

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

// SortTarget is what an etcd range sorts by.
type SortTarget string

// The targets of a sort.
const (
	SortByKey     SortTarget = "key"
	SortByVersion SortTarget = "version"
	SortByCreate  SortTarget = "create"
	SortByMod     SortTarget = "mod"
	SortByValue   SortTarget = "value"
)

// SortOrder is the order of an etcd range. Without one, a range that has a target
// other than the key ascends.
type SortOrder string

// The orders of a sort.
const (
	Ascend  SortOrder = "ascend"
	Descend SortOrder = "descend"
)

// The filters of an etcd watch, which hold back events of one type.
const (
	NoPut    = "noput"
	NoDelete = "nodelete"
)

// Request is one call with everything resolved: no symbolic references are left.
// Fields that a kind does not use are zero.
type Request struct {
	Kind Kind
	// Key is the object of create, update, patch, delete, get, put and attach.
	Key Key
	// Scope is the part of the key space of list, next, watch, deleterange and
	// deletecollection.
	Scope Scope

	// Write is the id that create, update, put and attach store in the value.
	Write  WriteID
	Labels map[string]string
	// Size is the length of the value in bytes, 0 for the shortest that holds the write id.
	Size int
	// Expect is the revision that update and delete are conditional on: the
	// write succeeds only if the stored object has this RV. For update, zero
	// means the key must be absent. Conditional says whether it was given.
	Expect      Revision
	Conditional bool
	// ExpectUID is the UID precondition of update, patch and delete at the Kubernetes layers.
	ExpectUID string

	// Revision is what get, list and next read at (etcd `revision`, zero: newest),
	// what compact compacts to, and what await and store wait for.
	Revision Revision
	Limit    int64
	// Start is the first key that a list may return, inclusive, where HasStart
	// is set. For next it is the key that follows the last one of the page
	// before (PAGE-15).
	Start    string
	HasStart bool
	// Of is the operation that this one refers to: the page that next follows,
	// the watch that stop, await and progress are about, the informer of store.
	Of int
	// CountOnly, KeysOnly and Serializable are options of etcd ranges.
	CountOnly    bool
	KeysOnly     bool
	Serializable bool
	// SortTarget and SortOrder sort what get, list and next return, before the
	// limit cuts it; both are empty for the order of keys.
	SortTarget SortTarget
	SortOrder  SortOrder
	// The revision filters leave out objects whose mod or create revision lies
	// outside, bounds included; zero is no bound.
	MinModRevision    Revision
	MaxModRevision    Revision
	MinCreateRevision Revision
	MaxCreateRevision Revision

	// StartRevision is where an etcd watch begins, inclusive; zero: from now.
	StartRevision Revision
	// PrevKV asks for the previous value with each event of a watch (ETCD-10), or
	// for what a deleterange removed.
	PrevKV bool
	// ProgressNotify asks for periodic progress notifications.
	ProgressNotify bool
	// WatchID is the id that the client chooses for a watch, unique on its transport
	// stream; zero: the server picks one.
	WatchID int64
	// Filters of a watch: NoPut, NoDelete.
	Filters []string
	// Fragment allows the server to cut a large response of a watch in several.
	Fragment bool
	// Transport names the transport stream that a watch is opened on: watches of
	// one client with the same name share one. Empty: a stream of its own. It is the
	// run's name; what carried an event is told by the event.
	Transport string
	// Physical makes an etcd compaction wait until the backend is rewritten.
	Physical bool

	// Lease is what etcd's lease calls are about, and what create, update, put and
	// attach bind the key to. A grant with zero leaves the choice of the id to the
	// server. TTL is what a grant asks for, in seconds.
	Lease int64
	TTL   int64
	// Txn is the body of a general transaction.
	Txn *Txn
	// Kube holds the options that only the Kubernetes layers have.
	Kube *KubeOptions
	// Extra is what a file's invoke record holds beyond these fields.
	Extra Extra
}

// Txn is a general etcd transaction. Its operations are put, delete without a
// condition, deleterange, get, list and txn.
type Txn struct {
	Compares []Compare
	Then     []Request
	Else     []Request
	Extra    Extra
}

// Compare is one condition of a transaction.
type Compare struct {
	Key    Key
	Target string // one of CompareTargets
	Op     string // one of CompareOps
	// Value is a decimal, for "value" the write id.
	Value string
	// Labels and Size are those of the write, for "value": what is compared with
	// are the bytes EncodeValue(Value, Labels, Size).
	Labels map[string]string
	Size   int
	Extra  Extra
}

// What a transaction compares, and how.
var (
	CompareTargets = []string{"version", "create", "mod", "value", "lease"}
	CompareOps     = []string{"=", "!=", "<", ">"}
)
