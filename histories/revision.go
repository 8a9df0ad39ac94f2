package histories

import (
	"fmt"
	"strconv"
)

// Revision is a place in a store's history: an etcd header revision, the
// resourceVersion of a list, or that of an object which this very call changed.
// Zero is "not told" in answers and "unset" in requests. Negative values occur
// in requests only, as hostile input.
//
// Files keep revisions as decimal strings, because JSON numbers lose precision
// above 2^53.
type Revision int64

// MarshalText writes the decimal form.
func (r Revision) MarshalText() ([]byte, error) {
	return strconv.AppendInt(nil, int64(r), 10), nil
}

// UnmarshalText reads the decimal form.
func (r *Revision) UnmarshalText(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("revision %.60q: expected a decimal number of at most 63 bits", text)
	}
	*r = Revision(n)
	return nil
}

func (r Revision) String() string { return strconv.FormatInt(int64(r), 10) }
