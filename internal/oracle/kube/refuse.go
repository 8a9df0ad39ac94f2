package kube

import (
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
)

// unordered returns the rule that a history breaks whatever the order of its calls.
func (s *search) unordered() string {
	for i := range s.history.Operations {
		op := &s.history.Operations[i]
		a := &op.Answer
		switch {
		case a.Outcome == histories.OK && impossible(&op.Request) && !s.refusedByEvent(op):
			return "it had to be refused (ERR-14, ERR-15)"
		case isExpired(a.Error) && a.Outcome == histories.Fail && op.Request.Kind != histories.Compact:
			if rule := s.expired(op, a.Error, op.Return); rule != "" {
				return rule
			}
		case a.Outcome == histories.OK && s.owed(op):
			return "it had to be refused as expired (EXP-03)"
		case a.Details().Remaining != nil && (a.Continue == "" || hasSelector(&op.Request) || *a.Details().Remaining < 0):
			return "a number of remaining items (PAGE-12)"
		case op.Request.Kind == histories.Next && a.Outcome == histories.Fail && a.Error.Class == histories.Invalid && !impossible(&op.Request):
			return "a token that was refused (PAGE-05)"
		}
	}
	s.streams = s.watches()
	for _, w := range s.streams {
		if rule := w.shape(); rule != "" {
			return rule
		}
		if n := len(w.events); n > 0 && isExpired(w.events[n-1].Details().Error) {
			if rule := s.expired(w.op, w.events[n-1].Details().Error, w.events[n-1].Time); rule != "" {
				return rule
			}
		}
	}
	return ""
}

func hasSelector(r *histories.Request) bool {
	return r.Options().LabelSelector != "" || r.Options().FieldSelector != ""
}

func isExpired(e *histories.Error) bool { return e != nil && e.Class == histories.Compacted }

func (s *search) refusedByEvent(op *histories.Operation) bool {
	of := s.history.Stream(op.ID)
	return of != nil && len(of.Events) > 0 && of.Events[0].Type == histories.ErrorEvent
}

// impossible reports whether the options of a read or a watch exclude each other.
func impossible(r *histories.Request) bool {
	o := r.Options()
	n, err := strconv.ParseUint(o.ResourceVersion, 10, 64)
	isNumber := o.ResourceVersion == "" || err == nil
	match := o.ResourceVersionMatch
	switch r.Kind {
	case histories.Get:
		return !isNumber
	case histories.List:
		return !isNumber || match != "" && o.ResourceVersion == "" || match == "Exact" && n == 0
	case histories.Next:
		return !isNumber || match != "" || n > 0
	case histories.Watch:
		return !isNumber || match != "" && o.SendInitialEvents == nil || o.SendInitialEvents != nil && match != "NotOlderThan"
	default:
		return false
	}
}

// needs is the revision that a request needs exactly, zero for none.
func (s *search) needs(op *histories.Operation) histories.Revision {
	r := &op.Request
	switch asked, n := modeOf(r); {
	case r.Kind == histories.Watch:
		if send := r.Options().SendInitialEvents; send == nil || !*send {
			return number(r.Options().ResourceVersion)
		}
		return 0
	case asked == exactly:
		return n
	case asked == continued:
		return s.history.Operation(r.Of).Answer.Revision
	default:
		return 0
	}
}

// expired returns the rule that a refusal as expired breaks (EXP-01, EXP-02). Where others
// compact as well, and where a cache forgets what it likes, only the kind of request is
// held against it.
func (s *search) expired(op *histories.Operation, e *histories.Error, at int64) string {
	n := s.needs(op)
	isWatch := op.Request.Kind == histories.Watch
	switch {
	case e.Code != "410" || e.Reason != "Expired" && e.Reason != "Gone":
		return "expired, but not said so (EXP-06)"
	case n == 0 && (isWatch || hasSelector(&op.Request) && op.Request.Limit > 0): // LIST-22
		return ""
	case n == 0:
		return "expired, but nothing that expires was asked for (EXP-01)"
	case !s.history.Header.Exclusive, isWatch && s.cached, n <= s.beginning():
		return ""
	}
	for i := range s.history.Operations {
		c := &s.history.Operations[i]
		if c.Request.Kind == histories.Compact && c.Answer.Outcome != histories.Fail && c.Call <= at && c.Request.Revision > n {
			return ""
		}
	}
	return "expired, but nothing was compacted (EXP-02)"
}

// beginning is the revision up to which everything may have been compacted before the
// history began: that of its first list, or the one below the first object that it shows.
func (s *search) beginning() histories.Revision {
	if op := &s.history.Operations[0]; op.Client == histories.ClosingClient && op.Answer.Outcome == histories.OK {
		return op.Answer.Revision
	}
	first := histories.Revision(1 << 62)
	s.eachObject(func(o *histories.Object) {
		if o.RV > 0 {
			first = min(first, o.RV)
		}
	})
	return first - 1
}

func (s *search) eachObject(visit func(*histories.Object)) {
	for i := range s.history.Operations {
		for k := range s.history.Operations[i].Answer.Objects {
			visit(&s.history.Operations[i].Answer.Objects[k])
		}
	}
	for i := range s.history.Streams {
		for k := range s.history.Streams[i].Events {
			if e := &s.history.Streams[i].Events[k]; e.Object.Key.Name != "" {
				visit(&e.Object)
			}
		}
	}
}

// owed reports whether a server without a cache can no longer have had what a read needs.
func (s *search) owed(op *histories.Operation) bool {
	n := histories.Revision(0)
	if op.Request.Kind.IsRead() && !s.cached {
		n = s.needs(op)
	}
	for i := range s.history.Operations {
		c := &s.history.Operations[i]
		if n > 0 && c.Request.Kind == histories.Compact && c.Answer.Outcome == histories.OK && c.Return < op.Call && c.Request.Revision > n {
			return true
		}
	}
	return false
}
