package kube

import (
	"sync"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/kube"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory/internal/pace"
)

// Options say how a store behaves.
type Options struct {
	// Seed decides the waits, how far the cache lags and, with Probability, when the
	// fault acts.
	Seed uint64
	// Probability is the share of occasions at which the fault acts, in (0, 1].
	Probability float64
	// Profile is the server that the store behaves as.
	Profile kube.Profile
	// ClusterScoped: the objects are in no namespaces.
	ClusterScoped bool
}

// Store is the content of one space and whoever uses it.
type Store struct {
	name    string
	options Options
	fault   fault
	// races: the fault acts only while calls overlap. Calls then take long enough for
	// others to overlap them, as in a store on a disk.
	races bool
	// pace decides how far the cache lags.
	pace *pace.Pace

	mu    sync.Mutex
	state *kube.State
	// cache is the revision at which the watch cache stands.
	cache histories.Revision
	// stale is the state just before the newest acknowledged write.
	stale   *kube.State
	calls   map[*call]struct{}
	watches map[*watch]struct{}
	// opened counts the watches ever opened.
	opened    int
	informers map[*informer]struct{}
}

// New returns an empty store with the fault of a mutant, nil for none.
func New(name string, options Options, mutant *Mutant) *Store {
	empty := kube.Empty(options.Profile)
	s := &Store{
		name: name, options: options, pace: pace.New(options.Seed, name, "cache"),
		state: empty, stale: empty, cache: empty.Newest(),
		calls: map[*call]struct{}{}, watches: map[*watch]struct{}{}, informers: map[*informer]struct{}{},
	}
	if mutant != nil {
		s.fault, s.races = mutant.make(), mutant.ConcurrencyOnly
	}
	return s
}

// paceOf is the source of chance for one actor of the space.
func (s *Store) paceOf(actor string) *pace.Pace {
	p := pace.New(s.options.Seed, s.name, actor)
	p.Wide = s.races
	return p
}

// Connect opens a client's connection.
func (s *Store) Connect(name string) targets.Client { return newClient(s, name) }

// Close does nothing: what goes on belongs to the clients.
func (s *Store) Close() {}

// call is one call in flight.
type call struct {
	client  *client
	request histories.Request
	// acts: the fault acts in this call.
	acts bool
	// began and stale are what moment says.
	began, stale *kube.State
	// stepped: the call has taken effect. before is then the state just before, nil if
	// nothing changed.
	stepped bool
	before  *kube.State
}

// begin takes up a call.
func (s *Store) begin(c *client, r histories.Request) *call {
	acts := c.pace.Chance(s.options.Probability)
	s.mu.Lock()
	defer s.mu.Unlock()
	in := &call{client: c, request: r, acts: acts, began: s.state, stale: s.stale}
	s.calls[in] = struct{}{}
	return in
}

// step is the call's atomic step, or one of several.
func (s *Store) step(in *call, r histories.Request) histories.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
	m := s.moment(in)
	if s.fault.request != nil && m.acts {
		s.fault.request(m, &r)
	}
	next, answer := s.apply(m, &r)
	if next.Newest() > s.state.Newest() {
		in.before = s.state
	}
	in.stepped = true
	s.state = next
	if s.fault.answer != nil && m.acts {
		s.fault.answer(m, r, &answer)
	}
	s.show(m, answer.Objects)
	s.wake()
	return answer
}

// apply does the call, or lets the fault do it.
func (s *Store) apply(m moment, r *histories.Request) (*kube.State, histories.Answer) {
	if s.fault.step != nil && m.acts {
		if next, answer := s.fault.step(m, *r); next != nil {
			return next, answer
		}
	}
	if next, answer, done := s.inSteps(m, r); done {
		return next, answer
	}
	return s.state.Apply(kube.Placed(r, s.options.ClusterScoped), m.cache)
}

// show lets the fault change the objects that somebody gets to see.
func (s *Store) show(m moment, objects []histories.Object) {
	if s.fault.shown == nil || !m.acts {
		return
	}
	for i := range objects {
		s.fault.shown(&objects[i])
	}
}

// catchUp moves the cache towards what is stored, never back.
func (s *Store) catchUp() {
	if s.pace.Chance(0.25) {
		return
	}
	s.cache += histories.Revision(s.pace.UpTo(int(s.state.Newest()-s.cache)+1)) - 1
	if s.pace.Chance(0.5) {
		s.cache = s.state.Newest()
	}
}

// finish lets the answer go.
func (s *Store) finish(in *call, a *histories.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.moment(in); s.fault.late != nil && m.acts {
		s.fault.late(m, in.request, a)
	}
	delete(s.calls, in)
	if in.before != nil && a.Outcome == histories.OK && in.before.Newest() > s.stale.Newest() {
		s.stale = in.before
	}
}

// patience is how often a call dwells before its answer leaves. A fault that looks at
// the store once more at that time takes longer.
func (s *Store) patience() int {
	if s.fault.late != nil {
		return 3
	}
	return 1
}

// moment describes now, as a call sees it.
func (s *Store) moment(in *call) moment {
	m := s.now(in.acts)
	m.call, m.began, m.stale, m.rivals = in.request, in.began, in.stale, 0
	for other := range s.calls {
		if other.client == in.client {
			continue
		}
		m.rivals++
		if !other.stepped && other.request.Kind.IsWrite() {
			m.coming++
		}
	}
	return m
}

// now is the moment for whatever no call does.
func (s *Store) now(acts bool) moment {
	m := moment{acts: acts, state: s.state, began: s.state, stale: s.stale, cache: s.cache}
	clients := map[*client]struct{}{}
	for in := range s.calls {
		clients[in.client] = struct{}{}
	}
	m.rivals = max(0, len(clients)-1)
	return m
}

// wake makes every watch and every informer look whether there is something to deliver.
func (s *Store) wake() {
	for w := range s.watches {
		ring(w.alarm)
	}
	for i := range s.informers {
		ring(i.alarm)
	}
}

// ring rings an alarm, unless it is ringing.
func ring(alarm chan struct{}) {
	select {
	case alarm <- struct{}{}:
	default:
	}
}
