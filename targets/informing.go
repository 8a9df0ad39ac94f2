package targets

import (
	"context"

	"github.com/rvcheck/rvcheck/histories"
)

// Informing is an optional power of a client of the Kubernetes layer: to observe its space
// through the library that controllers use. Whatever such a library retries, caches and
// puts together is a part of it. Its Do takes histories.ListPages as well. A target
// whose clients lack the power names the feature Informers among what it lacks.
type Informing interface {
	// Inform starts an informer over everything in the space, which begins with a watch
	// that sends the state where the request says sendInitialEvents, else with a list. Where the
	// answer is OK it goes on until ctx or the client ends, and then calls End.
	//
	// What its handler is told arrives at the sink, one call a batch: what is added,
	// modified, with the old object as Prev, and deleted, that the handler is synced,
	// and, as error events, requests of the informer that failed.
	Inform(ctx context.Context, request histories.Request, sink Sink) (histories.Answer, Informer, error)
}

// Informer is an informer that goes on.
type Informer interface {
	// Stored is what its store holds now of the space, in the order of the keys, and the
	// resource version that it says it has come to, zero where it tells none.
	Stored() ([]histories.Object, histories.Revision)
}
