package timeline

import (
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/internal/blame"
)

// ledger collects the findings; one lie is one finding.
type ledger struct{ *blame.Ledger }

func (l ledger) exercise(property string)      { l.Exercise(property) }
func (l ledger) report(f models.Finding)       { l.Report(f) }
func (l ledger) reportStream(f models.Finding) { l.ReportStream(f) }
func (l ledger) blamed(op int) bool            { return l.Blamed(op) }
