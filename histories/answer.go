package histories

// Outcome says what is known of a call's effect.
type Outcome string

// The outcomes of a call.
const (
	// OK: the call did what it says.
	OK Outcome = "ok"
	// Fail: the call certainly had no effect. A failed compare is a Fail with
	// class Conflict, not a transport error.
	Fail Outcome = "fail"
	// Unknown: a timeout, a lost connection, a server error after sending, or no
	// answer at all. The effect may have happened, may happen after the answer,
	// or never (WR-29, ERR-21, ERR-22).
	Unknown Outcome = "unknown"
)

// ErrorClass is what an error means, whatever the wire calls it.
type ErrorClass string

// The classes of errors.
const (
	// Conflict: the condition of a conditional write did not hold.
	Conflict ErrorClass = "conflict"
	// NotFound and Exists are what the Kubernetes layers say instead of Conflict.
	NotFound ErrorClass = "notFound"
	Exists   ErrorClass = "exists"
	// Compacted: the revision is no longer available (410 Gone).
	Compacted ErrorClass = "compacted"
	// Future: the revision does not exist yet.
	Future ErrorClass = "future"
	// Invalid: the server refuses the request for its form.
	Invalid ErrorClass = "invalid"
	// TooLarge: the request exceeds the server's size limit.
	TooLarge ErrorClass = "tooLarge"
	// NoLease: the lease does not exist.
	NoLease ErrorClass = "noLease"
	// Busy: refused for now, without an effect (429).
	Busy ErrorClass = "busy"
	// Timeout: no answer within the deadline.
	Timeout ErrorClass = "timeout"
	// Unavailable: the connection or the server failed.
	Unavailable ErrorClass = "unavailable"
	// Other: anything else; Message tells.
	Other ErrorClass = "other"
)

// Error is a refused or failed call.
type Error struct {
	Class ErrorClass
	// Code is the wire's own code: a gRPC code name or an HTTP status.
	Code    string
	Message string
	// Reason and Causes are what a Kubernetes Status names in reason and in the
	// reasons of details.causes.
	Reason string
	Causes []string
	Extra  Extra
}

// Answer is what came back from a call.
type Answer struct {
	Outcome Outcome
	Error   *Error
	// Revision is where in the store's history the answer was made, zero when
	// the answer does not tell. For compact, status, lease calls and watch it was
	// read when the answer was built, after the call took effect: it bounds the
	// call from above and is not its position (DESIGN section 4).
	Revision Revision
	// Objects are what a read returned, the failure branch of a conditional write, or
	// what a deleterange with PrevKV removed.
	Objects []Object
	// Count is etcd's number of keys in the range, whatever the limit (ETCD-07).
	Count int64
	// More is set when the limit cut the result.
	More bool
	// Continue is the Kubernetes layers' token for the next page.
	Continue string
	// Deleted is etcd's number of keys that a delete removed.
	Deleted int64
	// ObjectRV is the RV of the object in the answer where that is not a
	// position: a no-op update, a dry run, a conflict's answer.
	ObjectRV string
	// Lease is the lease that a lease call was about or granted. TTL is in seconds:
	// what was granted, what is left after a keepalive (zero: there is no such
	// lease), what timetolive tells (-1: there is no such lease). GrantedTTL and
	// Keys are told by timetolive.
	Lease      int64
	TTL        int64
	GrantedTTL int64
	Keys       []Key
	// WatchID is the id that the server gave a watch.
	WatchID int64
	// Version is what status says of the server.
	Version string
	// Succeeded says which branch a transaction took, and Results hold the answer of
	// each operation of it, with the revisions in their own headers. The
	// transaction's own position is Revision.
	Succeeded bool
	Results   []Answer
	// Kube holds what only the Kubernetes layers say.
	Kube *KubeAnswer
	// Extra is what a file's return record holds beyond these fields.
	Extra Extra
}

// Never is the return time of a call that did not return.
const Never int64 = 1<<63 - 1

// Operation is a call and what came back.
type Operation struct {
	// ID is unique in the history and ascends in the order of the calls, from 1.
	ID int
	// Label is the plan's name for the operation, empty when it has none.
	Label string
	// Line is the plan's line, from 1, zero when the run added the operation itself.
	Line int
	// Client is the lane; "witness" and "closing" are the run's own.
	Client string
	// Endpoint counts from 1.
	Endpoint int
	// Call and Return are nanoseconds since the start of the run, on one
	// monotonic clock. Equal times count as concurrent. Return is Never while
	// the call is open.
	Call    int64
	Return  int64
	Request Request
	Answer  Answer
}

// The clients of the run itself.
const (
	WitnessClient = "witness"
	ClosingClient = "closing"
	// InformerClient runs the informers and the pager.
	InformerClient = "informer"
	// BelowClient watches the store below the API servers.
	BelowClient = "below"
)
