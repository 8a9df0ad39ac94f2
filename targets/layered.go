package targets

import "context"

// Layered is an optional power of a space whose objects are kept in another store below:
// to show what became of them there, so that a violation can be told from one of that store.
type Layered interface {
	// Below connects to the store below. Its client takes nothing but one watch, of kind
	// histories.Beneath, which shows each change of the space's objects from its creation
	// on, with what was there before: the key, the revision of the store as RV, and what
	// else the stored value tells. It is nil where the run is not told of that store.
	Below(ctx context.Context) (Client, error)
}
