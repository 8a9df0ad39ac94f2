package kube

import (
	"net/http"

	"github.com/rvcheck/rvcheck/histories"
)

// answer is what a reply says. A reply that makes no sense is an answer as well: of
// unknown outcome for a write, of none for a read.
func (d *dialect) answer(r *histories.Request, got reply) histories.Answer {
	if got.status < 200 || got.status > 299 {
		return refused(r, got)
	}
	body, err := parseAs(r.Options().Encoding, got.body)
	if err != nil {
		return senseless(r, err)
	}
	var answer histories.Answer
	switch r.Kind {
	case histories.List, histories.Next:
		answer, err = d.listAnswer(r, body)
	case histories.DeleteCollection:
		answer, err = d.collectionAnswer(body)
	case histories.Delete:
		answer, err = d.deleteAnswer(body)
	default:
		answer, err = d.objectAnswer(r, body)
	}
	if err != nil {
		return senseless(r, err)
	}
	answer.Outcome = histories.OK
	return answer
}

// senseless is the answer of a server that says yes and then something that nobody can
// read.
func senseless(r *histories.Request, err error) histories.Answer {
	failure := &histories.Error{Class: histories.Other, Code: "200", Message: shorten(err.Error())}
	return histories.Answer{Outcome: outcome(r, true), Error: failure}
}

func (d *dialect) listAnswer(r *histories.Request, body tree) (histories.Answer, error) {
	l, err := d.readList(body, r.Options().Encoding)
	if err != nil {
		return histories.Answer{}, err
	}
	answer := histories.Answer{Objects: l.objects, Continue: l.meta.Continue, More: l.meta.Continue != ""}
	kube := histories.KubeAnswer{Remaining: l.meta.RemainingItemCount, Outside: l.outside, Form: l.form}
	answer.Revision, kube.RawRV = revision(l.meta.ResourceVersion)
	if l.meta.ResourceVersion == "" {
		kube.Form = append(kube.Form, "the list has no resourceVersion")
	}
	answer.Kube = details(kube)
	return answer, nil
}

// details is nil where there are none.
func details(kube histories.KubeAnswer) *histories.KubeAnswer {
	if kube.Remaining == nil && kube.UID == "" && kube.RawRV == "" && kube.Outside == 0 && len(kube.Form) == 0 {
		return nil
	}
	return &kube
}

// collectionAnswer has the objects as they were listed. The list's resource version is no
// position: the deletions came later (WR-26).
func (d *dialect) collectionAnswer(body tree) (histories.Answer, error) {
	if isStatus(body) {
		return histories.Answer{}, nil
	}
	l, err := d.readList(body, "")
	return histories.Answer{Objects: l.objects}, err
}

// deleteAnswer has the uid of what was deleted, or the object that was marked (WR-23).
func (d *dialect) deleteAnswer(body tree) (histories.Answer, error) {
	if isStatus(body) {
		uid, _ := at(body, "details", "uid").(string)
		return histories.Answer{Kube: details(histories.KubeAnswer{UID: uid})}, nil
	}
	object, _, err := d.show(body, false)
	return histories.Answer{Objects: []histories.Object{object}}, err
}

func isStatus(body tree) bool { return body["kind"] == "Status" && body["apiVersion"] == "v1" }

// objectAnswer has the object. Of writes only a create tells its revision: the object that
// others return may be an older version.
func (d *dialect) objectAnswer(r *histories.Request, body tree) (histories.Answer, error) {
	encoding := r.Options().Encoding
	form := wrongKind(body, d.objectKind(encoding))
	if encoding == histories.Table {
		rows, err := itemsOf(body, encoding)
		if err != nil || len(rows) != 1 {
			return histories.Answer{Kube: details(histories.KubeAnswer{Form: append(form, "the table has not one row")})}, err
		}
		body = rows[0]
	}
	object, inside, err := d.show(body, isBare(encoding))
	if err != nil {
		return histories.Answer{}, err
	}
	if !inside {
		form = append(form, "the object is of another namespace")
		object.Key.Name = histories.OutsideMark + object.Key.Name
	}
	answer := histories.Answer{Objects: []histories.Object{object}, Kube: details(histories.KubeAnswer{Form: form})}
	if r.Kind == histories.Create && !r.Options().DryRun {
		answer.Revision = object.RV
	}
	return answer, nil
}

// lostAnswer is the answer of a call that was not answered.
func lostAnswer(r *histories.Request, err error) histories.Answer {
	failure, sent := classifyLost(err)
	return histories.Answer{Outcome: outcome(r, sent), Error: failure}
}

// outcome is that of a call which was not done as far as anybody knows: a write that
// was sent may have had its effect, or may have it later (WR-29).
func outcome(r *histories.Request, sent bool) histories.Outcome {
	if sent && r.Kind.IsWrite() && !r.Options().DryRun {
		return histories.Unknown
	}
	return histories.Fail
}

// refused is the answer to a call that the server did not do, as far as it says.
func refused(r *histories.Request, got reply) histories.Answer {
	failure, token := classify(got)
	answer := histories.Answer{Outcome: histories.Fail, Error: failure, Continue: token}
	certain := failure.Class == histories.Invalid || failure.Class == histories.Future
	if !certain && (got.status < 400 || got.status >= http.StatusInternalServerError) {
		answer.Outcome = outcome(r, true)
	}
	return answer
}
