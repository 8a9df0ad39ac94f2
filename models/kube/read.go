package kube

import (
	"github.com/rvcheck/rvcheck/histories"
)

func (s *State) get(r *histories.Request, cache histories.Revision) histories.Answer {
	mode, asked := ReadMode(r)
	revision := s.newest
	switch {
	case mode == Refused:
		return s.badRV(r)
	case asked > s.newest:
		return tooLarge(asked, s.newest)
	case mode != MostRecent:
		revision = max(cache, asked)
	}
	o, there := s.At(revision).Get(r.Key)
	if !there {
		return status(histories.NotFound, r.Key.Name+" not found")
	}
	return show(r, histories.Answer{Outcome: histories.OK, Objects: []histories.Object{o}})
}

// list answers a list, and a page that follows another one.
func (s *State) list(r *histories.Request, cache histories.Revision) histories.Answer {
	options := r.Options()
	sel, err := ParseSelector(options.LabelSelector, options.FieldSelector)
	if err != nil {
		return badRequest(err.Error())
	}
	mode, asked := ReadMode(r)
	switch mode {
	case Refused:
		return s.refuseList(r)
	case Continuation:
		return s.proceed(r, sel)
	case MostRecent:
		return s.page(r, sel, s.newest, nil)
	case Any:
		return s.page(unlimited(r, s.profile.Cached), sel, cache, nil)
	default:
	}
	switch {
	case asked > s.newest && mode == Exact && !s.profile.FutureExact():
		return status(histories.Other, "etcdserver: mvcc: required revision is a future revision")
	case asked > s.newest:
		return tooLarge(asked, s.newest)
	case mode == NotOlderThan:
		return s.page(r, sel, max(cache, asked), nil)
	case asked < s.compacted:
		return status(histories.Compacted, "The resourceVersion for the provided list is too old.")
	default:
		return s.page(r, sel, asked, nil)
	}
}

// refuseList says what is wrong with the options of a list.
func (s *State) refuseList(r *histories.Request) histories.Answer {
	options := r.Options()
	rv, ok := ParseRV(options.ResourceVersion)
	switch {
	case options.ResourceVersionMatch != "" && (options.Continue != "" || !allowedMatch(options, rv)):
		return status(histories.Invalid, "resourceVersionMatch is forbidden here")
	case !ok:
		return s.badRV(r)
	default:
		return badRequest("specifying resource version is not allowed when using continue")
	}
}

// unlimited takes the limit away, as a watch cache does for resourceVersion "0" (LIST-08).
func unlimited(r *histories.Request, cached bool) *histories.Request {
	if !cached {
		return r
	}
	free := *r
	free.Limit = 0
	return &free
}

// proceed answers with the page of a token.
func (s *State) proceed(r *histories.Request, sel Selector) histories.Answer {
	options := r.Options()
	from, ok := ParseToken(options.Continue)
	switch {
	case !ok:
		return badRequest("invalid continue token: continue key is not valid")
	case from.Revision > s.newest:
		return tooLarge(from.Revision, s.newest)
	case from.Revision == 0:
		return s.page(r, sel, s.newest, &from.Last)
	case from.Revision < s.compacted:
		answer := status(histories.Compacted, "The provided continue parameter is too old to display a consistent list result.")
		answer.Continue = Token{Last: from.Last}.String()
		return answer
	case options.ResourceVersion != "":
		r = unlimited(r, s.profile.Snapshots()) // PAGE-09
	}
	return s.page(r, sel, from.Revision, &from.Last)
}

// page is the part of a list that follows a key, nil for the first page.
func (s *State) page(r *histories.Request, sel Selector, revision histories.Revision, after *histories.Key) histories.Answer {
	answer := histories.Answer{Outcome: histories.OK, Revision: revision}
	left := int64(0)
	for o := range s.At(revision).All() {
		switch {
		case !r.Scope.Contains(o.Key), after != nil && o.Key.Compare(*after) <= 0:
		case r.Limit > 0 && int64(len(answer.Objects)) >= r.Limit:
			left++
		case sel.Matches(&o):
			answer.Objects = append(answer.Objects, o)
		}
	}
	if left > 0 {
		// A token only says that there are more objects, not that they match (PAGE-04).
		last := answer.Objects[len(answer.Objects)-1].Key
		answer.Continue = Token{revision, last}.String()
		if sel.Empty() {
			answer.Kube = &histories.KubeAnswer{Remaining: &left}
		}
	}
	return show(r, answer)
}
