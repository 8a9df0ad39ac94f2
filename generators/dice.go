package generators

import (
	"math/bits"

	"pgregory.net/rapid"
)

// dice draws evenly. rapid's own integers and choices prefer small values, which
// is good for finding minimal cases and bad for weights.
type dice struct{ t *rapid.T }

// bit draws false or true, evenly.
var bit = rapid.Bool()

// below draws from [0, n), each value about equally often (some up to a sixteenth
// more than others); smaller is simpler.
func (d dice) below(n int) int {
	if n <= 1 {
		return 0
	}
	width := bits.Len(uint(n-1)) + 4
	v := 0
	for range width {
		v <<= 1
		if bit.Draw(d.t, "bit") {
			v |= 1
		}
	}
	return v * n >> width
}

// between draws from [low, high].
func (d dice) between(low, high int) int { return low + d.below(high-low+1) }

// chance is true in so many of a hundred cases.
func (d dice) chance(percent int) bool {
	return percent > 0 && d.below(100) >= 100-percent
}

// pick draws one of the values.
func pick[T any](d dice, values ...T) T { return values[d.below(len(values))] }

// weighted draws an index in proportion to the weights; -1 if all are zero.
func (d dice) weighted(weights []int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	at := d.below(total)
	for i, w := range weights {
		if at < w {
			return i
		}
		at -= w
	}
	return -1
}

// choice is a value with a weight.
type choice[T any] struct {
	weight int
	value  T
}

// choose draws one of the values by weight.
func choose[T any](d dice, choices []choice[T]) T {
	weights := make([]int, len(choices))
	for i, c := range choices {
		weights[i] = c.weight
	}
	i := d.weighted(weights)
	if i < 0 {
		panic("fault of rvcheck: a choice without an alternative")
	}
	return choices[i].value
}
