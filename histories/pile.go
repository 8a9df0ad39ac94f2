package histories

// pile collects values that stay where they are while it grows, so that reading
// a large history does not copy what it has over and over.
type pile[T any] struct {
	chunks [][]T
	count  int
}

const (
	firstChunk   = 16
	largestChunk = 4096
)

// add copies v onto the pile and returns where it lies.
func (p *pile[T]) add(v *T) *T {
	last := len(p.chunks) - 1
	if last < 0 || len(p.chunks[last]) == cap(p.chunks[last]) {
		p.chunks = append(p.chunks, make([]T, 0, min(max(p.count, firstChunk), largestChunk)))
		last++
	}
	p.chunks[last] = append(p.chunks[last], *v)
	p.count++
	return &p.chunks[last][len(p.chunks[last])-1]
}

// top returns the value that was added last, nil if there is none.
func (p *pile[T]) top() *T {
	if p.count == 0 {
		return nil
	}
	last := p.chunks[len(p.chunks)-1]
	return &last[len(last)-1]
}

// slice returns all values in the order in which they were added, nil if there is
// none. The pile must not be used afterwards.
func (p *pile[T]) slice() []T {
	switch len(p.chunks) {
	case 0:
		return nil
	case 1:
		return p.chunks[0]
	}
	all := make([]T, 0, p.count)
	for i, chunk := range p.chunks {
		all = append(all, chunk...)
		p.chunks[i] = nil // its memory may go before the next is copied
	}
	return all
}

// packed keeps lists one behind the other, so that none has room that it does not
// need.
type packed[T any] struct {
	room []T // not yet used
	size int // of the last piece
}

const largestPiece = 512

// keep copies a list and returns the copy, nil of an empty one.
func (p *packed[T]) keep(list []T) []T {
	n := len(list)
	if n == 0 {
		return nil
	}
	if len(p.room) < n {
		p.size = min(max(2*p.size, firstChunk), largestPiece)
		p.room = make([]T, max(p.size, n))
	}
	kept := p.room[:n:n]
	copy(kept, list)
	p.room = p.room[n:]
	return kept
}
