package simulation

import "github.com/rvcheck/rvcheck/histories"

// perform lets a request take effect at this instant and returns the answer.
func (s *store) perform(time int64, req histories.Request) histories.Answer {
	switch req.Kind {
	case histories.Create, histories.Update, histories.Put:
		return s.performWrite(time, req)
	case histories.Delete:
		return s.performDelete(time, req)
	case histories.Get, histories.List, histories.Next:
		return s.performRead(req, s.newest, s.compacted)
	case histories.DeleteRange:
		return s.performSweep(time, req)
	case histories.Transact:
		return s.performTxn(time, req)
	case histories.Compact:
		return s.performCompact(req)
	default:
		panic("simulation: fault of this program: the store has no " + string(req.Kind))
	}
}

func (s *store) performWrite(time int64, req histories.Request) histories.Answer {
	switch req.Kind {
	case histories.Create:
		if s.current(req.Key.Name) != nil {
			return conflict(s.newest, nil)
		}
	case histories.Update:
		if present := s.current(req.Key.Name); modified(present) != req.Expect {
			return conflict(s.newest, present)
		}
	default: // a put has no condition
	}
	s.write(time, req)
	return histories.Answer{Outcome: histories.OK, Revision: s.newest}
}

func (s *store) performDelete(time int64, req histories.Request) histories.Answer {
	present := s.current(req.Key.Name)
	if req.Conditional && modified(present) != req.Expect {
		return conflict(s.newest, present)
	}
	if present == nil { // nothing to remove, no revision
		return histories.Answer{Outcome: histories.OK, Revision: s.newest}
	}
	s.remove(time, req.Key.Name)
	return histories.Answer{Outcome: histories.OK, Revision: s.newest, Deleted: 1}
}

// performSweep deletes everything in a scope at one revision.
func (s *store) performSweep(time int64, req histories.Request) histories.Answer {
	found := s.scan(req.Scope, "", s.newest)
	answer := histories.Answer{Outcome: histories.OK, Deleted: int64(len(found))}
	if len(found) > 0 {
		var names []string
		for _, o := range found {
			names = append(names, o.Key.Name)
		}
		s.remove(time, names...)
		if req.PrevKV {
			answer.Objects = found
		}
	}
	answer.Revision = s.newest
	return answer
}

// modified is the mod revision that a transaction compares: zero for an absent key.
func modified(o *histories.Object) histories.Revision {
	if o == nil {
		return 0
	}
	return o.RV
}

// performRead answers from what were once the newest revision and the compaction
// point, or still are.
func (s *store) performRead(req histories.Request, newest, compacted histories.Revision) histories.Answer {
	at := req.Revision
	switch {
	case at <= 0:
		at = newest
	case at > newest:
		return refusal(histories.Future)
	case at < compacted:
		return refusal(histories.Compacted)
	}
	return s.readAt(req, at, newest)
}

// readAt is what a read of a revision shows under a header.
func (s *store) readAt(req histories.Request, at, header histories.Revision) histories.Answer {
	if req.Kind == histories.Get {
		return s.readKey(req, at, header)
	}
	found := s.scan(req.Scope, req.Start, at)
	answer := histories.Answer{Outcome: histories.OK, Revision: header, Count: int64(len(found))}
	if req.Limit > 0 && int64(len(found)) > req.Limit {
		found, answer.More = found[:req.Limit], true
	}
	answer.Objects = found
	return answer
}

func (s *store) readKey(req histories.Request, at, header histories.Revision) histories.Answer {
	answer := histories.Answer{Outcome: histories.OK, Revision: header}
	if o := s.at(req.Key.Name, at); o != nil {
		answer.Objects, answer.Count = []histories.Object{*o}, 1
	}
	return answer
}

// performCompact answers without a header: the call puts it in when the answer is built.
func (s *store) performCompact(req histories.Request) histories.Answer {
	switch {
	case req.Revision <= s.compacted:
		return refusal(histories.Compacted)
	case req.Revision > s.newest:
		return refusal(histories.Future)
	}
	s.compacted = req.Revision
	return histories.Answer{Outcome: histories.OK}
}

func conflict(header histories.Revision, present *histories.Object) histories.Answer {
	answer := histories.Answer{
		Outcome: histories.Fail, Revision: header,
		Error: &histories.Error{Class: histories.Conflict, Code: "FailedPrecondition"},
	}
	if present != nil {
		answer.Objects = []histories.Object{*present}
	}
	return answer
}

func refusal(class histories.ErrorClass) histories.Answer {
	return histories.Answer{
		Outcome: histories.Fail, Error: &histories.Error{Class: class, Code: "OutOfRange"},
	}
}

// lost is the answer to a call of which nothing is known.
func lost(class histories.ErrorClass) histories.Answer {
	return histories.Answer{Outcome: histories.Unknown, Error: &histories.Error{Class: class, Code: "Unavailable"}}
}
