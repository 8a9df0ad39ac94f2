package jsonline

// interner keeps the strings it has seen lately, one for each slot of a small
// table: names of clients and keys repeat in nearly every record, and a string
// that is found costs no allocation. It forgets instead of growing.
type interner struct {
	slots [1 << internBits]string
}

const (
	internBits    = 12
	internLongest = 64
)

func (n *interner) intern(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if len(text) > internLongest {
		return string(text)
	}
	hash := uint32(2166136261)
	for _, b := range text {
		hash = (hash ^ uint32(b)) * 16777619
	}
	slot := &n.slots[hash>>(32-internBits)]
	if *slot != string(text) {
		*slot = string(text)
	}
	return *slot
}
