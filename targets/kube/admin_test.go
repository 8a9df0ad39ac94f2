package kube

import (
	"context"
	"errors"
	"net/http"
	"testing"
)

// TestCreateIsNotCutOff interrupts a run while the server makes something of it: the answer is
// awaited, so that nothing comes to be after the removal has looked.
func TestCreateIsNotCutOff(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	made := 0
	e := spaceOn(t, func(w http.ResponseWriter, _ *http.Request) {
		interrupt()
		made++
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"kind":"Namespace"}`))
	}).target.endpoints[0]
	a, err := newAdmin(e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	what := call{method: http.MethodPost, path: namespacesPath, body: encoded(tree{})}
	if err := a.create(ctx, what); err != nil {
		t.Errorf("the creation was cut off: %v", err)
	}
	if err := a.create(ctx, what); !errors.Is(err, context.Canceled) || made != 1 {
		t.Errorf("after the interruption %d things were made (%v), expected one", made, err)
	}
}
