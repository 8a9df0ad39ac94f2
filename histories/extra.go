package histories

// Extra holds the fields of a file's record that this version does not know, so
// that they survive reading and writing. It is empty in a history that was not
// read from a file. Only the reader makes one: what is in it has been checked.
type Extra struct {
	members string
}

// String is the unknown fields as members of a JSON object, without its braces.
func (e Extra) String() string { return e.members }

// Equal reports whether both hold the same text.
func (e Extra) Equal(other Extra) bool { return e == other }

func (e *Extra) add(member []byte) {
	if e.members != "" {
		e.members += ","
	}
	e.members += string(member)
}
