package embedded_test

import (
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/targets/embedded"
)

func TestOpen(t *testing.T) {
	for range 3 {
		start := time.Now()
		target, err := embedded.Open(t.Context(), embedded.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("open after %v: %+v", time.Since(start), target.Describe())
		start = time.Now()
		if err := target.Close(t.Context()); err != nil {
			t.Error(err)
		}
		t.Logf("closed after %v", time.Since(start))
	}
}
