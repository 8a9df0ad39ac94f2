package memory

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets/memory/internal/pace"
)

// version is what the store says of itself.
const version = "3.7.0-reference"

// lessor ends the leases of a store when their time is over. Everything but the
// group is guarded by the store's lock.
type lessor struct {
	pace *pace.Pace
	ends map[int64]time.Time
	// alarm rings when the first lease ends, nil where none waits.
	alarm  *time.Timer
	closed bool
	// ringing counts the alarms that may still ring.
	ringing *sync.WaitGroup
}

func newLessor(p *pace.Pace) lessor {
	return lessor{pace: p, ends: make(map[int64]time.Time), ringing: new(sync.WaitGroup)}
}

// attend does what the specification leaves to the clock and to the server: leases
// begin to live, and their answers tell what is left; status tells the version.
func (s *store) attend(m moment, r histories.Request, a *histories.Answer) {
	if a.Outcome != histories.OK {
		return
	}
	switch r.Kind {
	case histories.LeaseGrant, histories.LeaseKeepAlive:
		if a.TTL > 0 {
			s.letLive(m, a.Lease, time.Duration(a.TTL)*time.Second)
		}
	case histories.LeaseTimeToLive:
		if ends, lives := s.lessor.ends[r.Lease]; lives && a.TTL > 0 {
			a.TTL = max(0, int64(time.Until(ends).Seconds()))
		}
	case histories.LeaseRevoke:
		delete(s.lessor.ends, r.Lease)
	case histories.Status:
		a.Version = version
	default:
	}
}

// letLive makes a lease end after a time from now.
func (s *store) letLive(m moment, lease int64, ttl time.Duration) {
	if s.fault.lives != nil && m.acts {
		ttl = s.fault.lives(m, lease, ttl)
	}
	s.lessor.ends[lease] = time.Now().Add(ttl)
	s.setAlarm()
}

// setAlarm makes the alarm ring when the first lease ends.
func (s *store) setAlarm() {
	l := &s.lessor
	if l.alarm != nil && l.alarm.Stop() {
		l.ringing.Done()
	}
	l.alarm = nil
	if len(l.ends) == 0 || l.closed {
		return
	}
	var first time.Time
	for _, ends := range l.ends {
		if first.IsZero() || ends.Before(first) {
			first = ends
		}
	}
	l.ringing.Add(1)
	l.alarm = time.AfterFunc(time.Until(first), func() {
		defer l.ringing.Done()
		s.endLeases()
	})
}

// endLeases ends those whose time is over.
func (s *store) endLeases() {
	acts := s.lessor.pace.Chance(s.options.Probability)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lessor.closed {
		return
	}
	now := time.Now()
	for _, lease := range slices.Sorted(maps.Keys(s.lessor.ends)) {
		if !s.lessor.ends[lease].After(now) {
			delete(s.lessor.ends, lease)
			s.endLease(s.now(acts), lease)
		}
	}
	s.setAlarm()
}

// endLease deletes the keys of a lease and tells the watches.
func (s *store) endLease(m moment, lease int64) {
	if _, lives := s.state.Lease(lease); !lives {
		return
	}
	before := s.state.Newest()
	if s.fault.ends != nil && m.acts {
		if next := s.fault.ends(m, lease); next != nil {
			s.state = next
			s.publish(m, next.Effects(before+1))
			return
		}
	}
	s.state = s.state.Expire(lease, before+1)
	s.publish(m, s.state.Effects(before+1))
}

// Close ends the work of the lessor, and returns when it has.
func (s *store) Close() {
	s.mu.Lock()
	s.lessor.closed = true
	s.setAlarm()
	s.mu.Unlock()
	s.lessor.ringing.Wait()
}
