package memory

import (
	"sync"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory/internal/pace"
)

// store is the content of one space and whoever uses it. The state is a value
// that is replaced as a whole under the lock: that is the one atomic step of a call.
type store struct {
	name    string
	options Options
	fault   fault

	mu    sync.Mutex
	state *models.State
	// stale is the state just before the newest acknowledged write.
	stale   *models.State
	calls   map[*call]struct{}
	watches map[*watch]struct{}
	// opened counts the watches ever opened, to name their transports.
	opened int
	lessor lessor
}

func newStore(name string, options Options, f fault) *store {
	empty := models.Empty()
	s := &store{
		name: name, options: options, fault: f,
		state: empty, stale: empty,
		calls: map[*call]struct{}{}, watches: map[*watch]struct{}{},
	}
	s.lessor = newLessor(s.paceOf("lessor"))
	return s
}

// paceOf is the source of chance for one actor of the space.
func (s *store) paceOf(actor string) *pace.Pace {
	p := pace.New(s.options.Seed, s.name, actor)
	p.Wide = s.fault.races
	return p
}

// Connect opens a client's connection.
func (s *store) Connect(name string) targets.Client { return newClient(s, name) }

// call is one call in flight.
type call struct {
	client  *client
	request histories.Request
	// acts: the fault acts in this call.
	acts bool
	// began and stale are what moment says.
	began, stale *models.State
	// stepped: the call has taken effect. before is then the state just before,
	// nil if nothing changed.
	stepped bool
	before  *models.State
}

// begin takes up a call.
func (s *store) begin(c *client, r histories.Request) *call {
	acts := c.pace.Chance(s.options.Probability)
	s.mu.Lock()
	defer s.mu.Unlock()
	in := &call{client: c, request: r, acts: acts, began: s.state, stale: s.stale}
	s.calls[in] = struct{}{}
	return in
}

// step is the call's atomic step.
func (s *store) step(in *call) histories.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, r := s.moment(in), in.request
	if s.fault.request != nil && m.acts {
		s.fault.request(m, &r)
	}
	next, answer := s.apply(m, r)
	effects := next.Effects(s.state.Newest() + 1)
	if len(effects) > 0 {
		in.before = s.state
	}
	in.stepped = true
	s.state = next
	s.attend(m, r, &answer)
	s.show(m, in.request, &answer)
	if in.request.Kind.IsWrite() {
		s.publish(m, effects)
	}
	return answer
}

// apply does the call, or lets the fault do it.
func (s *store) apply(m moment, r histories.Request) (*models.State, histories.Answer) {
	if s.fault.step != nil && m.acts {
		if next, answer := s.fault.step(m, r); next != nil {
			return next, answer
		}
	}
	return s.state.Apply(r, s.state.Newest()+1)
}

// show makes an answer what the client will see.
func (s *store) show(m moment, r histories.Request, a *histories.Answer) {
	if s.fault.answer != nil && m.acts {
		s.fault.answer(m, r, a)
	}
	if s.fault.shown != nil && m.acts {
		s.showEach(a)
	}
}

// showEach shows the objects of an answer and of its results.
func (s *store) showEach(a *histories.Answer) {
	for i := range a.Objects {
		s.fault.shown(&a.Objects[i])
	}
	for i := range a.Results {
		s.showEach(&a.Results[i])
	}
}

// patience is how often a call dwells before its answer leaves. A fault that
// looks at the store once more at that time takes longer.
func (s *store) patience() int {
	if s.fault.late != nil {
		return 3
	}
	return 1
}

// finish lets the answer go.
func (s *store) finish(in *call, a *histories.Answer) {
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

// moment describes now, as a call sees it.
func (s *store) moment(in *call) moment {
	m := moment{acts: in.acts, state: s.state, began: in.began, stale: in.stale}
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

// publish tells the watches of new effects.
func (s *store) publish(m moment, effects []models.Effect) {
	if s.fault.live != nil {
		effects = s.fault.live(m, effects)
	}
	for w := range s.watches {
		if w.live {
			w.enqueue(m, effects)
			w.transport.wake()
		}
	}
}
