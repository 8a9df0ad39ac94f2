package kube

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models/kube"
)

// run is one simulated run.
type run struct {
	config  Config
	rng     *rand.Rand
	history *histories.History
	now     int64

	// state is the store, of which nothing is ever compacted; point is the compaction
	// point, and caches are the revisions at which the servers' caches stand.
	state  *kube.State
	point  histories.Revision
	caches []histories.Revision

	lanes   []*lane
	late    []*call
	watches []*watch
	// left counts the calls that the lanes still make.
	left   int
	writes int
	pages  []int // lists and pages that offer to go on
}

// lane is one client.
type lane struct {
	name     string
	endpoint int
	// own: the lane is the run's.
	own  bool
	call *call
}

// Generate makes a valid history. The same generator state and configuration give the
// same history.
func Generate(rng *rand.Rand, config Config) *histories.History {
	r := newRun(rng, config)
	r.begin()
	for i := range config.Clients {
		r.lanes = append(r.lanes, &lane{name: fmt.Sprintf("c%d", i+1), endpoint: 1 + i%len(r.caches)})
	}
	r.left = config.Operations
	for r.left > 0 || slices.ContainsFunc(r.lanes, func(l *lane) bool { return l.call != nil }) {
		r.tick()
	}
	r.finish()
	slices.SortFunc(r.history.Streams, func(a, b histories.Stream) int { return a.Op - b.Op })
	if config.Truncated {
		simulation.Truncate(r.history, rng.Int64N(r.now+1))
	}
	return r.history
}

func newRun(rng *rand.Rand, config Config) *run {
	profile, err := kube.ParseProfile(config.Profile)
	if err != nil {
		panic("simulation/kube: fault of this program: " + err.Error())
	}
	r := &run{
		config: config, rng: rng, state: kube.Empty(profile).WithNewest(max(1, config.Start)),
		caches: make([]histories.Revision, max(1, config.Endpoints)),
		history: &histories.History{Header: histories.Header{
			Format: histories.FormatVersion, Run: "simulated", Plan: 1, Layer: histories.KubeLayer,
			Target: "simulation:", Profile: config.Profile, World: histories.Closed, Exclusive: !config.Shared,
		}},
	}
	if config.Open {
		r.history.Header.World = histories.Open
	}
	if config.Earlier {
		r.earlier()
	}
	for i := range r.caches {
		r.caches[i] = r.upTo(1, r.state.Newest())
	}
	return r
}

// earlier lets another plan have used the space, and removed what it made.
func (r *run) earlier() {
	for i, key := range r.config.Keys {
		o := histories.Object{Key: key, Write: histories.WriteID(fmt.Sprintf("earlier-%d", i+1)), Generation: 1}
		r.state = r.state.Put(o)
	}
	for _, key := range r.config.Keys {
		r.state = r.state.Remove(key)
	}
	r.gap()
}

// tick lets one of those who do something go a step on.
func (r *run) tick() {
	if !simulation.Chance(r.rng, 0.1) { // equal times are concurrent
		r.now += 1 + r.rng.Int64N(3)
	}
	r.catchUp()
	n := r.rng.IntN(len(r.lanes) + len(r.watches) + min(1, len(r.late)) + 1)
	switch {
	case n < len(r.lanes):
		r.turn(r.lanes[n])
	case n < len(r.lanes)+len(r.watches):
		r.attend(r.watches[n-len(r.lanes)])
	case n == len(r.lanes)+len(r.watches):
		r.others()
	default:
		r.performLate()
	}
}

// turn lets a lane call, or its call go on.
func (r *run) turn(l *lane) {
	switch c := l.call; {
	case c == nil && r.left > 0:
		r.left--
		r.gap()
		l.call = r.invoke(l, r.draw())
	case c == nil:
	case len(c.steps) > c.stop:
		c.next()
	default:
		r.answer(c)
		l.call = nil
	}
}

// do performs a call of the run's own, while the lanes stand still.
func (r *run) do(l *lane, req histories.Request) *histories.Operation {
	l.call = r.invoke(l, req)
	for l.call != nil {
		r.now++
		if r.turn(l); l.call != nil && len(r.watches) > 0 && simulation.Chance(r.rng, 0.5) {
			r.attend(r.watches[r.rng.IntN(len(r.watches))])
		}
	}
	return &r.history.Operations[len(r.history.Operations)-1]
}

// others lets other tenants do what they may.
func (r *run) others() {
	newest := r.state.Newest()
	if r.config.Shared && simulation.Chance(r.rng, 0.1) {
		r.point = max(r.point, r.upTo(1, newest))
	}
	if !r.config.Open || !simulation.Chance(r.rng, 0.3) {
		return
	}
	key := r.key()
	if _, there := r.state.Now().Get(key); there && simulation.Chance(r.rng, 0.4) {
		r.state = r.state.Remove(key)
		return
	}
	o, _ := r.state.Now().Get(key)
	o.Key, o.Write, o.Foreign = key, "", fmt.Sprintf("f%d", newest+1)
	r.state = r.state.Put(o)
}

// gap lets somebody raise the revision, sometimes.
func (r *run) gap() {
	if simulation.Chance(r.rng, r.config.Gap) {
		r.state = r.state.WithNewest(r.state.Newest() + histories.Revision(1+r.rng.IntN(3)))
	}
}

// catchUp lets caches follow the store.
func (r *run) catchUp() {
	for i := range r.caches {
		if simulation.Chance(r.rng, 0.2) {
			r.caches[i] = r.upTo(r.caches[i], r.state.Newest())
		}
	}
}

// upTo draws a revision between two, both included, often the higher one.
func (r *run) upTo(low, high histories.Revision) histories.Revision {
	if simulation.Chance(r.rng, 0.3) || low >= high {
		return high
	}
	return low + histories.Revision(r.rng.Int64N(int64(high-low)+1))
}

// visible is the store as far as it was not compacted. A cache may still have what the
// store has not.
func (r *run) visible() *kube.State {
	if r.point == 0 || r.state.Profile().Snapshots() && simulation.Chance(r.rng, 0.5) {
		return r.state
	}
	compacted, _ := r.state.Apply(&histories.Request{Kind: histories.Compact, Revision: r.point}, 0)
	return compacted
}
