package engine

import (
	"context"
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
	// uids are those of the objects that last tells of, tombstones the revisions at
	// which the objects of a uid were deleted; buried is closed and replaced whenever
	// there is another one.
	uids       map[histories.Key]string
	tombstones map[string]histories.Revision
	buried     chan struct{}
}

func newKnowledge() *knowledge {
	return &knowledge{
		last: map[histories.Key]histories.Revision{}, uids: map[histories.Key]string{},
		tombstones: map[string]histories.Revision{}, buried: make(chan struct{}),
	}
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
		if !request.Options().GenerateName { // else the key is a prefix, and the object tells
			k.changed(request.Key, revision)
		}
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
// last stays at the object that was removed. Whether a deletion is one says deletions.
func (k *knowledge) events(events []histories.Event, deletions bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range events {
		event := &events[i]
		k.newest = max(k.newest, event.Header, event.Object.RV)
		switch event.Type {
		case histories.PutEvent, histories.AddedEvent, histories.ModifiedEvent:
			k.object(&event.Object)
		case histories.DeleteEvent:
			if uid := event.Object.UID; deletions && uid != "" {
				k.bury(uid, event.Object.RV)
			}
		default:
		}
	}
}

func (k *knowledge) object(object *histories.Object) {
	k.newest = max(k.newest, object.RV)
	if object.UID != "" && object.RV > k.last[object.Key] {
		k.uids[object.Key] = object.UID
	}
	k.changed(object.Key, object.RV)
}

func (k *knowledge) bury(uid string, revision histories.Revision) {
	k.tombstones[uid] = revision
	close(k.buried)
	k.buried = make(chan struct{})
}

// tombstone is the revision at which the object of the uid was deleted. It waits until
// that is known or ctx ends.
func (k *knowledge) tombstone(ctx context.Context, uid string) (histories.Revision, bool) {
	for {
		k.mu.Lock()
		revision, ok := k.tombstones[uid]
		buried := k.buried
		k.mu.Unlock()
		if ok {
			return revision, true
		}
		select {
		case <-buried:
		case <-ctx.Done():
			return 0, false
		}
	}
}

// any reports whether the condition holds for a key and its newest RV.
func (k *knowledge) any(holds func(histories.Key, histories.Revision) bool) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, revision := range k.last {
		if holds(key, revision) {
			return true
		}
	}
	return false
}

func (k *knowledge) uidOf(key histories.Key) (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	uid, ok := k.uids[key]
	return uid, ok
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
