package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// run is one simulated run.
type run struct {
	config  Config
	rng     *rand.Rand
	kinds   []weighted
	store   *store
	history *histories.History

	queue queue
	now   int64
	over  bool

	left    int // calls that the lanes still make
	working int // lanes that still work
	writes  int
	pages   []int // ids of lists that may be followed
	watches []*watch
	groups  int
	// passed is the compaction point that each endpoint has applied.
	passed []histories.Revision
	// applied is a revision that each endpoint certainly has.
	applied []histories.Revision
}

// lane is one client.
type lane struct {
	name     string
	endpoint int
	// then is called when a call has returned.
	then func()
}

// weighted is a kind of operation and how often it is chosen.
type weighted struct {
	weight int
	issue  func(*run, *lane)
}

// Generate makes a valid history. The same generator state and configuration
// give the same history.
func Generate(rng *rand.Rand, config Config) *histories.History {
	r := &run{
		config: config, rng: rng, kinds: config.Weights.list(), store: newStore(config.Start, config.Compacted), left: config.Operations,
		passed:  make([]histories.Revision, max(1, config.Endpoints)),
		applied: make([]histories.Revision, max(1, config.Endpoints)),
		history: &histories.History{Header: histories.Header{
			Format: histories.FormatVersion, Run: "simulated", Plan: 1, Layer: histories.EtcdLayer,
			Target: "simulation:", Profile: "etcd", World: histories.Closed, Exclusive: true,
		}},
	}
	for i := range r.passed {
		r.passed[i], r.applied[i] = config.Compacted, config.Start
	}
	r.history.Operations = make([]histories.Operation, 0, config.Operations+8)
	r.open()
	for !r.over && r.queue.Len() > 0 {
		next := r.queue.next()
		r.now = next.time
		next.do()
	}
	r.endStreams()
	slices.SortFunc(r.history.Streams, func(a, b histories.Stream) int { return a.Op - b.Op })
	if config.Truncated {
		Truncate(r.history, rng.Int64N(r.now+1))
	}
	return r.history
}

// open starts the witness, where there is one, and then the lanes.
func (r *run) open() {
	switch {
	case r.config.Closing:
		closing := &lane{name: histories.ClosingClient, endpoint: 1}
		closing.then = r.openWitness
		r.call(closing, histories.Request{Kind: histories.List})
	default:
		r.openWitness()
	}
}

func (r *run) openWitness() {
	if !r.config.Witness {
		r.openLanes()
		return
	}
	witness := &lane{name: histories.WitnessClient, endpoint: 1, then: r.openLanes}
	start := r.config.Start // safe: nothing of the run is below
	if r.config.Closing {
		start = r.history.Operations[0].Answer.Revision + 1
	}
	r.startWatch(witness, histories.Request{Kind: histories.Watch, StartRevision: start, PrevKV: true})
}

func (r *run) openLanes() {
	r.working = r.config.Clients
	for i := range r.config.Clients {
		l := &lane{name: fmt.Sprintf("c%d", i+1), endpoint: 1 + i%len(r.passed)}
		l.then = func() { r.turn(l) }
		r.proceed(l)
	}
}

// turn lets a lane make its next call, or leave.
func (r *run) turn(l *lane) {
	if r.left == 0 {
		r.leave()
		return
	}
	r.left--
	r.gap()
	r.choose()(r, l)
}

func (r *run) choose() func(*run, *lane) {
	total := 0
	for _, k := range r.kinds {
		total += k.weight
	}
	n := r.rng.IntN(total)
	for _, k := range r.kinds {
		if n -= k.weight; n < 0 {
			return k.issue
		}
	}
	panic("simulation: fault of this program: weights do not add up")
}

// leave is called when a lane works no more; the last one closes the run.
func (r *run) leave() {
	r.working--
	if r.working == 0 {
		r.after(r.delay(), r.close)
	}
}

// proceed lets a lane go on after its call has returned.
func (r *run) proceed(l *lane) { r.after(r.delay(), l.then) }

// after lets something happen later.
func (r *run) after(delay int64, do func()) { r.queue.add(r.now+delay, do) }

// delay draws a span of virtual time, mostly short: at least 1.
func (r *run) delay() int64 {
	if Chance(r.rng, 0.1) {
		return 1 + r.rng.Int64N(300)
	}
	return 1 + r.rng.Int64N(20)
}

// gap lets another tenant of the store write, sometimes.
func (r *run) gap() {
	if Chance(r.rng, r.config.Gap) {
		r.store.newest += histories.Revision(1 + r.rng.IntN(3))
	}
}
