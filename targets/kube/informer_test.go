package kube

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// objectServer serves lists and watches of config maps: first an object, then, on the
// watch, what became of it.
type objectServer struct {
	mu       sync.Mutex
	requests []string
}

func (o *objectServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	o.mu.Lock()
	o.requests = append(o.requests, fmt.Sprintf("watch=%s initial=%s", query.Get("watch"), query.Get("sendInitialEvents")))
	o.mu.Unlock()
	w.Header().Set("Content-Type", jsonType)
	first := anObject("7", encode("w1", 0))
	if query.Get("watch") == "" {
		_, _ = io.WriteString(w, `{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"7"},"items":[`+first+`]}`)
		return
	}
	var frames []string
	if query.Get("sendInitialEvents") == "true" {
		frames = append(frames, event("ADDED", first), bookmark(`{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}`))
	}
	frames = append(frames, event("MODIFIED", anObject("8", encode("w2", 0))), event("DELETED", anObject("9", encode("w2", 0))),
		event("ADDED", anObject("10", encode("w3", 0))))
	_, _ = io.WriteString(w, strings.Join(frames, "\n"))
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// TestInformer: what the handler of client-go's informer is told, whether it begins with a
// list or with a watch that sends the state, and what its store holds.
func TestInformer(t *testing.T) {
	for _, initial := range []bool{false, true} {
		t.Run(fmt.Sprintf("initial events %t", initial), func(t *testing.T) {
			server := &objectServer{}
			s := spaceOn(t, server.ServeHTTP)
			c, err := s.Open(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			sink := newCollector()
			request := histories.Request{Kind: histories.Inform, Kube: &histories.KubeOptions{SendInitialEvents: &initial}}
			answer, informer, err := c.(targets.Informing).Inform(ctx, request, sink)
			if err != nil || answer.Outcome != histories.OK {
				t.Fatalf("got %+v, %v", answer, err)
			}
			got := sink.calls(t, 5)
			stored, reached := informer.Stored()
			if diff := cmp.Diff(map[string]int{"added 7 initial": 1, "modified 8 from 7": 1, "delete 9": 1, "added 10": 1, "synced": 1}, got); diff != "" {
				t.Errorf("calls of the handler (-want +got)\n%s", diff)
			}
			if len(stored) != 1 || stored[0].RV != 10 || reached != 10 {
				t.Errorf("the store holds %+v at %d, expected the object at resource version 10", stored, reached)
			}
			server.mu.Lock()
			defer server.mu.Unlock()
			if begins := map[bool]string{false: "watch= initial=", true: "watch=true initial=true"}[initial]; server.requests[0] != begins {
				t.Errorf("the first request is %q, expected %q", server.requests[0], begins)
			}
			cancel()
			if end := <-sink.ended; end.Reason != histories.EndCancelled {
				t.Errorf("the informer ends %+v", end)
			}
		})
	}
}

// calls returns the calls of a handler, counted, once there are so many.
func (c *collector) calls(t *testing.T, n int) map[string]int {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		c.mu.Lock()
		calls := map[string]int{}
		for i := range c.events {
			calls[called(&c.events[i])]++
		}
		c.mu.Unlock()
		if len(calls) >= n {
			return calls
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("expected %d calls of the handler, got %+v", n, c.events)
	return nil
}

func called(e *histories.Event) string {
	text := string(e.Type)
	if e.Object.RV > 0 {
		text += " " + e.Object.RV.String()
	}
	if e.Prev != nil {
		text += " from " + e.Prev.RV.String()
	}
	if e.Details().Initial {
		text += " initial"
	}
	return text
}

// TestPager: pages are put together, with the resource version of the first one.
func TestPager(t *testing.T) {
	s := spaceOn(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		token := r.URL.Query().Get("continue")
		meta := map[string]string{"": `{"resourceVersion":"7","continue":"t"}`, "t": `{"resourceVersion":"7"}`}[token]
		_, _ = io.WriteString(w, `{"apiVersion":"v1","kind":"ConfigMapList","metadata":`+meta+`,"items":[`+anObject("7", encode("w1", 0))+`]}`)
	})
	c, err := s.Open(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	scope := histories.Scope{Shape: histories.Namespace, Key: histories.Key{Namespace: logical[0]}}
	answer, err := c.Do(t.Context(), histories.Request{Kind: histories.ListPages, Limit: 1, Scope: scope})
	if err != nil || answer.Outcome != histories.OK || answer.Revision != 7 || len(answer.Objects) != 2 {
		t.Errorf("got %+v, %v", answer, err)
	}
}
