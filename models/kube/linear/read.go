package linear

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// read takes a get, a list or a page.
func (m *move) read(s *state) (*state, *refusal) {
	if m.request.Kind == histories.Get {
		return m.get(s)
	}
	return m.list(s)
}

func (m *move) get(s *state) (*state, *refusal) {
	mode, asked := kube.ReadMode(m.request)
	a := &m.op.Answer
	if mode == kube.MostRecent {
		if !m.shows(s.tip) {
			return nil, &refusal{models.GetFresh, "it does not show the object as it was"}
		}
		return s.learn(0, a.Objects), nil
	}
	if !s.someAt(asked, unbounded, m.shows) {
		return nil, &refusal{models.ReadNotOlder, "the object was not as it shows it since the revision that it asks for"}
	}
	return s.learn(asked, nil), nil
}

// shows reports whether the answer to a get shows a content.
func (m *move) shows(v *version) bool {
	stored := v.object(m.request.Key)
	if m.op.Answer.Outcome != histories.OK {
		return stored == nil
	}
	return stored != nil && fits(stored, &m.op.Answer.Objects[0])
}

// fits reports whether what is stored may be what an answer shows. That one resource
// version has one content everywhere is the timeline judge's matter.
func fits(stored, shown *histories.Object) bool {
	switch {
	case shown.RV > 0 && stored.RV > 0 && shown.RV != stored.RV,
		shown.RV > 0 && stored.RV <= 0 && shown.RV <= -stored.RV,
		stored.UID != "" && shown.UID != "" && stored.UID != shown.UID:
		return false
	default:
		return shown.Write == "" && shown.Foreign == "" || stored.Write == "" || shown.Write == stored.Write
	}
}

func (m *move) list(s *state) (*state, *refusal) {
	mode, asked := kube.ReadMode(kube.Placed(m.request, m.evidence.clusterScoped()))
	at := m.op.Answer.Revision
	switch {
	case m.page.foreign:
		return s, nil
	case mode == kube.Exact && at != asked:
		return nil, &refusal{models.ListExact, "it was answered at another revision than the one that it asks for"}
	case mode == kube.Continuation && at != m.page.revision:
		return nil, &refusal{models.PagePinned, "it was answered at another revision than the page before"}
	case mode == kube.NotOlderThan && at < asked:
		return nil, &refusal{models.ReadNotOlder, "it was answered at a revision below the one that it asks for"}
	case mode != kube.MostRecent:
		if !s.someAt(at, at, m.lists) {
			return nil, &refusal{listProperty(mode), "at its revision the objects were not as it shows them"}
		}
		return s.learn(at, nil), nil
	case at < s.floor:
		return nil, &refusal{models.ListFresh, "the store had passed the revision at which it was answered"}
	case !m.lists(s.tip):
		return nil, &refusal{models.ListFresh, "it does not show the objects as they were"}
	default:
		return s.learn(at, m.op.Answer.Objects), nil
	}
}

func listProperty(mode kube.Mode) string {
	switch mode {
	case kube.Exact:
		return models.ListExact
	case kube.Continuation:
		return models.PageNoGap
	default:
		return models.ListSnapshot
	}
}

// lists reports whether the answer to a list shows a content, as far as its page goes.
func (m *move) lists(v *version) bool {
	shown := 0
	for i := range m.op.Answer.Objects {
		o := &m.op.Answer.Objects[i]
		if m.evidence.wild[o.Key] {
			continue
		}
		stored := v.object(o.Key)
		if stored == nil || !m.page.holds(stored) || !fits(stored, o) {
			return false
		}
		shown++
	}
	for _, o := range v.objects {
		if m.page.holds(o) {
			shown--
		}
	}
	return shown == 0
}
