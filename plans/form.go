package plans

import (
	"github.com/rvcheck/rvcheck/histories"
)

// argument is what follows the name of an operation.
type argument int

const (
	noArgument  argument = iota
	keyArgument          // create a
	scopeArgument
	ofArgument       // stop w1
	awaitArgument    // await w1 rv(b1)
	leaseArgument    // revoke g1, or the id of a lease
	revisionArgument // compact rv(b1)
	fillArgument     // fill 1000
	txnArgument      // txn if … then … else …
)

// form is how an operation is written.
type form struct {
	kind     histories.Kind
	argument argument
	// reach is where the operation exists.
	reach reach
	// about are the kinds of operations that the argument may name.
	about []histories.Kind
}

// forms are all operations, in the order of the documentation.
var forms = []form{
	{kind: histories.Create, argument: keyArgument},
	{kind: histories.Update, argument: keyArgument},
	{kind: histories.Delete, argument: keyArgument},
	{kind: histories.Put, argument: keyArgument, reach: etcdOnly},
	{kind: histories.DeleteRange, argument: scopeArgument, reach: etcdOnly},
	{kind: histories.Get, argument: keyArgument},
	{kind: histories.List, argument: scopeArgument},
	{kind: histories.Next, argument: ofArgument, about: []histories.Kind{histories.List, histories.Next}},
	{kind: histories.Watch, argument: scopeArgument},
	{kind: histories.Stop, argument: ofArgument, about: watches},
	{kind: histories.Await, argument: awaitArgument, about: watches},
	{kind: histories.Progress, argument: ofArgument, about: watches, reach: etcdOnly},
	{kind: histories.Compact, argument: revisionArgument},
	{kind: FillKind, argument: fillArgument},
	{kind: histories.Transact, argument: txnArgument, reach: etcdOnly},
	{kind: histories.LeaseGrant, reach: etcdOnly},
	{kind: histories.LeaseAttach, argument: keyArgument, reach: etcdOnly},
	{kind: histories.LeaseKeepAlive, argument: leaseArgument, reach: etcdOnly},
	{kind: histories.LeaseTimeToLive, argument: leaseArgument, reach: etcdOnly},
	{kind: histories.LeaseRevoke, argument: leaseArgument, reach: etcdOnly},
	{kind: ExpireKind, argument: leaseArgument, reach: etcdOnly},
	{kind: histories.Status, reach: etcdOnly},
	{kind: histories.Patch, argument: keyArgument, reach: kubeOnly},
	{kind: histories.DeleteCollection, argument: scopeArgument, reach: kubeOnly},
}

var (
	watches = []histories.Kind{histories.Watch}
	grants  = []histories.Kind{histories.LeaseGrant}
	patches = []histories.Kind{histories.Patch}
	answers = []histories.Kind{histories.Get, histories.List, histories.Next, histories.Watch}
)

// formOf finds the form of a kind.
func formOf(kind histories.Kind) (form, bool) {
	for _, f := range forms {
		if f.kind == kind {
			return f, true
		}
	}
	return form{}, false
}

// kindNames are the names of the operations that a layer has.
func kindNames(layer histories.Layer) []string {
	var names []string
	for _, f := range forms {
		if f.reach.includes(layer) {
			names = append(names, string(f.kind))
		}
	}
	return names
}
