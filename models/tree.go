package models

import "github.com/rvcheck/rvcheck/histories"

// node is a persistent treap of objects by key: an insertion copies one path and
// shares the rest. Priorities come from the keys, so that equal contents have
// equal shapes whatever way led to them.
type node struct {
	object      *histories.Object
	priority    uint64
	left, right *node
	size        int
	// digest is the sum of the digests of all objects below: equal contents have
	// equal digests.
	digest uint64
}

func newNode(o *histories.Object, left, right *node) *node {
	n := &node{object: o, priority: mix(hashKey(o.Key)), left: left, right: right}
	return n.sum()
}

// with returns a copy of n that has other children.
func (n *node) with(left, right *node) *node {
	return (&node{object: n.object, priority: n.priority, left: left, right: right}).sum()
}

func (n *node) sum() *node {
	n.size = 1 + n.left.count() + n.right.count()
	n.digest = digestObject(n.object) + n.left.sumDigest() + n.right.sumDigest()
	return n
}

func (n *node) count() int {
	if n == nil {
		return 0
	}
	return n.size
}

func (n *node) sumDigest() uint64 {
	if n == nil {
		return 0
	}
	return n.digest
}

func (n *node) get(key histories.Key) *histories.Object {
	for n != nil {
		switch c := key.Compare(n.object.Key); {
		case c == 0:
			return n.object
		case c < 0:
			n = n.left
		default:
			n = n.right
		}
	}
	return nil
}

// put returns the tree in which the object's key has this object.
func (n *node) put(o *histories.Object) *node {
	below, _, above := n.split(o.Key)
	return join(join(below, newNode(o, nil, nil)), above)
}

// remove returns the tree without the key.
func (n *node) remove(key histories.Key) *node {
	below, _, above := n.split(key)
	return join(below, above)
}

// split returns what is below the key, what is at it, and what is above.
func (n *node) split(key histories.Key) (below *node, at *histories.Object, above *node) {
	if n == nil {
		return nil, nil, nil
	}
	switch c := key.Compare(n.object.Key); {
	case c == 0:
		return n.left, n.object, n.right
	case c < 0:
		below, at, above = n.left.split(key)
		return below, at, n.with(above, n.right)
	default:
		below, at, above = n.right.split(key)
		return n.with(n.left, below), at, above
	}
}

// join makes one tree of two; everything in a is below everything in b.
func join(a, b *node) *node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.priority > b.priority:
		return a.with(a.left, join(a.right, b))
	default:
		return b.with(join(a, b.left), b.right)
	}
}

// rank counts the objects below the key.
func (n *node) rank(key histories.Key) int {
	below := 0
	for n != nil {
		if key.Compare(n.object.Key) <= 0 {
			n = n.left
			continue
		}
		below += n.left.count() + 1
		n = n.right
	}
	return below
}

// ascend calls yield for each object from the key on, until it says no.
func (n *node) ascend(from histories.Key, yield func(*histories.Object) bool) bool {
	if n == nil {
		return true
	}
	c := from.Compare(n.object.Key)
	if c < 0 && !n.left.ascend(from, yield) {
		return false
	}
	if c <= 0 && !yield(n.object) {
		return false
	}
	return n.right.ascend(from, yield)
}

func digestObject(o *histories.Object) uint64 {
	h := hashKey(o.Key)
	h = hashText(h, string(o.Write))
	h = mix(h ^ uint64(o.RV))
	h = mix(h ^ uint64(o.CreateRevision))
	return mix(h ^ uint64(o.Version))
}

func hashKey(k histories.Key) uint64 {
	h := hashText(offset, k.Name)
	if k.Resource != "" || k.Namespace != "" {
		h = hashText(hashText(h, k.Resource), k.Namespace)
	}
	return h
}

// offset and prime are those of FNV-1a.
const (
	offset uint64 = 14695981039346656037
	prime  uint64 = 1099511628211
)

func hashText(h uint64, text string) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime
	}
	return (h ^ 0xff) * prime
}

// mix spreads the bits of a number, so that near numbers have far digests.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
