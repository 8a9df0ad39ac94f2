package histories

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/rvcheck/rvcheck/histories/internal/jsonline"
)

// codec writes and reads one type of value. One description serves both
// directions, so they cannot drift apart.
type codec[V any] struct {
	// zero reports whether the field is left out.
	zero   func(v *V) bool
	append func(b []byte, v *V) []byte
	parse  func(c *jsonline.Cursor, v *V) error
}

// text is a byte string: a JSON string where it is valid UTF-8, else {"b64": …}.
func text[S ~string]() codec[S] {
	return codec[S]{
		zero:   func(v *S) bool { return *v == "" },
		append: func(b []byte, v *S) []byte { return appendText(b, string(*v)) },
		parse: func(c *jsonline.Cursor, v *S) error {
			s, err := parseText(c)
			*v = S(s)
			return err
		},
	}
}

func appendText(b []byte, s string) []byte {
	if utf8.ValidString(s) {
		return jsonline.AppendString(b, s)
	}
	b = append(b, `{"b64":"`...)
	b = base64.StdEncoding.AppendEncode(b, []byte(s))
	return append(b, `"}`...)
}

func parseText(c *jsonline.Cursor) (string, error) {
	if c.Peek() != '{' {
		return c.String()
	}
	if err := c.Open('{', "a string"); err != nil {
		return "", err
	}
	var s string
	for members := 0; ; members++ {
		more, err := c.More('}')
		if err != nil {
			return "", err
		}
		if !more && members == 1 {
			return s, nil
		}
		if !more || members == 1 {
			return "", errNoString
		}
		if s, err = parseBase64Member(c); err != nil {
			return "", err
		}
	}
}

var errNoString = errors.New(`expected a string or an object with the one member "b64"`)

func parseBase64Member(c *jsonline.Cursor) (string, error) {
	name, err := c.Name()
	if err != nil {
		return "", err
	}
	if string(name) != "b64" {
		return "", fmt.Errorf("%w, found member %.60q", errNoString, name)
	}
	return parseBase64(c)
}

func parseBase64(c *jsonline.Cursor) (string, error) {
	encoded, err := c.Bytes("base64 in a string")
	if err != nil {
		return "", err
	}
	decoded, err := base64.StdEncoding.Strict().AppendDecode(nil, encoded)
	if err != nil || slices.Contains(encoded, '\n') || slices.Contains(encoded, '\r') {
		return "", fmt.Errorf("b64: expected padded standard base64, found %.40q", encoded)
	}
	return string(decoded), nil
}

// integer is a JSON number.
func integer[I ~int | ~int64]() codec[I] {
	return codec[I]{
		zero:   func(v *I) bool { return *v == 0 },
		append: func(b []byte, v *I) []byte { return strconv.AppendInt(b, int64(*v), 10) },
		parse: func(c *jsonline.Cursor, v *I) error {
			n, err := c.Int()
			*v = I(n)
			if err == nil && int64(*v) != n {
				return fmt.Errorf("%d is out of range", n)
			}
			return err
		},
	}
}

// decimal is an integer as a string, because readers that keep numbers as
// floating point lose revisions and lease ids above 2^53.
func decimal[I ~int64]() codec[I] {
	return codec[I]{
		zero: func(v *I) bool { return *v == 0 },
		append: func(b []byte, v *I) []byte {
			b = append(b, '"')
			b = strconv.AppendInt(b, int64(*v), 10)
			return append(b, '"')
		},
		parse: func(c *jsonline.Cursor, v *I) error {
			digits, err := c.Bytes("a decimal number in a string")
			if err != nil {
				return err
			}
			n, ok := jsonline.ParseInt(digits)
			if !ok {
				return fmt.Errorf("expected a decimal number of at most 64 bits in a string, found %.40q", digits)
			}
			*v = I(n)
			return nil
		},
	}
}

// unsigned is decimal for numbers that use all 64 bits.
var unsigned = codec[uint64]{
	zero: func(v *uint64) bool { return *v == 0 },
	append: func(b []byte, v *uint64) []byte {
		b = append(b, '"')
		b = strconv.AppendUint(b, *v, 10)
		return append(b, '"')
	},
	parse: func(c *jsonline.Cursor, v *uint64) error {
		digits, err := c.Bytes("a decimal number in a string")
		if err != nil {
			return err
		}
		n, ok := jsonline.ParseUint(digits)
		if !ok {
			return fmt.Errorf("expected a decimal number of at most 64 bits in a string, found %.40q", digits)
		}
		*v = n
		return nil
	},
}

var boolean = codec[bool]{
	zero:   func(v *bool) bool { return !*v },
	append: func(b []byte, v *bool) []byte { return strconv.AppendBool(b, *v) },
	parse: func(c *jsonline.Cursor, v *bool) (err error) {
		*v, err = c.Bool()
		return err
	},
}

// pointer is left out when nil, and written when it points to a zero value.
func pointer[V any](element codec[V]) codec[*V] {
	return codec[*V]{
		zero:   func(v **V) bool { return *v == nil },
		append: func(b []byte, v **V) []byte { return element.append(b, *v) },
		parse: func(c *jsonline.Cursor, v **V) error {
			*v = new(V)
			return element.parse(c, *v)
		},
	}
}

// list is an array; an empty one is read as nil.
func list[V any](element codec[V]) codec[[]V] {
	return codec[[]V]{
		zero: func(v *[]V) bool { return len(*v) == 0 },
		append: func(b []byte, v *[]V) []byte {
			b = append(b, '[')
			for i := range *v {
				if i > 0 {
					b = append(b, ',')
				}
				b = element.append(b, &(*v)[i])
			}
			return append(b, ']')
		},
		parse: func(c *jsonline.Cursor, v *[]V) error { return parseList(c, element, v) },
	}
}

func parseList[V any](c *jsonline.Cursor, element codec[V], v *[]V) error {
	if err := c.Open('[', "an array"); err != nil {
		return err
	}
	for {
		more, err := c.More(']')
		if err != nil || !more {
			return err
		}
		var zero V
		*v = append(*v, zero)
		if err := element.parse(c, &(*v)[len(*v)-1]); err != nil {
			return fmt.Errorf("%d: %w", len(*v)-1, err)
		}
	}
}

// stringMap is an object, or, where a name is not valid UTF-8, an array of pairs.
// An empty map is read as nil.
var stringMap = codec[map[string]string]{
	zero:   func(v *map[string]string) bool { return len(*v) == 0 },
	append: func(b []byte, v *map[string]string) []byte { return appendMap(b, *v) },
	parse: func(c *jsonline.Cursor, v *map[string]string) error {
		if c.Peek() == '[' {
			return parsePairs(c, v)
		}
		return parseMap(c, v)
	},
}

func appendMap(b []byte, m map[string]string) []byte {
	names := slices.Sorted(maps.Keys(m))
	if !slices.ContainsFunc(names, func(name string) bool { return !utf8.ValidString(name) }) {
		b = append(b, '{')
		for _, name := range names {
			b = jsonline.AppendString(b, name)
			b = append(b, ':')
			b = append(appendText(b, m[name]), ',')
		}
		return closed(b, '}')
	}
	b = append(b, '[')
	for _, name := range names {
		b = append(b, '[')
		b = append(appendText(b, name), ',')
		b = append(appendText(b, m[name]), ']', ',')
	}
	return closed(b, ']')
}

// closed ends an object or array whose elements each ended in a comma.
func closed(b []byte, bracket byte) []byte {
	if last := len(b) - 1; b[last] == ',' {
		b = b[:last]
	}
	return append(b, bracket)
}

func parseMap(c *jsonline.Cursor, v *map[string]string) error {
	if err := c.Open('{', "an object of strings"); err != nil {
		return err
	}
	for {
		more, err := c.More('}')
		if err != nil || !more {
			return err
		}
		name, err := c.Name()
		if err != nil {
			return err
		}
		if err := parseEntry(c, v, string(name)); err != nil {
			return err
		}
	}
}

func parseEntry(c *jsonline.Cursor, v *map[string]string, name string) error {
	if _, twice := (*v)[name]; twice {
		return fmt.Errorf("%.60q occurs twice", name)
	}
	content, err := parseText(c)
	if err != nil {
		return fmt.Errorf("%s: %w", clip(name), err)
	}
	if *v == nil {
		*v = make(map[string]string)
	}
	(*v)[name] = content
	return nil
}

func parsePairs(c *jsonline.Cursor, v *map[string]string) error {
	var pairs [][]string
	if err := list(list(text[string]())).parse(c, &pairs); err != nil {
		return err
	}
	for i, pair := range pairs {
		if len(pair) != 2 {
			return fmt.Errorf("%d: expected a pair of strings, found %d", i, len(pair))
		}
		if _, twice := (*v)[pair[0]]; twice {
			return fmt.Errorf("%.60q occurs twice", pair[0])
		}
		if *v == nil {
			*v = make(map[string]string, len(pairs))
		}
		(*v)[pair[0]] = pair[1]
	}
	return nil
}
