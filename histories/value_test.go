package histories_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rvcheck/rvcheck/histories"
	"pgregory.net/rapid"
)

func TestValueIsReadable(t *testing.T) {
	value := histories.EncodeValue("c1-7", map[string]string{"y": "2", "x": "1"}, 0)
	if want := []byte("c1-7;x=1,y=2;"); !bytes.HasPrefix(value, want) {
		t.Errorf("EncodeValue = %q, want it to begin with %q", value, want)
	}
}

func TestValueHasTheSizeAskedFor(t *testing.T) {
	for _, size := range []int{64, 100, 1000, 1 << 20} {
		if got := len(histories.EncodeValue("w", nil, size)); got != size {
			t.Errorf("EncodeValue of %d bytes has %d", size, got)
		}
	}
}

func TestValueRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		write := histories.WriteID(byteString().Draw(t, "write"))
		labels := byteStringMap().Draw(t, "labels")
		value := histories.EncodeValue(write, labels, rapid.IntRange(0, 300).Draw(t, "size"))
		gotWrite, gotLabels, ok := histories.DecodeValue(value)
		if !ok || gotWrite != write {
			t.Fatalf("DecodeValue(%q) = %q, %v", value, gotWrite, ok)
		}
		if diff := cmp.Diff(labels, gotLabels); diff != "" {
			t.Fatalf("labels differ (-want +got)\n%s", diff)
		}
	})
}

func TestDamagedValueIsRefused(t *testing.T) {
	value := histories.EncodeValue("c2-11", map[string]string{"a": "b"}, 80)
	other := histories.EncodeValue("c2-12", map[string]string{"a": "b"}, 80)
	damaged := map[string][]byte{
		"empty":        {},
		"foreign":      []byte("some other program's value"),
		"two values":   append(bytes.Clone(value), value...),
		"halves mixed": append(bytes.Clone(value[:30]), other[30:]...),
	}
	for i := range value {
		flipped := bytes.Clone(value)
		flipped[i] ^= 1
		damaged["bit flipped in "+string(flipped)] = flipped
		damaged["cut "+string(value[:i])] = value[:i]
	}
	for name, value := range damaged {
		if write, _, ok := histories.DecodeValue(value); ok {
			t.Errorf("%s: accepted as write %q", name, write)
		}
	}
}

func TestDigest(t *testing.T) {
	a, b := histories.Digest([]byte("a")), histories.Digest([]byte("b"))
	if a == b || a != histories.Digest([]byte("a")) {
		t.Errorf("digests of a and b: %q, %q", a, b)
	}
	if got := len(histories.Digest(nil)); got != 12 {
		t.Errorf("a digest has %d characters, want 12", got)
	}
}

// byteString draws strings as stores meet them: short names, separators, quotes,
// control characters, half UTF-8 sequences.
func byteString() *rapid.Generator[string] {
	hostile := []string{
		"", "a", "b", "a/b", "ä", "\x00", "\xff", "\xc3", "\"", "\\", "\n", "\u2028", "\U0001F600",
		"<", "%", ";", ",", "=", "\ufffd", "\x7f", "b64",
	}
	return rapid.Custom(func(t *rapid.T) string {
		var s string
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			s += rapid.SampledFrom(hostile).Draw(t, "part")
		}
		return s
	})
}

// byteStringMap draws maps that are nil when empty, as files read them.
func byteStringMap() *rapid.Generator[map[string]string] {
	return rapid.Custom(func(t *rapid.T) map[string]string {
		m := rapid.MapOfN(byteString(), byteString(), 0, 3).Draw(t, "map")
		if len(m) == 0 {
			return nil
		}
		return m
	})
}
