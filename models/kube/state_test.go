package kube

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
)

// store is a state that the calls of a test change.
type store struct {
	t     *testing.T
	state *State
	// cache is where the watch cache stands, zero for the newest.
	cache  histories.Revision
	writes int
}

func newStore(t *testing.T, profile string) *store {
	t.Helper()
	p, err := ParseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	return &store{t: t, state: Empty(p)}
}

func (s *store) at() histories.Revision {
	if s.cache > 0 {
		return s.cache
	}
	return s.state.Newest()
}

func (s *store) do(r histories.Request) histories.Answer {
	if r.Kind.IsWrite() && r.Write == "" && !r.Options().NoOp {
		s.writes++
		r.Write = histories.WriteID(fmt.Sprintf("w%d", s.writes))
	}
	next, answer := s.state.Apply(&r, s.at())
	s.state = next
	return answer
}

func (s *store) create(name string, labels map[string]string) histories.Answer {
	return s.do(histories.Request{Kind: histories.Create, Key: named(name), Labels: labels})
}

// named reads namespace/name.
func named(text string) histories.Key {
	namespace, name, _ := strings.Cut(text, "/")
	return histories.Key{Namespace: namespace, Name: name}
}

func list(o histories.KubeOptions) histories.Request {
	return histories.Request{Kind: histories.List, Kube: &o}
}

// says is an answer in short: the revision and the names of what it shows, each with its
// RV, or the class and the code of the error.
func says(a histories.Answer) string {
	if a.Outcome != histories.OK {
		return string(a.Error.Class) + " " + a.Error.Code
	}
	text := fmt.Sprintf("%d:", a.Revision)
	for _, o := range a.Objects {
		text += fmt.Sprintf(" %s/%s@%d", o.Key.Namespace, o.Key.Name, o.RV)
	}
	if a.Continue != "" {
		text += " +"
	}
	if left := a.Details().Remaining; left != nil {
		text += fmt.Sprint(*left)
	}
	return text
}

func (s *store) expect(want string, r histories.Request) histories.Answer {
	s.t.Helper()
	got := s.do(r)
	if says(got) != want {
		s.t.Errorf("%s %+v: expected %q, not %q", r.Kind, r.Options(), want, says(got))
	}
	return got
}

// filled has a/x at 2 (x=1), a-b/x at 3, a/y at 4 (x=1) and, since 5, without labels.
func filled(t *testing.T, profile string) *store {
	t.Helper()
	s := newStore(t, profile)
	s.create("a/x", map[string]string{"x": "1"})
	s.create("a-b/x", nil)
	s.create("a/y", map[string]string{"x": "1"})
	s.do(histories.Request{Kind: histories.Update, Key: named("a/y")})
	return s
}

// The table of section 4.2, each row on a store at 5 whose cache stands at 3.
func TestReadModes(t *testing.T) {
	for _, test := range []struct {
		profile, rv, match string
		limit              int64
		want               string
	}{
		{"kube", "", "", 0, "5: a-b/x@3 a/x@2 a/y@5"},
		{"kube", "0", "", 0, "3: a-b/x@3 a/x@2"},
		{"kube", "2", "", 0, "3: a-b/x@3 a/x@2"},
		{"kube", "4", "", 0, "4: a-b/x@3 a/x@2 a/y@4"},
		{"kube", "04", "", 0, "4: a-b/x@3 a/x@2 a/y@4"},
		{"kube", "", "", 1, "5: a-b/x@3 +2"},
		{"kube", "0", "", 1, "3: a-b/x@3 a/x@2"},
		{"kube-1.37-uncached", "0", "", 1, "3: a-b/x@3 +1"},
		{"kube", "4", "", 1, "4: a-b/x@3 +2"},
		{"kube", "2", "", 1, "2: a/x@2"},
		{"kube", "2", "Exact", 0, "2: a/x@2"},
		{"kube", "2", "NotOlderThan", 1, "3: a-b/x@3 +1"},
		{"kube", "0", "NotOlderThan", 0, "3: a-b/x@3 a/x@2"},
		{"kube", "", "", -1, "5: a-b/x@3 a/x@2 a/y@5"},
		{"kube", "", "Exact", 0, "invalid 422"},
		{"kube", "0", "Exact", 0, "invalid 422"},
		{"kube", "", "NotOlderThan", 0, "invalid 422"},
		{"kube", "2", "Newest", 0, "invalid 422"},
		{"kube", "9", "", 0, "future 504"},
		{"kube", "9", "Exact", 0, "future 504"},
		{"kube-1.30", "9", "Exact", 0, "other 500"},
		{"kube", "18446744073709551615", "", 0, "future 504"},
		{"kube", "18446744073709551616", "", 0, "invalid 400"},
		{"kube", "abc", "", 0, "invalid 400"},
		{"kube-1.30", "abc", "", 0, "other 500"},
		{"kube-1.30-uncached", "-1", "", 0, "invalid 400"},
	} {
		s := filled(t, test.profile)
		s.cache = 3
		r := list(histories.KubeOptions{ResourceVersion: test.rv, ResourceVersionMatch: test.match})
		r.Limit = test.limit
		if got := says(s.do(r)); got != test.want {
			t.Errorf("%s rv=%q match=%q limit=%d: expected %q, not %q", test.profile, test.rv, test.match, test.limit, test.want, got)
		}
	}
}

func TestGets(t *testing.T) {
	s := filled(t, "kube")
	s.cache = 3
	get := func(name, rv string) histories.Request {
		return histories.Request{Kind: histories.Get, Key: named(name), Kube: &histories.KubeOptions{ResourceVersion: rv}}
	}
	s.expect("0: a/y@5", get("a/y", ""))
	s.expect("notFound 404", get("a/y", "0"))
	s.expect("0: a/y@4", get("a/y", "4"))
	s.expect("future 504", get("a/y", "6"))
	s.expect("other 500", get("a/y", "abc"))
	s.expect("notFound 404", get("a/z", ""))
}

func TestPages(t *testing.T) {
	s := filled(t, "kube")
	first := list(histories.KubeOptions{})
	first.Limit = 1
	page := s.expect("5: a-b/x@3 +2", first)
	s.create("a/a", nil)
	next := func(token string, limit int64, o histories.KubeOptions) histories.Request {
		o.Continue = token
		return histories.Request{Kind: histories.Next, Limit: limit, Kube: &o}
	}
	s.expect("5: a/x@2 +1", next(page.Continue, 1, histories.KubeOptions{}))
	s.expect("5: a/x@2 a/y@5", next(page.Continue, 0, histories.KubeOptions{}))
	s.expect("5: a/x@2 a/y@5", next(page.Continue, 1, histories.KubeOptions{ResourceVersion: "0"}))
	s.expect("invalid 400", next(page.Continue, 1, histories.KubeOptions{ResourceVersion: "5"}))
	s.expect("invalid 422", next(page.Continue, 1, histories.KubeOptions{ResourceVersion: "5", ResourceVersionMatch: "Exact"}))
	s.expect("invalid 400", next("x"+page.Continue[1:], 1, histories.KubeOptions{}))
	s.expect("5: a/x@2 +", next(page.Continue, 1, histories.KubeOptions{LabelSelector: "x=1"}))
	s.expect("0:", histories.Request{Kind: histories.Compact, Revision: 6})
	expired := s.expect("compacted 410", next(page.Continue, 1, histories.KubeOptions{}))
	if expired.Continue == "" {
		t.Fatal("expected a token for an inconsistent continuation")
	}
	page = s.expect("6: a/a@6 +2", next(expired.Continue, 1, histories.KubeOptions{}))
	s.create("a/b", nil)
	s.expect("6: a/x@2 a/y@5", next(page.Continue, 0, histories.KubeOptions{}))
}

func TestListsOfOneName(t *testing.T) {
	s := filled(t, "kube")
	in := histories.Scope{Shape: histories.Namespace, Key: histories.Key{Namespace: "a"}}
	r := list(histories.KubeOptions{ResourceVersion: "4", FieldSelector: "metadata.name=y"})
	r.Limit, r.Scope = 1, in
	s.expect("5: a/y@5", r)
	r.Kube.ResourceVersionMatch = "Exact"
	s.expect("4: a/y@4", r)
	r.Kube = &histories.KubeOptions{LabelSelector: "x in"}
	s.expect("invalid 400", r)
	r.Kube = &histories.KubeOptions{FieldSelector: "spec.x=1"}
	s.expect("invalid 400", r)
}

func TestWritesOfAStore(t *testing.T) {
	s := newStore(t, "kube")
	created := s.expect("2: a/x@2", histories.Request{Kind: histories.Create, Key: named("a/x"), Kube: &histories.KubeOptions{Finalizers: []string{"f"}}})
	s.expect("exists 409", histories.Request{Kind: histories.Create, Key: named("a/x")})
	s.expect("0: a/y@0", histories.Request{Kind: histories.Create, Key: named("a/y"), Kube: &histories.KubeOptions{DryRun: true}})
	s.expect("0: a/x@2", histories.Request{Kind: histories.Patch, Key: named("a/x"), Kube: &histories.KubeOptions{NoOp: true}})
	s.expect("0: a/x@3", histories.Request{Kind: histories.Delete, Key: named("a/x")})
	s.expect("0: a/x@3", histories.Request{Kind: histories.Delete, Key: named("a/x")})
	s.expect("0: a/x@3", histories.Request{Kind: histories.Patch, Key: named("a/x"), Kube: &histories.KubeOptions{ClearFinalizers: true}})
	s.expect("notFound 404", histories.Request{Kind: histories.Get, Key: named("a/x")})
	again := s.expect("5: a/x@5", histories.Request{Kind: histories.Create, Key: named("a/x")})
	if again.Objects[0].UID == created.Objects[0].UID {
		t.Errorf("a new object has the uid of an old one: %s", again.Objects[0].UID)
	}
	deleted := s.expect("0:", histories.Request{Kind: histories.Delete, Key: named("a/x")})
	if deleted.Details().UID != again.Objects[0].UID {
		t.Errorf("the delete names the uid %q", deleted.Details().UID)
	}
	generated := s.do(histories.Request{Kind: histories.Create, Key: named("a/g-"), Kube: &histories.KubeOptions{GenerateName: true}})
	if got := generated.Objects[0].Key.Name; !strings.HasPrefix(got, "g-") || got == "g-" {
		t.Errorf("generated the name %q", got)
	}
	s.create("a/z", nil)
	s.expect("0: a/g-00007@7 a/z@8", histories.Request{Kind: histories.DeleteCollection, Scope: histories.Scope{Shape: histories.Namespace, Key: histories.Key{Namespace: "a"}}})
	s.expect("10:", list(histories.KubeOptions{}))
}

// events are what a watch tells on a store, in short.
func (s *store) events(o histories.KubeOptions) string {
	s.t.Helper()
	w, answer := s.state.Watch(&histories.Request{Kind: histories.Watch, Kube: &o}, s.at())
	if answer.Outcome != histories.OK {
		return says(answer)
	}
	if w.Refused != nil {
		return "error " + w.Refused.Code
	}
	var text strings.Builder
	all := w.Initial
	for _, e := range s.state.Effects(w.After) {
		if event, tells := w.Event(e); tells {
			all = append(all, event)
		}
	}
	for _, e := range all {
		if e.Type == histories.ProgressEvent {
			fmt.Fprintf(&text, " end@%d", e.Header)
			continue
		}
		fmt.Fprintf(&text, " %s %s/%s@%d", e.Type, e.Object.Key.Namespace, e.Object.Key.Name, e.Object.RV)
	}
	return strings.TrimSpace(text.String())
}

func TestWatches(t *testing.T) {
	yes, no := true, false
	for _, test := range []struct {
		profile string
		options histories.KubeOptions
		want    string
	}{
		{"kube", histories.KubeOptions{ResourceVersion: "3"}, "added a/y@4 modified a/y@5"},
		{"kube", histories.KubeOptions{ResourceVersion: "2", LabelSelector: "x=1"}, "added a/y@4 delete a/y@5"},
		{"kube", histories.KubeOptions{ResourceVersion: "2", LabelSelector: "!x"}, "added a-b/x@3 added a/y@5"},
		{"kube", histories.KubeOptions{ResourceVersion: "9"}, ""},
		{"kube", histories.KubeOptions{ResourceVersion: "9223372036854775807"}, ""},
		{"kube", histories.KubeOptions{ResourceVersion: "0"}, "added a-b/x@3 added a/x@2 added a/y@4 modified a/y@5"},
		{"kube", histories.KubeOptions{AllowWatchBookmarks: true}, "added a-b/x@3 added a/x@2 added a/y@5 end@5"},
		{"kube-1.30", histories.KubeOptions{AllowWatchBookmarks: true}, "added a-b/x@3 added a/x@2 added a/y@4 modified a/y@5"},
		{"kube", histories.KubeOptions{SendInitialEvents: &yes, ResourceVersionMatch: "NotOlderThan"}, "added a-b/x@3 added a/x@2 added a/y@5"},
		{"kube", histories.KubeOptions{SendInitialEvents: &no, ResourceVersionMatch: "NotOlderThan"}, ""},
		{"kube", histories.KubeOptions{SendInitialEvents: &yes, ResourceVersionMatch: "NotOlderThan", ResourceVersion: "9"}, "error 504"},
		{"kube", histories.KubeOptions{SendInitialEvents: &yes, ResourceVersionMatch: "NotOlderThan", ResourceVersion: "1"}, "added a-b/x@3 added a/x@2 added a/y@4 modified a/y@5"},
		{"kube", histories.KubeOptions{SendInitialEvents: &yes}, "invalid 422"},
		{"kube", histories.KubeOptions{ResourceVersionMatch: "NotOlderThan", ResourceVersion: "1"}, "invalid 422"},
		{"kube-1.33", histories.KubeOptions{SendInitialEvents: &yes, ResourceVersionMatch: "NotOlderThan"}, "invalid 422"},
		{"kube", histories.KubeOptions{ResourceVersion: "abc"}, "other 500"},
		{"kube", histories.KubeOptions{ResourceVersion: "1"}, "error 410"},
		{"kube", histories.KubeOptions{FieldSelector: "spec.x=1"}, "invalid 400"},
	} {
		s := filled(t, test.profile)
		s.do(histories.Request{Kind: histories.Compact, Revision: 3})
		s.cache = 4
		if got := s.events(test.options); got != test.want {
			t.Errorf("%s %+v: expected %q, not %q", test.profile, test.options, test.want, got)
		}
	}
}
