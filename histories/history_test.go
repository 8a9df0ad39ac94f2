package histories_test

import (
	"testing"

	"github.com/rvcheck/rvcheck/histories"
)

func TestHistoryFindsByID(t *testing.T) {
	h := &histories.History{
		Operations: []histories.Operation{{ID: 1}, {ID: 4}, {ID: 9}},
		Streams:    []histories.Stream{{Op: 4}, {Op: 9}},
	}
	for _, id := range []int{-1, 0, 1, 2, 4, 8, 9, 10} {
		op, stream := h.Operation(id), h.Stream(id)
		if known := id == 1 || id == 4 || id == 9; known != (op != nil) || known && op.ID != id {
			t.Errorf("Operation(%d) = %v", id, op)
		}
		if known := id == 4 || id == 9; known != (stream != nil) || known && stream.Op != id {
			t.Errorf("Stream(%d) = %v", id, stream)
		}
	}
}
