package histories

// EventType is what an event of a watch says.
type EventType string

// The types of events.
const (
	PutEvent    EventType = "put"
	DeleteEvent EventType = "delete"
	// ProgressEvent carries only the header's revision: an etcd progress
	// notification (ETCD-13) or a bookmark (BM-03).
	ProgressEvent EventType = "progress"
	// AddedEvent, ModifiedEvent and ErrorEvent belong to the Kubernetes layers,
	// which also use DeleteEvent and ProgressEvent.
	AddedEvent    EventType = "added"
	ModifiedEvent EventType = "modified"
	ErrorEvent    EventType = "error"
	// SyncedEvent is an informer's word that its handler was told of everything that its
	// first list held (INF-09).
	SyncedEvent EventType = "synced"
)

// Event is one event of a stream, or one progress notification.
type Event struct {
	Type EventType
	// Time of receipt, nanoseconds since the start of the run.
	Time int64
	// Batch numbers the responses of the stream from 1; events of one batch
	// arrived in one message (ETCD-12). Last marks the final event of its batch:
	// without it the batch was cut and its revision may miss siblings.
	Batch int
	Last  bool
	// Header is the revision in the response's header.
	Header Revision
	// Transport names the transport stream that carried the response; progress
	// notifications hold for all watches on it.
	Transport string
	// Object is the new object of a put; of a delete, what the event says of the
	// removed key, RV being the revision of the deletion.
	Object Object
	// Prev is the previous object, where asked for and told; of an informer's update what
	// its handler was given as the old one.
	Prev *Object
	// Kube holds what only the Kubernetes layers have.
	Kube  *KubeEvent
	Extra Extra
}

// EndReason says how a stream ended.
type EndReason string

// The ways a stream ends.
const (
	EndCancelled EndReason = "cancelled" // by the client
	EndClosed    EndReason = "closed"    // by the server, without an error
	EndError     EndReason = "error"     // End.Error tells
	EndRun       EndReason = "run"       // still open when the run stopped reading
	EndCompacted EndReason = "compacted" // the server says that the history it needs is gone
)

// End is how a stream ended.
type End struct {
	Time   int64
	Reason EndReason
	Error  *Error
	// CompactRevision is what an etcd server names when it cancels a watch (ETCD-16).
	CompactRevision Revision
	// Header is the revision in the header of the closing response, zero without one.
	Header Revision
	Extra  Extra
}

// Stream is one watch or one informer: its events in the order of arrival, and its end,
// nil when the history stops before. An informer's events are the calls of its handler.
type Stream struct {
	// Op is the operation that opened the stream.
	Op     int
	Events []Event
	End    *End
}

// Fault is something that was done to the store meanwhile.
type Fault struct {
	Time   int64
	Action string // "kill", "restart", "pause", "resume", "partition", "heal", "slow", "move-leader"
	Args   map[string]string
	Line   int
	Extra  Extra
}

// Note is a remark of the run: an operation that was skipped, a deadline that passed.
type Note struct {
	Time int64
	// Kind is "skipped", "deadline" or "info".
	Kind  string
	Label string
	Line  int
	Text  string
	Extra Extra
}
