package reducer

import "math"

// How often must a candidate pass before it is given up, and may a candidate that
// failed twice be a plan that hardly ever fails? Both are decided by a sequential
// test: after each run the odds are weighed that the candidate fails at a good share
// of the rate of the best plan so far, against failing at a small one.

// tries counts what is known of one plan.
type tries struct{ failed, passed int }

func (t tries) runs() int { return t.failed + t.passed }

// rate is how often the best plan fails, estimated from its own runs and, with less
// weight, from those of the plans before it.
type rate struct {
	failed, runs float64
	// peak is the highest estimate so far.
	peak float64
}

// often is the rate of a plan that hardly depends on luck.
const often = 0.6

// estimate lies in (0, 1]. Without any run it is optimistic.
func (r rate) estimate() float64 {
	if r.runs == 0 {
		return 1
	}
	const least = 0.02
	return min(max(r.failed/r.runs, least), 1)
}

// demanded is what candidates are held against. It does not follow the estimate all
// the way down: else each plan would be a little rarer than the one before, until it
// hardly ever fails. A small plan has fewer occasions to fail than a large one, so
// it cannot be the peak either.
func (r rate) demanded() float64 {
	const share, occasional = 0.65, 0.6
	return max(r.estimate(), min(share*r.peak, occasional))
}

// learn adds the runs of the plan that has become the best.
func (r *rate) learn(t tries) {
	const memory, most = 0.7, 6 // many runs of a rare plan say little of the next one
	weight := memory * min(1, most/max(r.runs, 1))
	r.failed = weight*r.failed + float64(t.failed)
	r.runs = weight*r.runs + float64(t.runs())
	r.peak = max(r.peak, r.failed/(r.runs+2)) // few runs are no proof of a high rate
}

// effort says how sure it has to be that a candidate does not fail.
type effort int

const (
	// glance runs a candidate once.
	glance effort = iota
	// hopeful is for what may fail more often than the best: one that does not is left.
	hopeful
	// quick misses one candidate in three that fails as often as the best.
	quick
	// thorough misses one in ten that fails half as often.
	thorough
)

// verdict is what is known of a candidate.
type verdict int

const (
	undecided verdict = iota
	accepted
	rejected
)

// decide weighs what is known of a candidate. A fifth of the rate is what nobody
// wants: the plan would be smaller, but hard to reproduce.
func (t tries) decide(demanded float64, e effort) verdict {
	const hope = 0.25
	if e == hopeful {
		demanded = max(demanded, hope)
	}
	good, bad, give := 0.7*demanded, 0.2*demanded, -1.2
	if e == thorough {
		good, bad, give = 0.5*demanded, 0.1*demanded, -1.7
	}
	odds := float64(t.failed)*math.Log(good/bad) + float64(t.passed)*math.Log((1-good)/(1-bad))
	switch {
	case odds >= enough:
		return accepted
	case odds <= give, e == glance && t.passed > 0 && t.failed == 0:
		return rejected
	}
	return undecided
}

// enough is what a candidate needs to be taken: two failures, and more where it passed
// often in between. One alone says too little: among many candidates some fail now
// and then.
const enough = 2.0
