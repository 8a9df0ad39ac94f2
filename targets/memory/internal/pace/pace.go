// Package pace makes the reference stores' races: who waits for how long, and when a
// fault acts, drawn from one source of chance for each client and each watch.
package pace

import (
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"
)

// Pace decides when something goes on: one source of chance for one client or
// one watch.
type Pace struct {
	// Actor is who has the source.
	Actor string
	// Wide: every dwelling takes a while, as in a store whose fault needs calls that overlap.
	Wide   bool
	mu     sync.Mutex
	random *rand.Rand
}

// New returns the source for one actor of a space. The same seed and names
// give the same sequence.
func New(seed uint64, space, actor string) *Pace {
	h := fnv.New64a()
	h.Write([]byte(space + "\x00" + actor))
	return &Pace{Actor: actor, random: rand.New(rand.NewPCG(seed, h.Sum64()))}
}

// wide is the longest dwelling of a wide pace, in microseconds: less than a disk takes, and
// more than a scheduler that is busy with others needs to begin two calls together.
const wide = 500

// Dwell lets others go on for a while: some turns of the scheduler, or up to 200 µs. Where
// the pace is wide it is up to 500 µs, and never a turn alone.
func (p *Pace) Dwell() {
	if p.Wide {
		time.Sleep(time.Duration(p.UpTo(wide)) * time.Microsecond)
		return
	}
	if turns := p.UpTo(8); turns <= 4 {
		for range turns {
			runtime.Gosched()
		}
		return
	}
	time.Sleep(time.Duration(p.UpTo(200)) * time.Microsecond)
}

// UpTo draws a number from 1 to n.
func (p *Pace) UpTo(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return 1 + p.random.IntN(n)
}

// Chance is true with the given probability.
func (p *Pace) Chance(probability float64) bool {
	if probability >= 1 {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.random.Float64() < probability
}
