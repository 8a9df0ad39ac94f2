package coverage

import (
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// shapeOf returns the shape of a call that was answered, empty for one that was
// not or whose kind has no shapes. stream finds the stream of a watch.
func shapeOf(op *histories.Operation, stream func(op int) *histories.Stream) string {
	if op.Answer.Outcome == histories.Unknown {
		return ""
	}
	switch op.Request.Kind {
	case histories.Create, histories.Put, histories.Compact:
		return words(string(op.Request.Kind), result(&op.Answer))
	case histories.Update:
		return words("update", result(&op.Answer), branch(&op.Answer))
	case histories.Delete:
		return remove(op)
	case histories.Get:
		return words("get", at(op), found(&op.Answer))
	case histories.List:
		return words("list", at(op), scope(op), size(&op.Answer), start(op))
	case histories.Next:
		return words("next", result(&op.Answer), size(&op.Answer))
	case histories.Watch:
		return words("watch", from(op, stream(op.ID)), shapeName(op.Request.Scope.Shape), flag(op.Request.PrevKV, "prevKV"))
	case histories.Progress, histories.Stop:
		return string(op.Request.Kind)
	default:
		return ""
	}
}

func words(parts ...string) string {
	var kept []string
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, " ")
}

func flag(set bool, name string) string {
	if set {
		return name
	}
	return ""
}

// result is "ok" or the class of the refusal.
func result(a *histories.Answer) string {
	if a.Error != nil {
		return string(a.Error.Class)
	}
	return string(a.Outcome)
}

// branch says what the failure branch of a refused write found.
func branch(a *histories.Answer) string {
	if a.Outcome != histories.Fail || a.Error == nil || a.Error.Class != histories.Conflict {
		return ""
	}
	return found(a)
}

func found(a *histories.Answer) string {
	switch {
	case a.Error != nil && a.Error.Class != histories.Conflict:
		return ""
	case len(a.Objects) == 0:
		return "absent"
	default:
		return "present"
	}
}

func remove(op *histories.Operation) string {
	if !op.Request.Conditional {
		return words("delete unconditional", flag(op.Answer.Deleted == 0, "absent"))
	}
	return words("delete", result(&op.Answer), branch(&op.Answer))
}

// at says at what revision a read was answered, or how it was refused.
func at(op *histories.Operation) string {
	switch {
	case op.Answer.Error != nil:
		return string(op.Answer.Error.Class)
	case op.Request.Revision <= 0:
		return "newest"
	default:
		return "past"
	}
}

func scope(op *histories.Operation) string {
	if op.Answer.Outcome != histories.OK {
		return ""
	}
	return shapeName(op.Request.Scope.Shape)
}

func shapeName(shape histories.Shape) string {
	if shape == histories.All {
		return "all"
	}
	return string(shape)
}

// size says whether the limit cut an answer.
func size(a *histories.Answer) string {
	switch {
	case a.Outcome != histories.OK:
		return ""
	case a.More:
		return "cut"
	case len(a.Objects) == 0:
		return "empty"
	default:
		return "whole"
	}
}

func start(op *histories.Operation) string {
	return flag(op.Request.HasStart && op.Answer.Outcome == histories.OK, "startKey")
}

// from says where a watch began, seen from the store at that time.
func from(op *histories.Operation, stream *histories.Stream) string {
	r, a := &op.Request, &op.Answer
	switch {
	case stream != nil && stream.End != nil && stream.End.Reason == histories.EndCompacted:
		return "compacted"
	case a.Outcome != histories.OK:
		return string(a.Outcome)
	case r.StartRevision <= 0:
		return "now"
	case r.StartRevision > a.Revision:
		return "future"
	default:
		return "past"
	}
}
