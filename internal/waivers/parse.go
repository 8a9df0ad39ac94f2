package waivers

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/histories"
)

// Error is a line that makes no sense.
type Error struct {
	File string
	Line int
	// Found is what stands there, Expected what should.
	Found, Expected string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d: %s; expected %s", e.File, e.Line, e.Found, e.Expected)
}

// Errors are all bad lines of a file, in their order.
type Errors []*Error

// Error words the first one and counts the others: a file of something else has
// hundreds.
func (e Errors) Error() string {
	switch len(e) {
	case 0:
		return ""
	case 1:
		return e[0].Error()
	case 2:
		return e[0].Error() + " (1 more line makes no sense)"
	default:
		return fmt.Sprintf("%v (%d more lines make no sense)", e[0], len(e)-1)
	}
}

// Unwrap gives each bad line on its own.
func (e Errors) Unwrap() []error {
	all := make([]error, 0, len(e))
	for _, bad := range e {
		all = append(all, bad)
	}
	return all
}

// Parse reads the text of a known-failing file; name stands in errors. Plans are
// left to Read. The error is an Errors.
func Parse(text, name string) (*File, error) {
	file := &File{Name: name}
	var bad Errors
	number := 0
	text = strings.TrimPrefix(text, "\ufeff") // what some editors begin a text file with
	for line := range strings.Lines(text) {
		number++
		w, err := parseLine(strings.TrimRight(line, "\r\n"))
		var wrong *Error
		switch {
		case errors.As(err, &wrong):
			wrong.File, wrong.Line = name, number
			bad = append(bad, wrong)
		case w != nil:
			w.Line = number
			file.Waivers = append(file.Waivers, *w)
		}
	}
	if len(bad) > 0 {
		return nil, bad
	}
	return file, nil
}

// complain makes an Error that does not know yet where it happened. Of what it
// quotes it shows the beginning.
func complain(expected, found string, args ...any) error {
	for i, arg := range args {
		args[i] = clip(fmt.Sprint(arg))
	}
	return &Error{Found: fmt.Sprintf(found, args...), Expected: expected}
}

func clip(text string) string {
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}

// form is a whole line, for errors about what is missing.
const form = `PROPERTY [op=KIND,…] [OPTION…] fails|flaky reason="…" [link=…] [until=YYYY-MM-DD] [plan=FILE]`

// parseLine reads one line; nothing for an empty one.
func parseLine(line string) (*Waiver, error) {
	words, err := split(line)
	if err != nil || len(words) == 0 {
		return nil, err
	}
	w := &Waiver{Pattern: words[0].name}
	if _, err := path.Match(w.Pattern, ""); err != nil || words[0].assigned || words[0].quoted {
		return nil, complain("a property pattern such as watch/no-gap or 'watch/*' first", "%q", words[0])
	}
	seen := map[string]bool{}
	for _, word := range words[1:] {
		if seen[word.name] {
			return nil, complain("each word once", "a second %q", word.name)
		}
		seen[word.name] = true
		if err := w.set(word); err != nil {
			return nil, err
		}
	}
	return w, w.complete()
}

func (w *Waiver) complete() error {
	switch {
	case w.Mode == "":
		return complain(form, `neither "fails" nor "flaky"`)
	case w.Reason == "":
		return complain(`a reason="…" that says what is known`, "no reason")
	default:
		return nil
	}
}

// set applies one word after the pattern.
func (w *Waiver) set(word word) error {
	switch {
	case word.quoted && !word.assigned:
		return complain(form, "%q", word)
	case word.assigned && word.value == "":
		return complain("a value after the equals sign", "%q", word)
	case word.assigned && choices[word.name].of != nil:
		return w.choose(word)
	case word.assigned:
		return w.assign(word)
	case word.name == string(Fails) || word.name == string(Flaky):
		if w.Mode != "" {
			return complain("one of them", "both fails and flaky")
		}
		w.Mode = Mode(word.name)
		return nil
	case options[word.name] == nil:
		return complain("fails, flaky, or an option: "+strings.Join(slices.Sorted(maps.Keys(options)), ", "), "%q", word)
	default:
		w.Options = append(w.Options, word.name)
		return nil
	}
}

func (w *Waiver) assign(word word) (err error) {
	switch word.name {
	case "op":
		w.Kinds, err = kinds(word.value)
	case "reason":
		w.Reason = word.value
		if strings.TrimSpace(word.value) == "" {
			err = complain(`a reason="…" that says what is known`, "an empty reason")
		}
	case "link":
		w.Link = word.value
	case "plan":
		w.PlanFile = word.value
	case "until":
		if w.Until, err = time.Parse(time.DateOnly, word.value); err != nil {
			err = complain("a day such as 2027-03-01", "until=%s", word.value)
		}
	default:
		err = complain("one of op=, encoding=, type=, reason=, link=, until=, plan=", "%q", word)
	}
	return err
}

func kinds(list string) ([]histories.Kind, error) {
	var found []histories.Kind
	for name := range strings.SplitSeq(list, ",") {
		kind := histories.Kind(name)
		if !slices.Contains(histories.Kinds, kind) {
			return nil, complain("kinds of operations among "+kindNames(), "op=%s", list)
		}
		found = append(found, kind)
	}
	return found, nil
}

func kindNames() string {
	names := make([]string, 0, len(histories.Kinds))
	for _, kind := range histories.Kinds {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}

// word is "name", "name=value" or "name=\"value\"".
type word struct {
	name, value      string
	assigned, quoted bool
}

func (w word) String() string {
	if w.assigned {
		return w.name + "=" + w.value
	}
	return w.name
}

// split cuts a line into words and leaves a comment out. A quoted value may hold
// anything, with the escapes of a Go string.
func split(line string) ([]word, error) {
	var words []word
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" || line[0] == '#' {
			return words, nil
		}
		w, rest, err := cut(line)
		if err != nil {
			return nil, err
		}
		words, line = append(words, w), rest
	}
}

// cut takes the first word off a line.
func cut(line string) (w word, rest string, err error) {
	end := strings.IndexAny(line, " \t\"")
	if end < 0 {
		end = len(line)
	}
	w.name, w.value, w.assigned = strings.Cut(line[:end], "=")
	rest = line[end:]
	if !strings.HasPrefix(rest, `"`) {
		return w, rest, nil
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return w, "", complain("a closing quotation mark", "%s", rest)
	}
	rest = rest[len(quoted):]
	text, err := strconv.Unquote(quoted)
	if err != nil || rest != "" && rest[0] != ' ' && rest[0] != '\t' || w.value != "" || !w.assigned && w.name != "" {
		return w, "", complain(`a quotation as a whole value, such as reason="…"`, "%s", line)
	}
	w.quoted, w.value = true, text
	if !w.assigned {
		w.name, w.value = text, ""
	}
	return w, rest, nil
}
