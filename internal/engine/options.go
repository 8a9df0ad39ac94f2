package engine

import (
	"strconv"
	"time"

	"github.com/rvcheck/rvcheck/histories"
)

// Options say how to execute a plan. The zero value is usable.
type Options struct {
	// Run identifies the run and Number the plan in it, from 1.
	Run    string
	Number int
	// Path is the history file to write, empty for none. It is plain while it
	// grows; with Compress it is replaced by Path+".zst" at the end.
	Path     string
	Compress bool
	// CallTimeout is the deadline of each call and of each await of a lane, 5 s
	// by default.
	CallTimeout time.Duration
	// StopTimeout is how long the stop protocol waits for the store to answer, and
	// then for the streams to reach the last write: the deadline of the liveness
	// properties, 10 s by default. Setting up and removing the space have the
	// same deadline.
	StopTimeout time.Duration
	// Brisk: the store is known not to tell progress. Streams that nothing else could
	// bring forward are then waited for a moment only, and owe nothing.
	Brisk bool
	// NoWitness leaves out the witness stream.
	NoWitness bool
	// NoInformers leaves out the informers and the pager.
	NoInformers bool
	// WritePrefix begins every write id; by default it is Number and a dash. It
	// must differ between the plans of a run.
	WritePrefix string
	// Profile replaces the target's own, where it is not empty.
	Profile string
	// Expanded are the options of the run as the history's header shows them.
	Expanded map[string]string
}

const (
	defaultCallTimeout = 5 * time.Second
	defaultStopTimeout = 10 * time.Second
	// interruptedStop is all the time that the stop protocol has once the run was
	// interrupted.
	interruptedStop = 2 * time.Second
	// grace is how long a call may outlive its deadline before it is abandoned: a
	// target's client returns by itself when its context ends.
	grace = 500 * time.Millisecond
	// progressInterval is how often an await asks for progress, the interval of
	// kube-apiserver; the first requests follow each other faster, from
	// firstProgress on, so that a plan need not wait for the next tick.
	progressInterval = 100 * time.Millisecond
	firstProgress    = 10 * time.Millisecond
	// patience is the number of calls in a row that may time out before a lane
	// gives up: without it a plan of a hundred operations against a dead store
	// would take a hundred deadlines.
	patience = 3
)

func (o Options) withDefaults() Options {
	if o.Number == 0 {
		o.Number = 1
	}
	if o.CallTimeout <= 0 {
		o.CallTimeout = defaultCallTimeout
	}
	if o.StopTimeout <= 0 {
		o.StopTimeout = defaultStopTimeout
	}
	if o.WritePrefix == "" {
		o.WritePrefix = strconv.Itoa(o.Number) + "-"
	}
	return o
}

// writeID is the n-th write id of the plan.
func (o Options) writeID(n int64) histories.WriteID {
	return histories.WriteID(o.WritePrefix + strconv.FormatInt(n, 10))
}
