package generators

import (
	"slices"
	"strconv"
	"strings"
)

// Keys are few, so that operations meet on them, and related, so that a store
// that confuses two of them shows it.

// family is a set of names that some kind of fault would confuse.
type family struct {
	weight int
	plain  bool // letters, digits and '/' only
	names  []string
}

var families = []family{
	// Nothing special.
	{weight: 4, plain: true, names: []string{"a", "b", "c", "d", "e", "f", "g", "h"}},
	// Prefixes of each other, with and without a separator.
	{weight: 5, plain: true, names: []string{"a", "a/b", "ab", "a/", "a/b/c", "abc", "a/bc", "aa", "A", "a0"}},
	// Namespaces of which one is a prefix of the other.
	{weight: 4, plain: true, names: []string{"ns/a", "ns1/a", "ns/ab", "ns11/a", "ns/a/b", "ns", "ns1", "nsx/a"}},
	// Names that sort around the separator '/': '.' and '-' before it, '0' after.
	{weight: 3, names: []string{"a/x", "a.", "a-", "a0", "a-b/x", "a.b", "a/", "a"}},
	// Wildcards and escapes of databases and paths.
	{weight: 4, names: []string{"a_b", "a1b", "a%", "a%b", "axb", "n_s/x", "nxs/x", "a*", `a\b`, "a?b", "a[b]", "a'b"}},
	// Case, and numbers that are equal as numbers.
	{weight: 2, plain: true, names: []string{"A", "a", "Ab", "aB", "1", "01", "1e3", "1000", "10", "9"}},
	// Any bytes.
	{weight: 3, names: []string{"\x00", "a\x00", "a\x00b", "\xff", "a\xff", "\xff\xff", "a\xfe", "a", "a\x01", "\x00\xff"}},
	// Length, spaces, text beyond ASCII, dots.
	{weight: 2, names: []string{
		strings.Repeat("x", 120), strings.Repeat("x", 120) + "y", strings.Repeat("x", 119),
		"a b", " ", "ä", "a\n", "../a", ".", `"`, "日本",
	}},
}

// drawKeys draws the names that a plan uses, by ascending order.
func drawKeys(d dice, plain bool) []string {
	n := d.keyCount()
	var pool []string
	for range 1 + d.below(2) {
		pool = append(pool, d.family(plain).names...)
	}
	for i := 0; len(pool) < n; i++ {
		pool = append(pool, "k"+strconv.Itoa(i))
	}
	var keys []string
	for len(keys) < n && len(pool) > 0 {
		i := d.below(len(pool))
		if !slices.Contains(keys, pool[i]) {
			keys = append(keys, pool[i])
		}
		pool = slices.Delete(pool, i, i+1)
	}
	slices.Sort(keys)
	return keys
}

// keyCount is the number of keys of a plan: few as a rule, sometimes enough for
// many pages.
func (d dice) keyCount() int {
	switch at := d.below(20); {
	case at < 2:
		return 1
	case at < 18:
		return d.between(2, 6)
	default:
		return d.between(7, 30)
	}
}

func (d dice) family(plain bool) family {
	weights := make([]int, len(families))
	for i, f := range families {
		if !plain || f.plain {
			weights[i] = f.weight
		}
	}
	return families[d.weighted(weights)]
}
