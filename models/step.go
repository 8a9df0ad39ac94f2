package models

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
)

// Call is one operation as the specification steps over it. It is prepared once
// and stepped over many times; neither request nor answer may change meanwhile.
type Call struct {
	// Operation is the operation's id, above zero. It names the open write where
	// the revision of an unknown write is not known.
	Operation int
	Request   *histories.Request
	Answer    *histories.Answer
	size      int
	// lost: nothing is known of the answer but the revision.
	lost bool
}

// NewCall prepares an operation.
func NewCall(operation int, request *histories.Request, answer *histories.Answer) *Call {
	return &Call{Operation: operation, Request: request, Answer: answer, size: storedSize(request)}
}

// NewSeenCall prepares a write whose answer was lost and which took effect at a
// revision at which somebody saw what it wrote.
func NewSeenCall(operation int, request *histories.Request, revision histories.Revision) *Call {
	c := NewCall(operation, request, &histories.Answer{Outcome: histories.OK, Revision: revision})
	c.lost = true
	return c
}

// storedSize is the length of the value that a request stores.
func storedSize(r *histories.Request) int {
	switch r.Kind {
	case histories.Create, histories.Update, histories.Put, histories.LeaseAttach:
		return max(r.Size, len(histories.EncodeValue(r.Write, r.Labels, 0)))
	default:
		return 0
	}
}

// Unspecified says why the specification does not cover a request, empty if it
// does. Calls that neither read nor change the store, such as watches, are not
// covered either.
func Unspecified(r *histories.Request) string {
	switch r.Kind {
	case histories.Create, histories.Update, histories.Delete, histories.Put, histories.Get, histories.Compact,
		histories.LeaseGrant, histories.LeaseAttach, histories.LeaseKeepAlive, histories.LeaseTimeToLive,
		histories.LeaseRevoke, histories.Status:
	case histories.List, histories.Next, histories.DeleteRange:
		if r.Scope.Shape == histories.Namespace {
			return "scopes by namespace are not in the specification of the etcd layer"
		}
	case histories.Transact:
		if reason := unspecifiedTxn(r.Txn); reason != "" {
			return reason
		}
	default:
		return fmt.Sprintf("the specification has no %s", r.Kind)
	}
	if r.Kube != nil || r.ExpectUID != "" {
		return "options of the Kubernetes layers are not in the specification of the etcd layer"
	}
	return ""
}

func isLeaseCall(kind histories.Kind) bool {
	switch kind {
	case histories.LeaseGrant, histories.LeaseKeepAlive, histories.LeaseTimeToLive, histories.LeaseRevoke:
		return true
	default:
		return false
	}
}

// Step takes an answer as the store's next step. It returns the state after it
// and an empty string, or nil and the reason why the answer is not allowed here.
//
// A write's revision comes from its answer, since gaps are normal; the header of
// a linearizable read or of a failed transaction is a position too, and raises
// the newest revision. A call that certainly had no effect and told nothing, and
// one of unknown outcome, is allowed everywhere and changes nothing; Branches
// says what an unknown one may have done.
//
// A state with open writes can have several successors; Step returns the first.
func (s *State) Step(request histories.Request, answer histories.Answer) (*State, string) {
	if answer.Outcome == histories.Unknown {
		return s, ""
	}
	states, refusal := s.Branches(NewCall(1, &request, &answer))
	if refusal.Refused() {
		return nil, refusal.String()
	}
	return states[0], ""
}

// Branches returns every state that an operation can lead to, or why there is
// none. It is Step, but for operations of unknown outcome, which it takes as
// having taken effect here, at a revision above the newest that nobody knows:
// they are refused where they would have changed nothing.
func (s *State) Branches(c *Call) ([]*State, Refusal) {
	switch c.Answer.Outcome {
	case histories.OK:
		return s.done(c)
	case histories.Fail:
		return s.failed(c)
	default:
		return s.unknown(c)
	}
}

func (s *State) done(c *Call) ([]*State, Refusal) {
	switch kind := c.Request.Kind; {
	case kind.IsRead():
		return s.read(c)
	case kind == histories.Compact:
		return s.compact(c)
	case kind == histories.Transact:
		return s.transaction(c)
	case kind == histories.DeleteRange:
		return s.deletion(c, within(s.tip.root(), c.Request.Scope))
	case isLeaseCall(kind):
		return s.leaseCall(c)
	case kind == histories.Status:
		return one(s)
	default:
		return s.write(c)
	}
}

func (s *State) failed(c *Call) ([]*State, Refusal) {
	if c.Answer.Error == nil {
		return one(s)
	}
	kind, class := c.Request.Kind, c.Answer.Error.Class
	switch {
	case kind == histories.Transact:
		return s.transactionRefused(c)
	case class == histories.NoLease && (kind.IsWrite() || isLeaseCall(kind)):
		return s.noLease(c)
	case class == histories.Conflict && kind.IsWrite() && kind != histories.DeleteRange && kind != histories.LeaseRevoke:
		return s.conflict(c)
	case class == histories.Compacted && kind.IsRead():
		return s.readCompacted(c)
	case class == histories.Future && kind.IsRead():
		return s.readFuture(c)
	case class == histories.Compacted && kind == histories.Compact:
		return s.compactCompacted(c)
	case class == histories.Future && kind == histories.Compact:
		return s.compactFuture(c)
	default:
		return one(s)
	}
}

func (s *State) unknown(c *Call) ([]*State, Refusal) {
	switch kind := c.Request.Kind; {
	case kind.IsRead(), kind == histories.Status:
		return one(s)
	case s.newest > far:
		return no(Refusal{Property: WriteNoEffect, a: s.newest, form: "the store was at {a}: nothing can follow"})
	case kind == histories.Compact:
		return s.compactUnseen(c)
	case kind == histories.Transact:
		return s.transactionUnseen(c)
	case isLeaseCall(kind):
		return s.leaseUnseen(c)
	default:
		return s.writeUnseen(c)
	}
}

// Learn takes a revision that was read from the store as it is here, such as the
// header of an answer that is not a position itself.
func (s *State) Learn(header histories.Revision) (*State, Refusal) {
	if header < s.newest {
		return nil, s.older(HeaderMonotone, header)
	}
	return s.raise(header), allowed
}

// older refuses a header below the newest revision.
func (s *State) older(property string, header histories.Revision) Refusal {
	return Refusal{
		Property: property, a: header, b: s.newest,
		form: "the header is {a}, but the store was at {b} already",
	}
}
