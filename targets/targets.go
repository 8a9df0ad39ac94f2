// Package targets says what a store under test must offer: open a client, do an
// operation, open a watch, close. Everything else is an optional power.
//
// A target never knows a property and never judges. Its clients must not retry,
// cache, reconnect or rate-limit by themselves: what the recorder sees is what
// went over the wire.
package targets

import (
	"context"

	"github.com/rvcheck/rvcheck/histories"
)

// Logged is an optional power of a target: a server whose log the run can keep.
type Logged interface {
	// LogTo writes what the server has printed, and what it will print, to a file in
	// the folder, which exists.
	LogTo(folder string) error
}

// Target is a store under test.
type Target interface {
	// Describe says what the target is and what it can do. It does not talk to
	// the store: everything was found out when the target was opened.
	Describe() Description
	// NewSpace makes an empty part of the store that belongs to one plan: a
	// prefix, a namespace, a fresh store. The name is unique in the run.
	NewSpace(ctx context.Context, name string) (Space, error)
	// Close removes what the run left in the store and releases the target.
	Close(ctx context.Context) error
}

// Space is the part of the store that one plan uses.
type Space interface {
	// Open connects one client to an endpoint, counted from 1. Each client has a
	// connection of its own.
	Open(ctx context.Context, endpoint int) (Client, error)
	// Remove deletes everything in the space. It is called after all clients are closed.
	Remove(ctx context.Context) error
}

// Client is one client's connection. Its methods may be called by several
// goroutines only as far as watches run beside calls.
type Client interface {
	// Do performs every kind but watch, stop and await. It returns when the
	// answer is there or ctx ends; an outcome that is not known is Unknown, never
	// an error of its own. An error that is Unsupported means that nothing was
	// sent.
	Do(ctx context.Context, request histories.Request) (histories.Answer, error)
	// Watch opens a stream and returns the answer to its creation. Events arrive
	// at the sink, one batch at a time and in order, until End was called once.
	// When ctx is cancelled the stream ends as histories.EndCancelled. Where the
	// answer's outcome is not OK, or the error is not nil, there is no stream: it
	// is nil and nothing is called at the sink. A watch that the server refuses
	// inside its answer, as for a compacted start, is an OK answer and a stream
	// that ends at once.
	//
	// Watches of this client whose request has the same Transport, not empty, share
	// one transport stream; each has its own sink. A watch that is cancelled leaves
	// the others alone, and the transport stream stays open until the client is
	// closed, so that another watch can be created on it; where it broke, the next
	// watch of that name opens a new one. Event.Transport tells what really carried
	// an event: equal for all watches on one stream, different for any two streams
	// of the space. What arrives for all watches of a transport stream, such as
	// progress, goes to every sink that is open on it.
	Watch(ctx context.Context, request histories.Request, sink Sink) (histories.Answer, Stream, error)
	Close() error
}

// Stream is an open watch. It ends when the context given to Watch is cancelled.
type Stream interface {
	// RequestProgress asks for a progress notification on the watch's transport
	// stream (ETCD-13). It returns Unsupported where the layer has none.
	RequestProgress(ctx context.Context) error
}

// Sink takes what a stream delivers. The implementation fills in the time of
// receipt. Calls come from one goroutine at a time.
type Sink interface {
	// Batch takes the events of one response; the sink numbers the batches. The last
	// event has Last set. Where it has not, the response is a fragment, and the next
	// call goes on with the same batch.
	Batch(events []histories.Event)
	// End is called exactly once, last.
	End(end histories.End)
}

// Description is what a target is and what it can do.
type Description struct {
	// URL is the target's URL without credentials.
	URL string
	// Command is what the run started the server with, without passwords, nil where it
	// started none.
	Command []string
	Layer   histories.Layer
	Server  string // the version that the server reports
	// Profile names the promises of this kind of target, such as "etcd-3.7".
	Profile   string
	World     histories.World
	Endpoints int
	// Exclusive: the run may use powers over the whole store, and nobody else
	// compacts it.
	Exclusive bool
	// Unsupported names the features that the target cannot offer, each with the
	// reason; the engine skips the operations that need one.
	Unsupported map[Feature]string
}

// Feature is a group of operations or options that a target may lack.
type Feature string

// The features that a target may lack.
const (
	Writes         Feature = "writes"       // create, update, delete as compare-and-swap
	Reads          Feature = "reads"        // get and list
	Watches        Feature = "watches"      //
	Compaction     Feature = "compaction"   //
	ProgressOnCall Feature = "progress"     // progress on request
	Puts           Feature = "puts"         // unconditional put
	Deletes        Feature = "deletes"      // unconditional delete and deleterange
	Versions       Feature = "versions"     // objects count how often they were written
	Transactions   Feature = "transactions" // general transactions
	Leases         Feature = "leases"       // the lease calls, and writes with a lease
	Ranges         Feature = "ranges"       // start keys, limits, counts
	BinaryKeys     Feature = "binaryKeys"   // keys with zero bytes, or that are no UTF-8
	HugeLimits     Feature = "hugeLimits"   // limits of a million objects and more
	RangeOptions   Feature = "rangeOptions" // count-only, keys-only
	Serializable   Feature = "serializable" // reads that may be old
	SortedReads    Feature = "sort"         // reads in another order than that of the keys
	RevisionBounds Feature = "bounds"       // reads of what lies between mod or create revisions
	WatchOptions   Feature = "watchOptions" // event filters, fragments
	WatchIDs       Feature = "watchIDs"     // watch ids of the client's choice
	SharedStreams  Feature = "sharing"      // several watches on one transport stream
	StatusCalls    Feature = "status"       //
	ManyEndpoints  Feature = "endpoints"    //
	Faults         Feature = "faults"       //
	KubeOptions    Feature = "kube"         // options of the Kubernetes layers
	// What a Kubernetes API may lack for a type of objects, or for all.
	UnconditionalUpdates Feature = "unconditional"         // updates without a resource version
	StrictUpdates        Feature = histories.StrictUpdates // updates of what is not there are refused
	Patches              Feature = "patches"               // merge and JSON patches
	Applies              Feature = "applies"               // server-side apply
	Statuses             Feature = "statuses"              // a status subresource
	Finalizers           Feature = "finalizers"            // deletion in two phases
	DryRuns              Feature = "dryRuns"               //
	GeneratedNames       Feature = "generatedNames"        //
	DeleteCollections    Feature = "deleteCollection"      //
	Selectors            Feature = "selectors"             // label and field selectors
	WatchLists           Feature = "watchLists"            // sendInitialEvents
	Encodings            Feature = "encodings"             // tables, partial metadata
	ProtobufEncoding     Feature = "protobuf"              // answers and events in protobuf
	Namespaces           Feature = histories.Namespaces    // objects are in namespaces, not cluster-scoped
	Informers            Feature = "informers"             // informers and a pager beside the plan
)

// HugeLimit is the smallest limit of a read that needs HugeLimits.
const HugeLimit = 1_000_000

// Unsupported is the error of an operation that a target does not offer.
type Unsupported struct {
	Feature Feature
	Reason  string
}

func (u *Unsupported) Error() string { return string(u.Feature) + " unsupported: " + u.Reason }
