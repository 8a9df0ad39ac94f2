package kube

import (
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// token is a continue token of the reference store: the page begins behind a key, at a
// revision. Revision 0 stands for the newest, in the inconsistent continuation that an
// expired token is answered with (PAGE-10). Tokens of other servers are opaque.
type token struct {
	revision histories.Revision
	last     histories.Key
}

// String has a checksum, so that no damaged token is taken for another one.
func (t token) String() string {
	text := fmt.Sprintf("%d %s %s/%s", t.revision, t.last.Resource, t.last.Namespace, t.last.Name)
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%08x %s", crc32.ChecksumIEEE([]byte(text)), text))
}

func parseToken(encoded string) (token, bool) {
	plain, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	sum, text, _ := strings.Cut(string(plain), " ")
	if err != nil || sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))) {
		return token{}, false
	}
	fields := strings.SplitN(text, " ", 3)
	if len(fields) != 3 {
		return token{}, false
	}
	revision, err := strconv.ParseInt(fields[0], 10, 64)
	namespace, name, found := strings.Cut(fields[2], "/")
	if err != nil || revision < 0 || !found || name == "" {
		return token{}, false
	}
	return token{histories.Revision(revision), histories.Key{Resource: fields[1], Namespace: namespace, Name: name}}, true
}
