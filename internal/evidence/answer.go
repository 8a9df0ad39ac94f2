package evidence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
)

// shown is how many objects or events of a long answer are shown.
const shown = 10

// answer renders what came back from a call.
func answer(h *histories.History, op *histories.Operation, finding models.Finding) string {
	if op.Return == histories.Never {
		return "no answer"
	}
	a := &op.Answer
	parts := []string{outcome(a)}
	if a.Revision != 0 {
		parts = append(parts, "revision "+a.Revision.String())
	}
	parts = append(parts, details(h, op, finding)...)
	return strings.Join(parts, ", ")
}

func outcome(a *histories.Answer) string {
	if a.Error == nil {
		return string(a.Outcome)
	}
	text := fmt.Sprintf("%s: %s", a.Outcome, a.Error.Class)
	if a.Error.Reason != "" {
		text += " (" + a.Error.Reason + ")"
	} else if a.Error.Class == histories.Other && a.Error.Message != "" {
		text += " (" + a.Error.Message + ")"
	}
	return text
}

func details(h *histories.History, op *histories.Operation, finding models.Finding) []string {
	a := &op.Answer
	var parts []string
	if op.Request.Kind.IsRead() && a.Outcome == histories.OK || len(a.Objects) > 0 {
		parts = append(parts, objects(a.Objects, finding))
	}
	if h.Header.Layer == histories.KubeLayer {
		return append(parts, kubeDetails(op)...)
	}
	if op.Request.Kind != histories.Get && op.Request.Kind.IsRead() && a.Outcome == histories.OK {
		parts = append(parts, fmt.Sprintf("count %d", a.Count))
	}
	if a.More {
		parts = append(parts, "more")
	}
	if removes := op.Request.Kind == histories.Delete || op.Request.Kind == histories.DeleteRange; removes && a.Outcome == histories.OK {
		parts = append(parts, fmt.Sprintf("deleted %d", a.Deleted))
	}
	if op.Request.Kind == histories.Transact && a.Outcome == histories.OK {
		parts = append(parts, branch(h, op, finding))
	}
	return append(parts, extras(a)...)
}

// extras are what only few calls of etcd tell.
func extras(a *histories.Answer) []string {
	var parts []string
	if a.Lease != 0 {
		parts = append(parts, fmt.Sprintf("lease %d, ttl %d", a.Lease, a.TTL))
	}
	if a.GrantedTTL != 0 {
		parts = append(parts, fmt.Sprintf("granted %d", a.GrantedTTL))
	}
	if len(a.Keys) > 0 {
		var names []string
		for _, key := range a.Keys {
			names = append(names, keyText(key))
		}
		from, to := around(len(names), 0)
		parts = append(parts, "keys ["+cut(names[from:to], from, len(names)-to, " ")+"]")
	}
	if a.Version != "" {
		parts = append(parts, "version "+a.Version)
	}
	return parts
}

// branch renders which branch a transaction took, and what each operation of it
// answered.
func branch(h *histories.History, op *histories.Operation, finding models.Finding) string {
	name, requests := "else", []histories.Request(nil)
	if txn := op.Request.Txn; txn != nil {
		requests = txn.Else
	}
	if op.Answer.Succeeded {
		name = "then"
		if txn := op.Request.Txn; txn != nil {
			requests = txn.Then
		}
	}
	var results []string
	for i := range op.Answer.Results {
		result := histories.Operation{Answer: op.Answer.Results[i]}
		if i < len(requests) {
			result.Request = requests[i]
		}
		results = append(results, answer(h, &result, finding))
	}
	return name + " (" + strings.Join(results, "; ") + ")"
}

// objects renders the objects of an answer, of many only those around the
// finding's key.
func objects(list []histories.Object, finding models.Finding) string {
	if len(list) == 0 {
		return "nothing"
	}
	center := 0
	if finding.Key != nil {
		at := slices.IndexFunc(list, func(o histories.Object) bool { return o.Key.Compare(*finding.Key) >= 0 })
		center = max(at, 0)
	}
	from, to := around(len(list), center)
	words := make([]string, 0, to-from)
	for i := range list[from:to] {
		words = append(words, object(&list[from+i]))
	}
	return "[" + cut(words, from, len(list)-to, " ") + "]"
}

// object renders key@revision and the write that made it.
func object(o *histories.Object) string {
	text := fmt.Sprintf("%s@%s", keyText(o.Key), o.RV)
	switch {
	case o.Foreign != "":
		text += "=foreign"
	case o.Write != "":
		text += "=" + string(o.Write)
	}
	return text + metadata(o)
}

func keyText(k histories.Key) string {
	name := k.Name
	if strings.IndexFunc(name, unsafe) >= 0 || name == "" || plans.Reserved(name) {
		name = fmt.Sprintf("%+q", name)
	}
	if k.Namespace == "" {
		return name
	}
	return k.Namespace + "/" + name
}

func unsafe(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"@=[],", r) }

// around chooses a part of a list of n elements with index center in its middle.
func around(n, center int) (from, to int) {
	from = max(0, min(center-shown/2, n-shown))
	return from, min(n, from+shown)
}

// cut joins words and says how many were left out on either side.
func cut(words []string, before, after int, separator string) string {
	if before > 0 {
		words = append([]string{fmt.Sprintf("(%d before)", before)}, words...)
	}
	if after > 0 {
		words = append(words, fmt.Sprintf("(%d more)", after))
	}
	return strings.Join(words, separator)
}
