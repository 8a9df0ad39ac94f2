package timeline

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// Result is what the timeline judge says of a history.
type Result struct {
	models.Judgement
	// Open says what the judge had to leave to the porcupine judge, empty if nothing.
	Open string
}

// Judge judges a history.
func Judge(h *histories.History) Result { return Result{} }
