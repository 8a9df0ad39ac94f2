package kube

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
)

// spaceOn is a space on a server that answers as a test says.
func spaceOn(t *testing.T, handler http.HandlerFunc) *space {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	e := endpoint{rest: &rest.Config{Host: server.URL}, base: base}
	return &space{target: &target{endpoints: []endpoint{e}}, dialect: *configMaps()}
}

// collector is a sink that remembers.
type collector struct {
	mu     sync.Mutex
	events []histories.Event
	ended  chan histories.End
}

func newCollector() *collector { return &collector{ended: make(chan histories.End, 1)} }

func (c *collector) Batch(events []histories.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, events...)
}

func (c *collector) End(end histories.End) { c.ended <- end }

// watching opens a watch on a server that sends these frames and ends the stream.
func watching(t *testing.T, frames ...string) ([]histories.Event, histories.End) {
	t.Helper()
	return watchingIn(t, "", strings.Join(frames, "\n"))
}

// watchingIn opens a watch in an encoding on a server that sends this body.
func watchingIn(t *testing.T, encoding, body string) ([]histories.Event, histories.End) {
	t.Helper()
	s := spaceOn(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
	client, err := s.Open(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	sink := newCollector()
	r := histories.Request{Kind: histories.Watch, Kube: &histories.KubeOptions{Encoding: encoding}}
	answer, _, err := client.Watch(t.Context(), r, sink)
	if err != nil || answer.Outcome != histories.OK {
		t.Fatalf("got %+v, %v", answer, err)
	}
	end := <-sink.ended
	return sink.events, end
}

func event(kind, object string) string { return fmt.Sprintf(`{"type":%q,"object":%s}`, kind, object) }

func bookmark(metadata string) string {
	return event("BOOKMARK", `{"apiVersion":"v1","kind":"ConfigMap","metadata":`+metadata+`}`)
}

func TestEvents(t *testing.T) {
	events, end := watching(t,
		event("ADDED", anObject("7", encode("w1", 0))),
		event("MODIFIED", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"y","namespace":"default","resourceVersion":"8"}}`),
		bookmark(`{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}`),
		bookmark(`{"resourceVersion":"010","labels":{"l":"1"}}`),
		event("DELETED", anObject("11", encode("w1", 0))),
	)
	var got []string
	for _, e := range events {
		d := e.Details()
		got = append(got, fmt.Sprintf("%s header=%d rv=%d write=%s end=%v form=%q", e.Type, e.Header, e.Object.RV, e.Object.Write, d.InitialEventsEnd, d.Form))
	}
	want := []string{
		`added header=0 rv=7 write=w1 end=false form=[]`,
		`progress header=9 rv=0 write= end=true form=[]`,
		`progress header=0 rv=0 write= end=false form=["the bookmark has labels or finalizers" "the resourceVersion of the bookmark is \"010\""]`,
		`delete header=0 rv=11 write=w1 end=false form=[]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if end.Reason != histories.EndClosed {
		t.Errorf("the stream ended as %+v; expected that the server closed it", end)
	}
}

func TestErrorEvents(t *testing.T) {
	expired := event("ERROR", `{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired","message":"too old"}`)
	events, end := watching(t, expired, event("ADDED", anObject("7", encode("w1", 0))))
	if len(events) != 2 || events[0].Type != histories.ErrorEvent || events[0].Details().Error.Class != histories.Compacted {
		t.Errorf("got %+v; expected the error and what follows it", events)
	}
	if end.Reason != histories.EndCompacted || end.Error.Code != "410" {
		t.Errorf("the stream ended as %+v", end)
	}
	_, end = watching(t, event("ERROR", `{"kind":"Status","code":500}`))
	if end.Reason != histories.EndError || end.Error.Code != "500" {
		t.Errorf("the stream ended as %+v", end)
	}
	_, end = watching(t, `{"type":"ADD`)
	if end.Reason != histories.EndError || end.Error.Class != histories.Unavailable {
		t.Errorf("the stream ended as %+v", end)
	}
}

func TestWatchThatIsCancelled(t *testing.T) {
	opened := make(chan struct{})
	s := spaceOn(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		close(opened)
		<-r.Context().Done()
	})
	client, err := s.Open(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	sink := newCollector()
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err := client.Watch(ctx, histories.Request{Kind: histories.Watch}, sink); err != nil {
		t.Fatal(err)
	}
	<-opened
	cancel()
	if end := <-sink.ended; end.Reason != histories.EndCancelled {
		t.Errorf("the stream ended as %+v", end)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

func TestWatchThatIsRefused(t *testing.T) {
	s := spaceOn(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"kind":"Status","reason":"Invalid"}`)
	})
	client, err := s.Open(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	answer, stream, err := client.Watch(t.Context(), histories.Request{Kind: histories.Watch}, newCollector())
	if err != nil || stream != nil || answer.Outcome != histories.Fail || answer.Error.Class != histories.Invalid {
		t.Errorf("got %+v, %v, %v", answer, stream, err)
	}
}

func TestCallsThatAreLost(t *testing.T) {
	s := spaceOn(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	client, err := s.Open(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	for kind, want := range map[histories.Kind]histories.Outcome{histories.Get: histories.Fail, histories.Create: histories.Unknown} {
		answer, err := client.Do(t.Context(), histories.Request{Kind: kind, Key: key("a", "x"), Write: "w"})
		if err != nil || answer.Outcome != want || answer.Error.Class != histories.Unavailable {
			t.Errorf("%s: got %+v, %v; expected the outcome %s", kind, answer, err, want)
		}
	}
	if !s.uncertain.Load() {
		t.Error("the space passes for one in which nothing is left to happen")
	}

	s.target.endpoints[0].base.Host = "127.0.0.1:1"
	nobody, err := s.Open(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = nobody.Close() }()
	answer, err := nobody.Do(t.Context(), histories.Request{Kind: histories.Create, Key: key("a", "x"), Write: "w"})
	if err != nil || answer.Outcome != histories.Fail {
		t.Errorf("nobody listens: got %+v, %v; expected that nothing was sent", answer, err)
	}
}
