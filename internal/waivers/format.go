package waivers

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/histories"
)

// String writes a waiver as its line of a known-failing file.
func (w *Waiver) String() string {
	words := []string{w.Pattern}
	if len(w.Kinds) > 0 {
		names := make([]string, len(w.Kinds))
		for i, kind := range w.Kinds {
			names[i] = string(kind)
		}
		words = append(words, "op="+strings.Join(names, ","))
	}
	words = append(words, w.Options...)
	words = append(words, string(w.Mode), "reason="+strconv.Quote(w.Reason))
	for _, named := range []struct{ name, value string }{{"link", w.Link}, {"until", w.until()}, {"plan", w.PlanFile}} {
		if named.value != "" {
			words = append(words, named.name+"="+word{value: named.value}.quotedIfNeeded())
		}
	}
	return strings.Join(words, " ")
}

func (w *Waiver) until() string {
	if w.Until.IsZero() {
		return ""
	}
	return w.Until.Format(time.DateOnly)
}

func (w word) quotedIfNeeded() string {
	if strings.ContainsAny(w.value, " \t\"#") {
		return strconv.Quote(w.value)
	}
	return w.value
}

// Narrow restricts a waiver to violations like the one that these operations show: to
// their kinds, and if there is only one of them, to its options too.
func (w *Waiver) Narrow(shown []histories.Request) {
	for i := range shown {
		if !slices.Contains(w.Kinds, shown[i].Kind) {
			w.Kinds = append(w.Kinds, shown[i].Kind)
		}
	}
	slices.Sort(w.Kinds)
	if len(shown) != 1 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if options[name](&shown[0]) {
			w.Options = append(w.Options, name)
		}
	}
}

// FormatFile writes a known-failing file: remarks, a comment each, and the waivers.
func FormatFile(remarks []string, waivers []Waiver) string {
	var b strings.Builder
	for _, remark := range remarks {
		fmt.Fprintf(&b, "# %s\n", strings.Join(strings.Fields(remark), " "))
	}
	for i := range waivers {
		b.WriteString(waivers[i].String() + "\n")
	}
	return b.String()
}
