package coverage

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// kubeShape is shapeOf for the Kubernetes layer.
func kubeShape(op *histories.Operation, stream *histories.Stream) string {
	o, kind := op.Request.Options(), string(op.Request.Kind)
	switch op.Request.Kind {
	case histories.Create, histories.DeleteCollection:
		return words(kind, flag(o.GenerateName, "generateName"), flag(o.DryRun, "dryRun"), result(&op.Answer))
	case histories.Update:
		return words(kind, flag(o.Status, "status"), flag(!op.Request.Conditional || op.Request.Expect == 0, "unconditional"), flag(o.DryRun, "dryRun"), result(&op.Answer))
	case histories.Patch:
		return words(kind, patchName(o), flag(o.DryRun, "dryRun"), result(&op.Answer))
	case histories.Delete:
		return words(kind, flag(o.DryRun, "dryRun"), marked(&op.Answer))
	case histories.Get:
		return words(kind, kubeMode(&op.Request), present(&op.Answer))
	case histories.List:
		return words(kind, kubeMode(&op.Request), kubeSize(op), flag(selects(o) && op.Answer.Outcome == histories.OK, "selector"))
	case histories.Next:
		return words(kind, result(&op.Answer), kubeSize(op))
	case histories.Watch:
		return words(kind, kubeFrom(op, stream), shapeName(op.Request.Scope.Shape), flag(selects(o), "selector"))
	case histories.Compact:
		return words(kind, result(&op.Answer))
	case histories.Stop:
		return kind
	default:
		return ""
	}
}

func selects(o histories.KubeOptions) bool { return o.LabelSelector != "" || o.FieldSelector != "" }

func patchName(o histories.KubeOptions) string {
	switch {
	case o.NoOp:
		return "noop"
	case o.Status:
		return "status"
	case o.ClearFinalizers:
		return "clearFinalizers"
	default:
		return o.Patch
	}
}

// marked is "marked" where a delete left the object for its finalizers.
func marked(a *histories.Answer) string {
	if a.Outcome == histories.OK && len(a.Objects) > 0 {
		return "marked"
	}
	return result(a)
}

func present(a *histories.Answer) string {
	switch {
	case a.Outcome == histories.OK:
		return "present"
	case a.Error != nil && a.Error.Class == histories.NotFound:
		return "absent"
	default:
		return result(a)
	}
}

// kubeMode is what a read asks for: the newest, any, not older than, or exactly.
func kubeMode(r *histories.Request) string {
	o := r.Options()
	switch {
	case o.ResourceVersion == "":
		return "newest"
	case o.ResourceVersion == "0":
		return "any"
	case o.ResourceVersionMatch == "Exact", o.ResourceVersionMatch == "" && r.Limit > 0:
		return "exact"
	default:
		return "notOlderThan"
	}
}

// kubeSize says of what scope an answer was, and whether a token follows.
func kubeSize(op *histories.Operation) string {
	a := &op.Answer
	switch scope := shapeName(op.Request.Scope.Shape); {
	case a.Outcome != histories.OK && op.Request.Kind == histories.Next:
		return flag(a.Continue != "", "token")
	case a.Outcome != histories.OK:
		return result(a)
	case op.Request.Kind == histories.Next:
		return kubeCut(a)
	default:
		return words(scope, kubeCut(a))
	}
}

func kubeCut(a *histories.Answer) string {
	switch {
	case a.Continue != "":
		return "cut"
	case len(a.Objects) == 0:
		return "empty"
	default:
		return "whole"
	}
}

// kubeFrom says with what a watch begins, or that it could not.
func kubeFrom(op *histories.Operation, stream *histories.Stream) string {
	o := op.Request.Options()
	switch {
	case stream != nil && stream.End != nil && stream.End.Reason == histories.EndCompacted:
		return "compacted"
	case op.Answer.Outcome != histories.OK:
		return result(&op.Answer)
	case o.SendInitialEvents != nil && *o.SendInitialEvents:
		return "initialEvents"
	case o.ResourceVersion == "":
		return "newest"
	case o.ResourceVersion == "0":
		return "any"
	default:
		return "after"
	}
}

// kube lists the shapes of the Kubernetes layer.
func kube() []shape { return slices.Concat(kubeWrites(), kubeReads(), kubeWatches()) }

func kubeWrites() []shape {
	return slices.Concat(
		shapes("writes", "create ok", "create exists", "update ok", "update conflict", "update notFound",
			"delete ok", "delete conflict", "delete notFound"),
		shapes("unconditional", "update unconditional ok", "update unconditional notFound"),
		shapes("patches", "patch merge ok", "patch merge conflict", "patch merge notFound", "patch json ok", "patch noop ok"),
		shapes("applies", "patch apply ok"),
		shapes("statuses", "update status ok", "patch status ok"),
		shapes("finalizers", "delete marked", "patch clearFinalizers ok"),
		shapes("dryRuns", "create dryRun ok", "create dryRun exists", "delete dryRun ok"),
		shapes("generatedNames", "create generateName ok"),
		shapes("deleteCollection", "deletecollection ok"),
	)
}

func kubeReads() []shape {
	list := shapes("reads", "get newest present", "get newest absent", "get any present", "get any absent",
		"get notOlderThan present", "get notOlderThan absent", "next ok whole", "next ok cut", "next invalid")
	for _, mode := range []string{"newest", "any", "notOlderThan", "exact"} {
		for _, scope := range []string{"all", "namespace"} {
			for _, size := range []string{"empty", "whole", "cut"} {
				if mode == "any" && size == "cut" {
					continue // a cache takes no limit there (LIST-08)
				}
				list = append(list, scoped(scope, shape{words("list", mode, scope, size), []string{"reads"}}))
			}
			list = append(list, scoped(scope, shape{words("list", mode, scope, "whole selector"), []string{"selectors"}}))
		}
		list = append(list, shapes("reads", words("list", mode, "key whole"))...)
	}
	return append(list, shapes("compaction", "list exact compacted", "next compacted token", "compact ok")...)
}

// scoped is a shape that needs what its scope does.
func scoped(scope string, s shape) shape {
	if scope == "namespace" {
		s.needs = append(s.needs, histories.Namespaces)
	}
	return s
}

func kubeWatches() []shape {
	list := shapes("watches", "stop")
	for _, from := range []string{"newest", "any", "after", "initialEvents", "compacted"} {
		for _, scope := range []string{"all", "namespace", "key"} {
			s := shape{words("watch", from, scope), []string{"watches"}}
			switch from {
			case "compacted":
				s.needs = append(s.needs, "compaction")
			case "initialEvents":
				s.needs = append(s.needs, "watchLists")
			}
			s = scoped(scope, s)
			list = append(list, s, shape{s.name + " selector", append(slices.Clone(s.needs), "selectors")})
		}
	}
	return list
}
