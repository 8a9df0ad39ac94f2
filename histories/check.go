package histories

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// The checks below hold for every record, whether it is written or read: the
// encoder refuses what the decoder would.

var (
	layers       = []Layer{EtcdLayer, StorageLayer, KubeLayer}
	worlds       = []World{Closed, Open}
	outcomes     = []Outcome{OK, Fail, Unknown}
	shapes       = []Shape{All, Single, Prefix, Namespace, Range}
	eventTypes   = []EventType{PutEvent, DeleteEvent, ProgressEvent, AddedEvent, ModifiedEvent, ErrorEvent, SyncedEvent}
	sortTargets  = []SortTarget{"", SortByKey, SortByVersion, SortByCreate, SortByMod, SortByValue}
	sortOrders   = []SortOrder{"", Ascend, Descend}
	filters      = []string{NoPut, NoDelete}
	endReasons   = []EndReason{EndCancelled, EndClosed, EndError, EndRun, EndCompacted}
	patches      = []string{"", MergePatch, JSONPatch, ApplyPatch}
	encodings    = []string{"", Protobuf, Table, MetadataOnly}
	errorClasses = []ErrorClass{
		Conflict, NotFound, Exists, Compacted, Future, Invalid, TooLarge, NoLease, Busy, Timeout, Unavailable, Other,
	}
)

// maxTxnDepth keeps what is written within what a line may nest.
const maxTxnDepth = 16

func oneOf[S ~string](what string, got S, allowed []S) error {
	if slices.Contains(allowed, got) {
		return nil
	}
	return fmt.Errorf("unknown %s %.60q: expected one of %s", what, got, joined(allowed))
}

// clip is a name of a file's own in an error: not all of a long one, and nothing
// that a terminal obeys.
func clip(text string) string {
	const longest = 60
	printable := func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return strings.Map(printable, text)
}

func joined[S ~string](words []S) string {
	var text string
	for i, word := range words {
		if i > 0 {
			text += ", "
		}
		if word == "" {
			word = `""`
		}
		text += string(word)
	}
	return text
}

func checkTime(time int64) error {
	if time < 0 {
		return fmt.Errorf("time %d: expected nanoseconds since the start of the run, not negative", time)
	}
	return nil
}

func checkID(what string, id int) error {
	if id < 1 {
		return fmt.Errorf("%s %d: expected an operation's id, from 1", what, id)
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func checkHeader(h *Header) error {
	if h.Format < 1 || h.Format > FormatVersion {
		return fmt.Errorf("format %d: expected 1 to %d", h.Format, FormatVersion)
	}
	if h.ClockUncertainty < 0 {
		return fmt.Errorf("clockUncertainty %d: expected nanoseconds, not negative", h.ClockUncertainty)
	}
	return firstError(oneOf("layer", h.Layer, layers), oneOf("world", h.World, worlds))
}

func checkInvoke(layer Layer, op *Operation) error {
	return firstError(
		checkID("id", op.ID), checkTime(op.Call), checkRequest(&op.Request, 0), checkBodies(layer, &op.Request),
	)
}

func checkRequest(r *Request, depth int) error {
	err := firstError(
		oneOf("kind", r.Kind, Kinds), oneOf("shape", r.Scope.Shape, shapes),
		oneOf("sort target", r.SortTarget, sortTargets), oneOf("sort order", r.SortOrder, sortOrders),
		oneOf("patch", r.Options().Patch, patches), oneOf("encoding", r.Options().Encoding, encodings),
	)
	if err != nil {
		return err
	}
	for _, filter := range r.Filters {
		if err := oneOf("filter", filter, filters); err != nil {
			return err
		}
	}
	if r.Txn == nil {
		return nil
	}
	if depth == maxTxnDepth {
		return fmt.Errorf("transactions nested deeper than %d levels", maxTxnDepth)
	}
	for _, c := range r.Txn.Compares {
		if err := firstError(oneOf("target of a compare", c.Target, CompareTargets), oneOf("op of a compare", c.Op, CompareOps)); err != nil {
			return err
		}
	}
	for _, branch := range [][]Request{r.Txn.Then, r.Txn.Else} {
		for i := range branch {
			if err := checkRequest(&branch[i], depth+1); err != nil {
				return fmt.Errorf("txn: %w", err)
			}
		}
	}
	return nil
}

// checkBodies demands that transactions have a body, where the layer has any.
func checkBodies(layer Layer, r *Request) error {
	switch {
	case layer != EtcdLayer:
		return nil
	case r.Txn == nil && r.Kind == Transact:
		return errors.New(`a request of kind txn without a body: expected one in "txn"`)
	case r.Txn == nil:
		return nil
	}
	for _, branch := range [][]Request{r.Txn.Then, r.Txn.Else} {
		for i := range branch {
			if err := checkBodies(layer, &branch[i]); err != nil {
				return fmt.Errorf("txn: %w", err)
			}
		}
	}
	return nil
}

func checkReturn(op *Operation) error {
	return firstError(checkID("id", op.ID), checkTime(op.Return), checkAnswer(&op.Answer, 0))
}

func checkAnswer(a *Answer, depth int) error {
	if err := firstError(oneOf("outcome", a.Outcome, outcomes), checkError(a.Error)); err != nil {
		return err
	}
	if depth == maxTxnDepth && len(a.Results) > 0 {
		return fmt.Errorf("results nested deeper than %d levels", maxTxnDepth)
	}
	for i := range a.Results {
		if err := checkAnswer(&a.Results[i], depth+1); err != nil {
			return fmt.Errorf("results: %w", err)
		}
	}
	return nil
}

func checkError(e *Error) error {
	if e == nil {
		return nil
	}
	return oneOf("error class", e.Class, errorClasses)
}

func checkEvent(stream int, e *Event) error {
	if e.Batch < 1 {
		return fmt.Errorf("batch %d: expected the number of a response, from 1", e.Batch)
	}
	return firstError(
		checkID("stream", stream), checkTime(e.Time), oneOf("event type", e.Type, eventTypes), checkError(e.Details().Error),
	)
}

func checkEnd(stream int, end *End) error {
	return firstError(
		checkID("stream", stream), checkTime(end.Time),
		oneOf("end reason", end.Reason, endReasons), checkError(end.Error),
	)
}
