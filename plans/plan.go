// Package plans is what a run will do, as data: lanes, the operations of each,
// barriers, faults. Every plan has a text form that a person can read, edit, run,
// shrink and paste into an issue; Parse and Format are inverse to each other.
//
// The package is pure: no clock, no randomness, no network, no goroutines.
package plans

import (
	"github.com/rvcheck/rvcheck/histories"
)

// Plan is a list of steps in text order. A lane runs its own operations in this
// order; a barrier waits for all lanes.
//
// A plan is valid when Validate accepts it: its text form parses, and to the same
// plan. Format writes the header as line 1 and each step as one line, so that the
// step with index i stands on line Line(i).
type Plan struct {
	Layer histories.Layer
	Seed  uint64
	Steps []Step
}

// Step is one line of a plan: exactly one of the fields is set.
type Step struct {
	Op      *Op
	Barrier bool
	Fault   *Fault
	Expect  *Expect
	// Comment is the text of a whole-line comment, without "# ".
	Comment string
}

// Op is one operation of a lane.
type Op struct {
	// Lane is the client, such as "c1"; Endpoint counts from 1.
	Lane     string
	Endpoint int
	// Label is how other operations refer to this one, empty when none does.
	Label string
	Kind  histories.Kind

	Key   histories.Key
	Scope histories.Scope

	Labels map[string]string
	// Size is the payload size of a write in bytes, 0: just the write id.
	Size int
	// Expect is the revision that update and delete are conditional on.
	Expect Ref
	// UID is delete's UID precondition at the Kubernetes layers: uid(label), last,
	// or a number, which stands for a made-up uid.
	UID Ref

	// Revision is what get and list read at, what compact compacts to, and what
	// await waits for.
	Revision Ref
	// StartRevision is where an etcd watch begins, inclusive.
	StartRevision Ref
	// ResourceVersion and Match are the Kubernetes layers' options.
	ResourceVersion Ref
	Match           string
	Limit           int64
	Start           string
	HasStart        bool
	// Of is the label of the operation that next, stop, await and progress are about.
	Of string

	CountOnly, KeysOnly, Serializable bool
	// Sort and Order sort what a get or a list returns; an order needs a target.
	Sort  histories.SortTarget
	Order histories.SortOrder
	// MinMod to MaxCreate leave out objects whose revisions lie outside.
	MinMod, MaxMod, MinCreate, MaxCreate Ref
	PrevKV, ProgressNotify, Physical     bool
	// On is the label of a watch of the same lane whose transport stream this watch
	// shares, empty for one of its own.
	On string
	// ID is what the client calls a watch, or the lease of a grant; zero: the server
	// picks one.
	ID                        int64
	NoPut, NoDelete, Fragment bool

	LabelSelector, FieldSelector string
	AllowWatchBookmarks          bool
	SendInitialEvents            *bool
	TimeoutSeconds               int64
	DryRun                       bool
	// RawResourceVersion stands in for ResourceVersion as it is: hostile input.
	RawResourceVersion string
	// Patch is the type of a patch, empty for merge, Force an option of apply, and NoOp a
	// patch that changes nothing.
	Patch       string
	Force, NoOp bool
	// Finalizers are separated by commas; ClearFinalizers takes all of them away.
	Finalizers      string
	ClearFinalizers bool
	// Status writes the status, GenerateName makes Key.Name a prefix.
	Status, GenerateName bool
	// Encoding is protobuf, table or metadata, empty for JSON.
	Encoding string
	// Damaged sends a token that was damaged, Slow reads a watch slowly.
	Damaged, Slow bool

	// Lease is the label of the grant whose lease create, update, put and attach bind
	// the key to, or which keepalive, timetolive, revoke and expire are about; a
	// decimal number stands for the lease with that id. TTL is in seconds.
	Lease string
	TTL   int64
	Txn   *Txn
	// Fill is the number of revisions that a fill makes; Kind is then FillKind.
	Fill int
}

// FillKind is the plan's short form for many quick writes ("fill 1000"); it
// never occurs in a history, where each write stands for itself.
const FillKind histories.Kind = "fill"

// ExpireKind waits until a lease has expired ("expire g1"). It never occurs in a
// history, where each look at the lease is a timetolive.
const ExpireKind histories.Kind = "expire"

// Txn is a general etcd transaction with symbolic operands. Its operations are
// put, delete, deleterange, get, list, and, one level deep, txn; they have no lane,
// label or endpoint, and a delete among them has no condition of its own.
type Txn struct {
	Compares []Compare
	Then     []Op
	Else     []Op
}

// Compare is one condition of a transaction, such as mod(a)=rv(x).
type Compare struct {
	Key    histories.Key
	Target string // "version", "create", "mod", "value", "lease"
	Op     string // "=", "!=", "<", ">"
	Value  Ref
}

// Fault is something done to the store between operations.
type Fault struct {
	Action string
	Args   []Arg // in text order
}

// Arg is one argument of a fault.
type Arg struct{ Name, Value string }

// Expect states the property that the plan is meant to show.
type Expect struct {
	Property string
}

// RefKind says what a reference stands for.
type RefKind string

// The kinds of references.
const (
	Unset     RefKind = ""
	Number    RefKind = "number"    // Offset itself
	RV        RefKind = "rv"        // the revision that operation Label produced
	Tombstone RefKind = "tombstone" // the revision at which the delete Label removed its key
	After     RefKind = "after"     // the revision at which a watch goes on where the watch Label stopped
	Now       RefKind = "now"       // the newest revision that the run has learned
	Compacted RefKind = "compacted" // the newest compaction that the run has seen acknowledged
	Last      RefKind = "last"      // the newest RV that the run has learned of the operation's own key
	Written   RefKind = "write"     // the write id that operation Label stored; only in value(…) compares
	Granted   RefKind = "lease"     // the id of the lease that Label granted; only in lease(…) compares
	UIDOf     RefKind = "uid"       // the uid of the object that operation Label wrote; only in uid=
)

// Ref is a symbolic revision: a base and an offset, such as rv(b1)-1 or now+100.
// References survive editing and reduction; one to something that did not happen
// makes the operation be skipped, and recorded so.
type Ref struct {
	Kind   RefKind
	Label  string
	Offset int64
}
