package kube

import (
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// Token is a continue token of the reference store: the page begins behind a key, at a
// revision. Revision 0 stands for the newest, in the inconsistent continuation that an
// expired token is answered with (PAGE-10). Tokens of other servers are opaque.
type Token struct {
	Revision histories.Revision
	Last     histories.Key
}

// String has a checksum, so that no damaged token is taken for another one.
func (t Token) String() string {
	text := fmt.Sprintf("%d %s %s/%s", t.Revision, t.Last.Resource, t.Last.Namespace, t.Last.Name)
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%08x %s", crc32.ChecksumIEEE([]byte(text)), text))
}

// ParseToken reads a token that String has made, false for every other text.
func ParseToken(encoded string) (Token, bool) {
	plain, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	sum, text, _ := strings.Cut(string(plain), " ")
	if err != nil || sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))) {
		return Token{}, false
	}
	fields := strings.SplitN(text, " ", 3)
	if len(fields) != 3 {
		return Token{}, false
	}
	revision, err := strconv.ParseInt(fields[0], 10, 64)
	namespace, name, found := strings.Cut(fields[2], "/")
	if err != nil || revision < 0 || !found || name == "" {
		return Token{}, false
	}
	return Token{histories.Revision(revision), histories.Key{Resource: fields[1], Namespace: namespace, Name: name}}, true
}
