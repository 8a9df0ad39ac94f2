package jsonline_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rvcheck/rvcheck/histories/internal/jsonline"
)

// skim passes over one value and demands that nothing follows.
func skim(line string) (string, error) {
	var c jsonline.Cursor
	c.Reset([]byte(line))
	raw, err := c.Raw()
	if err == nil {
		err = c.End()
	}
	return string(raw), err
}

func TestRaw(t *testing.T) {
	for _, line := range []string{
		`{}`, `[]`, `""`, `0`, `-0`, `-1.5e+10`, `1E5`, `true`, `false`, `null`, `[1,"a",{"b":[null,{}]}]`,
		`"\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00ä"`,
	} {
		for _, padded := range []string{line, " \t" + line + " \r"} {
			if raw, err := skim(padded); err != nil || raw != line {
				t.Errorf("Raw of %q = %q, %v", padded, raw, err)
			}
		}
	}
}

func TestRawRefuses(t *testing.T) {
	for line, want := range map[string]string{
		``:                       "expected a value, found the end of the line",
		`{`:                      "expected a member's name in quotes, found the end of the line",
		`{"a"}`:                  "expected ':', found '}' at column 5",
		`{"a":}`:                 "expected a value, found '}' at column 6",
		`{"a":1,}`:               "expected a member's name in quotes, found '}' at column 8",
		`{,}`:                    "expected a member's name in quotes, found ',' at column 2",
		`{"a":1"b":2}`:           `expected ',' or '}', found the string "b"`,
		`[1,]`:                   "expected a value, found ']' at column 4",
		`[1 2]`:                  "expected ',' or ']', found the number 2",
		`[1}`:                    "expected ',' or ']', found '}' at column 3",
		`1 2`:                    "expected the end of the line, found the number 2",
		"1 \x00":                 `expected the end of the line, found '\x00' at column 3`,
		`01`:                     "expected a number, found the number 01",
		`1.`:                     "expected a number, found the number 1.",
		`1e`:                     "expected a number, found the number 1e",
		`-`:                      "expected a number, found the number -",
		`+1`:                     "expected a value, found '+' at column 1",
		`truth`:                  "expected a value, found truth",
		`NaN`:                    "expected a value, found 'N' at column 1",
		`"a`:                     "a string without its closing quote",
		`"\`:                     "a malformed escape sequence in a string",
		`"\x"`:                   "a malformed escape sequence in a string",
		`"\u12g4"`:               "a malformed escape sequence in a string",
		`"\u123"`:                "a malformed escape sequence in a string",
		`"\ud800"`:               "a malformed escape sequence in a string",
		`"\udc00"`:               "a malformed escape sequence in a string",
		`"\ud800\n"`:             "a malformed escape sequence in a string",
		`"\n` + "\xff":           "a string without its closing quote",
		"\"\xff\"":               "a string that is not valid UTF-8",
		"\"\\n\xff\"":            "a string that is not valid UTF-8",
		"\"\t\"":                 "control character 0x09 in a string: expected an escape sequence",
		"\"\\n\t\"":              "control character 0x09 in a string: expected an escape sequence",
		strings.Repeat("[", 101): "nested deeper than 100 levels",
	} {
		if raw, err := skim(line); err == nil || err.Error() != want {
			t.Errorf("Raw of %q = %q, %v, want %s", line, raw, err, want)
		}
	}
}

func TestInt(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 1<<53 + 1, math.MaxInt64, math.MinInt64} {
		var c jsonline.Cursor
		c.Reset(strconv.AppendInt(nil, n, 10))
		if got, err := c.Int(); got != n || err != nil {
			t.Errorf("Int of %d = %d, %v", n, got, err)
		}
	}
	for _, line := range []string{"9223372036854775808", "-9223372036854775809", "18446744073709551616", "1.0", "1e3", `"1"`, "01", "-"} {
		var c jsonline.Cursor
		c.Reset([]byte(line))
		if got, err := c.Int(); err == nil || !strings.HasPrefix(err.Error(), "expected an integer") {
			t.Errorf("Int of %s = %d, %v", line, got, err)
		}
	}
}

func TestParseUint(t *testing.T) {
	if n, ok := jsonline.ParseUint([]byte("18446744073709551615")); !ok || n != math.MaxUint64 {
		t.Errorf("ParseUint of the largest = %d, %v", n, ok)
	}
	for _, text := range []string{"", "-1", "+1", "1_0", "18446744073709551616", "99999999999999999999"} {
		if n, ok := jsonline.ParseUint([]byte(text)); ok {
			t.Errorf("ParseUint of %q = %d", text, n)
		}
	}
}

func TestBool(t *testing.T) {
	var c jsonline.Cursor
	c.Reset([]byte(` true false 1`))
	yes, err1 := c.Bool()
	no, err2 := c.Bool()
	if _, err3 := c.Bool(); !yes || no || err1 != nil || err2 != nil || err3 == nil {
		t.Errorf("Bool = %v, %v; errors %v, %v, %v", yes, no, err1, err2, err3)
	}
}

func TestRepeatedStringsAreKeptOnce(t *testing.T) {
	var c jsonline.Cursor
	line := []byte(`"client" "client"`)
	allocated := testing.AllocsPerRun(100, func() {
		c.Reset(line)
		_, _ = c.String()
		_, _ = c.String()
	})
	if allocated != 0 {
		t.Errorf("%v allocations for a string that is known", allocated)
	}
}

// FuzzRaw compares with the standard library, which is more lenient about UTF-8,
// surrogates and depth, and about nothing else.
func FuzzRaw(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"\u00e4",-2.5e7,null,true]}`, `"\ud83d\ude00"`, `[[]]`, ``} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		_, err := skim(line)
		if err == nil && !json.Valid([]byte(line)) {
			t.Errorf("%q is accepted and is not JSON", line)
		}
		plain := utf8.ValidString(line) && !strings.Contains(line, `\u`) && strings.Count(line, "[")+strings.Count(line, "{") < 100
		if err != nil && plain && json.Valid([]byte(line)) {
			t.Errorf("%q is JSON and is refused: %v", line, err)
		}
	})
}

// FuzzString holds AppendString and String to be inverse, and to agree with the
// standard library.
func FuzzString(f *testing.F) {
	f.Add("plain")
	f.Add("\x00\x1f\"\\\n\t\u2028ä\U0001F600")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip()
		}
		line := jsonline.AppendString(nil, text)
		var c jsonline.Cursor
		c.Reset(line)
		got, err := c.String()
		if err != nil || got != text {
			t.Errorf("String of %s = %q, %v", line, got, err)
		}
		var std string
		if err := json.Unmarshal(line, &std); err != nil || std != text {
			t.Errorf("encoding/json reads %s as %q, %v", line, std, err)
		}
	})
}
