package kube

import (
	"math"
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
)

// RV is a resourceVersion as a request names it.
type RV struct {
	// Unset: the request names none. Zero: any state will do.
	Unset, Zero bool
	// Revision is the number otherwise. What does not fit is the largest revision: no
	// store reaches either.
	Revision histories.Revision
}

// ParseRV reads a resourceVersion as servers do: a decimal number of 64 bits, leading
// zeros allowed (RV-12). It is false for what servers must not answer with data.
func ParseRV(text string) (RV, bool) {
	if text == "" {
		return RV{Unset: true}, true
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return RV{}, false
	}
	return RV{Zero: n == 0, Revision: histories.Revision(min(n, math.MaxInt64))}, true
}

// Mode is what a read is promised about the revision that it shows.
type Mode string

// The modes of reads (CONTRACT, the table of section 4.2).
const (
	// MostRecent: the revision is that of a moment between call and answer.
	MostRecent Mode = "most recent"
	// Any: the revision may be any that was.
	Any Mode = "any"
	// NotOlderThan: the revision is not below the one that was asked for.
	NotOlderThan Mode = "not older than"
	// Exact: the revision is the one that was asked for.
	Exact Mode = "exact"
	// Continuation: the page belongs to the snapshot that its token names.
	Continuation Mode = "continuation"
	// Refused: the options exclude each other, or are none. No server may answer with
	// data.
	Refused Mode = "refused"
)

// ReadMode says what the options of a get, a list or a next promise. The revision is
// the one that was asked for, where one was.
func ReadMode(r *histories.Request) (Mode, histories.Revision) {
	options := r.Options()
	rv, ok := ParseRV(options.ResourceVersion)
	switch {
	case r.Kind == histories.Get && ok:
		return plainMode(rv)
	case !ok || !allowedMatch(options, rv):
		return Refused, 0
	case options.Continue != "":
		if options.ResourceVersionMatch != "" || !rv.Unset && !rv.Zero {
			return Refused, 0
		}
		return Continuation, 0
	case options.ResourceVersionMatch == matchExact, legacyExact(r, rv):
		return Exact, rv.Revision
	default:
		return plainMode(rv)
	}
}

const (
	matchExact        = "Exact"
	matchNotOlderThan = "NotOlderThan"
)

func plainMode(rv RV) (Mode, histories.Revision) {
	switch {
	case rv.Unset:
		return MostRecent, 0
	case rv.Zero:
		return Any, 0
	default:
		return NotOlderThan, rv.Revision
	}
}

// allowedMatch reports whether a list may have this resourceVersionMatch (ERR-14).
func allowedMatch(options histories.KubeOptions, rv RV) bool {
	switch options.ResourceVersionMatch {
	case "":
		return true
	case matchExact:
		return !rv.Unset && !rv.Zero
	case matchNotOlderThan:
		return !rv.Unset
	default:
		return false
	}
}

// legacyExact reports whether a limit makes the resourceVersion an exact one (LIST-06),
// as it does but in lists of one name (LIST-12).
func legacyExact(r *histories.Request, rv RV) bool {
	return r.Limit > 0 && !rv.Unset && !rv.Zero && r.Options().ResourceVersionMatch == "" && !SingleName(r)
}

// Placed is a request as the specification takes it. Where objects are cluster-scoped all
// of them are in one namespace, the empty one: a list of everything that names one object
// is then a read of one key (LIST-12).
func Placed(r *histories.Request, clusterScoped bool) *histories.Request {
	if !clusterScoped || r.Scope.Shape != histories.All {
		return r
	}
	placed := *r
	placed.Scope.Shape = histories.Namespace
	return &placed
}

// SingleName reports whether a list is narrowed to one name in one namespace, for which
// servers read one key (LIST-12).
func SingleName(r *histories.Request) bool {
	switch r.Scope.Shape {
	case histories.Single:
		return true
	case histories.Namespace:
		sel, err := ParseSelector("", r.Options().FieldSelector)
		_, single := sel.Name()
		return err == nil && single
	default:
		return false
	}
}
