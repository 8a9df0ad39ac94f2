package etcd

import (
	"testing"

	"github.com/rvcheck/rvcheck/histories"
)

func TestPrefixEnd(t *testing.T) {
	for prefix, want := range map[string]string{
		"a": "b", "a/": "a0", "a\xff": "b", "a\xff\xff": "b", "a\x00": "a\x01", "\xff": "\x00", "": "\x00",
		"\xc3": "\xc4", "a\xfe\xff": "a\xff",
	} {
		if got := prefixEnd(prefix); got != want {
			t.Errorf("prefixEnd(%q) = %q, want %q", prefix, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	const k = keyspace("/p/")
	name := func(n string) histories.Key { return histories.Key{Name: n} }
	for _, test := range []struct {
		scope histories.Scope
		want  span
	}{
		{histories.Scope{}, span{"/p/", "/p0"}},
		{histories.Scope{Shape: histories.Single, Key: name("a")}, span{"/p/a", ""}},
		{histories.Scope{Shape: histories.Prefix, Key: name("a")}, span{"/p/a", "/p/b"}},
		{histories.Scope{Shape: histories.Prefix}, span{"/p/", "/p0"}},
		{histories.Scope{Shape: histories.Prefix, Key: name("\xff")}, span{"/p/\xff", "/p0"}},
		{histories.Scope{Shape: histories.Range, Key: name("a"), End: "c"}, span{"/p/a", "/p/c"}},
		{histories.Scope{Shape: histories.Range, Key: name("a")}, span{"/p/a", "/p/"}},
		{histories.Scope{Shape: histories.Range, Key: name("a"), End: "\x00"}, span{"/p/a", "/p/\x00"}},
	} {
		if got := k.span(test.scope); got != test.want {
			t.Errorf("span(%+v) = %q, want %q", test.scope, got, test.want)
		}
	}
}

func TestStartingAt(t *testing.T) {
	const k = keyspace("/p/")
	for _, test := range []struct {
		of    span
		start string
		want  span
	}{
		{span{"/p/", "/p0"}, "b\x00", span{"/p/b\x00", "/p0"}},
		{span{"/p/b", "/p/c"}, "a", span{"/p/b", "/p/c"}},
		{span{"/p/b", "/p/c"}, "d", span{"/p/d", "/p/c"}},
		{span{"/p/b", ""}, "a", span{"/p/b", "/p/b\x00"}},
		{span{"/p/b", ""}, "c", span{"/p/c", "/p/b\x00"}},
	} {
		if got := k.startingAt(test.of, test.start); got != test.want {
			t.Errorf("startingAt(%q, %q) = %q, want %q", test.of, test.start, got, test.want)
		}
	}
}

func TestRelativeMarksWhatIsOutside(t *testing.T) {
	const k = keyspace("/p/")
	for full, want := range map[string]string{
		"/p/a": "a", "/p/": "", "/p": histories.OutsideMark + "/p", "/p0": histories.OutsideMark + "/p0", "": histories.OutsideMark,
	} {
		if got := k.relative([]byte(full)).Name; got != want {
			t.Errorf("relative(%q) = %q, want %q", full, got, want)
		}
	}
}
