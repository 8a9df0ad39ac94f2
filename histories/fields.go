package histories

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories/internal/jsonline"
)

// table describes the JSON object of a struct: its fields in the order in which
// they are written.
type table[T any] struct {
	fields []field[T]
	// extra is where unknown fields go; where it is nil they are errors.
	extra func(v *T) *Extra
}

// field is one member of the object of a T, with the type of the member erased.
type field[T any] struct {
	name   string
	zero   func(v *T) bool
	append func(b []byte, v *T) []byte
	parse  func(c *jsonline.Cursor, v *T) error
}

// member describes the field that get points to.
func member[T, V any](name string, get func(v *T) *V, c codec[V]) field[T] {
	return field[T]{
		name:   name,
		zero:   func(v *T) bool { return c.zero(get(v)) },
		append: func(b []byte, v *T) []byte { return c.append(b, get(v)) },
		parse:  func(cursor *jsonline.Cursor, v *T) error { return c.parse(cursor, get(v)) },
	}
}

// embedded describes the fields of a struct inside T as if they were T's own.
func embedded[T, V any](get func(v *T) *V, inner table[V]) []field[T] {
	var fields []field[T]
	for _, f := range inner.fields {
		fields = append(fields, member(f.name, get, codec[V]{f.zero, f.append, f.parse}))
	}
	return fields
}

// recordMember is the first member of every line; whoever reads the line has
// dealt with it before.
func recordMember[T any]() field[T] {
	return field[T]{
		name:   "record",
		zero:   func(*T) bool { return true },
		append: func(b []byte, _ *T) []byte { return b },
		parse: func(c *jsonline.Cursor, _ *T) error {
			_, err := c.Raw()
			return err
		},
	}
}

// codec writes the table as an object of its own.
func (t *table[T]) codec() codec[T] {
	return codec[T]{
		zero: t.zero,
		append: func(b []byte, v *T) []byte {
			return closed(t.appendMembers(append(b, '{'), v), '}')
		},
		parse: t.parse,
	}
}

func (t *table[T]) zero(v *T) bool {
	for i := range t.fields {
		if !t.fields[i].zero(v) {
			return false
		}
	}
	return t.extra == nil || t.extra(v).members == ""
}

// appendMembers appends every field that is not zero, each followed by a comma.
func (t *table[T]) appendMembers(b []byte, v *T) []byte {
	for i := range t.fields {
		f := &t.fields[i]
		if f.zero(v) {
			continue
		}
		b = append(b, '"')
		b = append(b, f.name...)
		b = append(b, '"', ':')
		b = append(f.append(b, v), ',')
	}
	if t.extra == nil || t.extra(v).members == "" {
		return b
	}
	b = append(b, t.extra(v).members...)
	return append(b, ',')
}

// parse reads an object; fields that it does not mention keep their values.
func (t *table[T]) parse(c *jsonline.Cursor, v *T) error {
	if err := c.Open('{', "an object"); err != nil {
		return err
	}
	var seen uint64
	next := 0
	for {
		more, err := c.More('}')
		if err != nil || !more {
			return err
		}
		start := c.Offset()
		name, err := c.Name()
		if err != nil {
			return err
		}
		i, known := t.find(name, next)
		if !known {
			if err := t.parseExtra(c, v, start, name); err != nil {
				return err
			}
			continue
		}
		next = i + 1
		if seen&(1<<i) != 0 {
			return fmt.Errorf("%s: occurs twice", t.fields[i].name)
		}
		seen |= 1 << i
		if err := t.fields[i].parse(c, v); err != nil {
			return fmt.Errorf("%s: %w", t.fields[i].name, err)
		}
	}
}

// find looks for a field from where the last one was found: files keep the order.
func (t *table[T]) find(name []byte, from int) (int, bool) {
	for i := from; i < len(t.fields); i++ {
		if t.fields[i].name == string(name) {
			return i, true
		}
	}
	for i := range min(from, len(t.fields)) {
		if t.fields[i].name == string(name) {
			return i, true
		}
	}
	return 0, false
}

func (t *table[T]) parseExtra(c *jsonline.Cursor, v *T, start int, name []byte) error {
	if t.extra == nil {
		return fmt.Errorf("unknown field %.60q", name)
	}
	quoted := c.Since(start) // with its colon
	if _, err := c.Raw(); err != nil {
		return fmt.Errorf("unknown field %s %w", clip(string(quoted)), err)
	}
	t.extra(v).add(c.Since(start))
	return nil
}
