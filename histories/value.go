package histories

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// EncodeValue returns the value that a write stores at layers that keep bytes:
//
//	write id ; labels ; checksum ; padding
//
// It is size bytes long, or as short as it can be where that is longer. The
// padding follows from the rest, and the checksum covers id, labels and length,
// so that DecodeValue knows a cut, mixed or damaged value from one that was
// written: a store that corrupts data must not pass for one that keeps it.
func EncodeValue(write WriteID, labels map[string]string, size int) []byte {
	head := appendEscaped(nil, string(write))
	head = append(head, ';')
	head = appendLabels(head, labels)
	head = append(head, ';')
	length := max(size, len(head)+checksumLength+1)
	sum := checksum(head, length)
	value := make([]byte, 0, length)
	value = append(value, head...)
	value = appendHex(value, sum)
	value = append(value, ';')
	return appendPadding(value, sum, length-len(value))
}

// DecodeValue takes apart what EncodeValue built. It is false for every value
// that EncodeValue cannot have built. Without labels the map is nil.
func DecodeValue(value []byte) (write WriteID, labels map[string]string, ok bool) {
	parts := bytes.SplitN(value, []byte{';'}, 4)
	if len(parts) != 4 {
		return "", nil, false
	}
	id, ok := unescape(string(parts[0]))
	if !ok {
		return "", nil, false
	}
	labels, ok = parseLabels(string(parts[1]))
	if !ok || !bytes.Equal(value, EncodeValue(WriteID(id), labels, len(value))) {
		return "", nil, false
	}
	return WriteID(id), labels, true
}

// Digest stands for a value that must not be kept: equal values have equal
// digests, and the value cannot be read back from it.
func Digest(value []byte) string {
	sum := sha256.Sum256(value)
	return hex.EncodeToString(sum[:6])
}

// checksumLength is the length of a 64-bit checksum in hexadecimal.
const checksumLength = 16

func checksum(head []byte, length int) uint64 {
	h := fnv.New64a()
	h.Write(head)
	h.Write(strconv.AppendInt(nil, int64(length), 10))
	return h.Sum64()
}

func appendHex(b []byte, n uint64) []byte {
	digits := strconv.AppendUint(nil, n, 16)
	b = append(b, strings.Repeat("0", checksumLength-len(digits))...)
	return append(b, digits...)
}

// appendPadding appends n letters that depend on the seed alone and do not
// compress to nothing, as real payloads do not.
func appendPadding(b []byte, seed uint64, n int) []byte {
	state := seed | 1
	for range n {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		b = append(b, 'a'+byte(state>>32%26))
	}
	return b
}

func appendLabels(b []byte, labels map[string]string) []byte {
	for i, name := range slices.Sorted(maps.Keys(labels)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendEscaped(b, name)
		b = append(b, '=')
		b = appendEscaped(b, labels[name])
	}
	return b
}

func parseLabels(text string) (map[string]string, bool) {
	if text == "" {
		return nil, true
	}
	labels := make(map[string]string)
	for pair := range strings.SplitSeq(text, ",") {
		name, content, found := strings.Cut(pair, "=")
		name, nameOK := unescape(name)
		content, contentOK := unescape(content)
		if !found || !nameOK || !contentOK {
			return nil, false
		}
		labels[name] = content
	}
	return labels, true
}

// appendEscaped writes every byte that could be a separator as %xx.
func appendEscaped(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; isPlain(c) {
			b = append(b, c)
		} else {
			b = append(b, '%')
			b = hex.AppendEncode(b, []byte{c})
		}
	}
	return b
}

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		strings.IndexByte("-._/:#@+", c) >= 0
}

func unescape(text string) (string, bool) {
	if strings.IndexByte(text, '%') < 0 {
		return text, true
	}
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			out = append(out, text[i])
			continue
		}
		if len(text) < i+3 {
			return "", false
		}
		c, err := hex.DecodeString(text[i+1 : i+3])
		if err != nil {
			return "", false
		}
		out = append(out, c...)
		i += 2
	}
	return string(out), true
}
