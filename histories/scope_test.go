package histories_test

import (
	"testing"

	"github.com/rvcheck/rvcheck/histories"
)

func TestPrefixEnd(t *testing.T) {
	for _, c := range []struct {
		prefix, end string
		ok          bool
	}{
		{"a", "b", true},
		{"a/", "a0", true},
		{"a\xff", "b", true},
		{"\xc3", "\xc4", true}, // not valid UTF-8
		{"a\xfe", "a\xff", true},
		{"", "", false},
		{"\xff\xff", "", false},
	} {
		if end, ok := histories.PrefixEnd(c.prefix); end != c.end || ok != c.ok {
			t.Errorf("PrefixEnd(%q) = %q, %t; want %q, %t", c.prefix, end, ok, c.end, c.ok)
		}
	}
}
