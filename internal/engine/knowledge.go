package engine

import (
	"sync"

	"github.com/rvcheck/rvcheck/histories"
)

// knowledge is what the run has learned so far, by answers and by events. It
// serves the references now, compacted and last, and nothing else: it need not be
// right, since a store may lie.
type knowledge struct {
	mu        sync.Mutex
	newest    histories.Revision
	compacted histories.Revision
	last      map[histories.Key]histories.Revision
}

// answer learns from the answer to a request.
func (k *knowledge) answer(request *histories.Request, answer *histories.Answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.newest = max(k.newest, answer.Revision)
	k.learn(request, answer, answer.Revision)
}

// learn learns from an answer, or from a result of a transaction, whose writes all
// happened at the revision.
func (k *knowledge) learn(request *histories.Request, answer *histories.Answer, revision histories.Revision) {
	for i := range answer.Objects {
		k.object(&answer.Objects[i])
	}
	if answer.Outcome != histories.OK {
		return
	}
	switch request.Kind {
	case histories.Create, histories.Update, histories.Put, histories.LeaseAttach:
		k.changed(request.Key, revision)
	case histories.Transact:
		branch := taken(request.Txn, answer.Succeeded)
		for i := range min(len(branch), len(answer.Results)) {
			k.learn(&branch[i], &answer.Results[i], revision)
		}
	case histories.Compact:
		k.compacted = max(k.compacted, request.Revision)
	default:
	}
}

// events learns from a batch. A deletion's revision is not an RV of the object:
// last stays at the object that was removed.
func (k *knowledge) events(events []histories.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range events {
		event := &events[i]
		k.newest = max(k.newest, event.Header, event.Object.RV)
		if event.Type == histories.PutEvent {
			k.object(&event.Object)
		}
	}
}

func (k *knowledge) object(object *histories.Object) {
	k.newest = max(k.newest, object.RV)
	k.changed(object.Key, object.RV)
}

func (k *knowledge) changed(key histories.Key, revision histories.Revision) {
	if revision > k.last[key] {
		k.last[key] = revision
	}
}

func (k *knowledge) now() histories.Revision {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.newest
}

func (k *knowledge) compaction() (histories.Revision, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.compacted, k.compacted > 0
}

func (k *knowledge) lastOf(key histories.Key) (histories.Revision, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	revision, ok := k.last[key]
	return revision, ok
}
