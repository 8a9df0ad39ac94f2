package damaged

import (
	"context"
	"strings"
	"sync"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// target is a target with a damage.
type target struct {
	targets.Target
	damage Damage
}

// Describe says that the target is damaged wherever a person may look.
func (t *target) Describe() targets.Description {
	d := t.Target.Describe()
	joint := "?"
	if strings.Contains(d.URL, "?") {
		joint = "&"
	}
	d.URL += joint + "damage=" + t.damage.ID
	d.Server += " with the damage " + t.damage.ID
	return d
}

func (t *target) NewSpace(ctx context.Context, name string) (targets.Space, error) {
	s, err := t.Target.NewSpace(ctx, name)
	if err != nil {
		return nil, err
	}
	return &space{Space: s, fault: t.damage.make()}, nil
}

// space keeps what a damage may know.
type space struct {
	targets.Space
	fault fault

	mu                 sync.Mutex
	newest, compacting histories.Revision
}

func (s *space) Open(ctx context.Context, endpoint int) (targets.Client, error) {
	c, err := s.Space.Open(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	return &client{Client: c, space: s}, nil
}

// begin takes up a call.
func (s *space) begin(r histories.Request) moment {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Kind == histories.Compact {
		s.compacting = max(s.compacting, r.Revision)
	}
	return moment{newest: s.newest, compacting: s.compacted}
}

func (s *space) compacted() histories.Revision {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.compacting
}

// finish damages an answer and takes note of what the client is told.
func (s *space) finish(m moment, r histories.Request, a *histories.Answer) {
	if s.fault.answer != nil && a.Outcome != histories.Unknown {
		s.fault.answer(m, r, a)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest = max(s.newest, a.Revision)
}

// client is one client whose calls and watches are damaged.
type client struct {
	targets.Client
	space *space

	mu sync.Mutex
	// untold are the ends of streams that nobody was told of.
	untold []func()
}

func (c *client) Do(ctx context.Context, r histories.Request) (histories.Answer, error) {
	f, m := c.space.fault, c.space.begin(r)
	sent := r
	if f.request != nil {
		f.request(m, &sent)
	}
	send := func(r histories.Request) (histories.Answer, error) { return c.Client.Do(ctx, r) }
	var (
		answer histories.Answer
		err    error
	)
	if f.call != nil {
		answer, err = f.call(m, sent, send)
	} else {
		answer, err = send(sent)
	}
	if err != nil {
		return answer, err
	}
	c.space.finish(m, r, &answer)
	return answer, nil
}

func (c *client) Watch(ctx context.Context, r histories.Request, to targets.Sink) (histories.Answer, targets.Stream, error) {
	f, m := c.space.fault, c.space.begin(r)
	sent := r
	if f.request != nil {
		f.request(m, &sent)
	}
	through := &sink{to: to, client: c, ctx: ctx, editor: honest{}}
	if f.stream != nil {
		through.editor = f.stream(r)
	}
	answer, opened, err := c.Client.Watch(ctx, sent, through)
	if err != nil || opened == nil {
		return answer, opened, err
	}
	c.space.finish(m, r, &answer)
	return answer, stream{Stream: opened, sink: through}, nil
}

// Close ends the streams that are left, those included whose end nobody was told.
func (c *client) Close() error {
	err := c.Client.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, end := range c.untold {
		end()
	}
	return err
}

// keepSecret lets a stream that has ended seem open, until its context ends or the
// client is closed.
func (c *client) keepSecret(ctx context.Context, end func()) {
	end = sync.OnceFunc(end)
	context.AfterFunc(ctx, end)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.untold = append(c.untold, end)
}
