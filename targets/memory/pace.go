package memory

import (
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"
)

// pace decides when something goes on: one source of chance for one client or
// one watch.
type pace struct {
	actor  string
	mu     sync.Mutex
	random *rand.Rand
}

// newPace returns the source for one actor of a space. The same seed and names
// give the same sequence.
func newPace(seed uint64, space, actor string) *pace {
	h := fnv.New64a()
	h.Write([]byte(space + "\x00" + actor))
	return &pace{actor: actor, random: rand.New(rand.NewPCG(seed, h.Sum64()))}
}

// dwell lets others go on for a while: some turns of the scheduler, or up to 200 µs.
func (p *pace) dwell() {
	if turns := p.upTo(8); turns <= 4 {
		for range turns {
			runtime.Gosched()
		}
		return
	}
	time.Sleep(time.Duration(p.upTo(200)) * time.Microsecond)
}

// upTo draws a number from 1 to n.
func (p *pace) upTo(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return 1 + p.random.IntN(n)
}

// chance is true with the given probability.
func (p *pace) chance(probability float64) bool {
	if probability >= 1 {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.random.Float64() < probability
}
