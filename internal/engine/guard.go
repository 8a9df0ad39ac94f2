package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// PanicError says that the implementation of a target panicked. It is a fault of
// the target's Go code, not a violation by the store.
type PanicError struct {
	// Where is the method that was called, such as "Do".
	Where string
	Value any
	Stack []byte
}

func (p *PanicError) Error() string {
	return fmt.Sprintf("the target's %s panicked: %v", p.Where, p.Value)
}

// errAbandoned is a call that did not come back although its context had ended.
var errAbandoned = errors.New("the call ignored its deadline")

type result[T any] struct {
	value T
	err   error
}

// guard calls into a target, in a goroutine of its own, so that neither a panic
// nor a call that never returns can take the run with it. It waits for ctx to end
// and a grace beyond.
func guard[T any](ctx context.Context, where string, call func() (T, error)) (T, error) {
	results := make(chan result[T], 1)
	go func() { results <- shielded(where, call) }()
	select {
	case r := <-results:
		return r.value, r.err
	case <-ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case r := <-results:
		return r.value, r.err
	case <-timer.C:
		return *new(T), errAbandoned
	}
}

// shielded turns a panic into an error.
func shielded[T any](where string, call func() (T, error)) (r result[T]) {
	defer func() {
		if p := recover(); p != nil {
			r.err = &PanicError{Where: where, Value: p, Stack: debug.Stack()}
		}
	}()
	r.value, r.err = call()
	return r
}
