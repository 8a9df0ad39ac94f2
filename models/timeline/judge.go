package timeline

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/internal/blame"
	"github.com/rvcheck/rvcheck/models/internal/intervals"
)

// Result is what the timeline judge says of a history.
type Result struct {
	models.Judgement
	// Open says what the judge had to leave to the porcupine judge, empty if nothing.
	Open string
}

// Judge judges a history. It needs no witness: streams that cover the whole
// scope make it exact, without them it demands less and says so in Result.Open.
func Judge(h *histories.History) Result {
	j := &judge{history: h, ledger: ledger{blame.New()}, names: models.NamesOf(h)}
	j.index()
	j.collectEffects()
	j.orderByTime()
	j.cover()
	j.judgeUntold()
	j.dropLostWrites()
	j.placeExpiry()
	j.judgeRefused()
	j.judgeMalformed()
	j.judgeExpiry()
	j.sweep()
	j.judgeVague()
	j.judgeStreams()
	j.judgeLeases()
	j.judgeStatus()
	return Result{
		Judgement: models.Judgement{Findings: j.Findings(), Exercised: j.Exercised()},
		Open:      j.open(),
	}
}

// judge holds what the steps hand on. Each step is one file, named after it.
type judge struct {
	history *histories.History
	names   *models.Names
	ledger

	// index.go
	keys      []histories.Key       // ascending
	ranks     map[histories.Key]int // position in keys
	authors   map[histories.WriteID]deed
	unseen    [][]deed // by rank: unknown writes whose effect nobody saw
	leased    []bool   // by rank: some write bound the key to a lease
	streams   []*stream
	endpoints int

	// effects.go
	effects []effect // by revision, then key
	byKey   [][]int  // by rank: indexes into effects, ascending
	at      map[place]int
	placed  map[histories.WriteID]histories.Revision // where the effect of a write is

	// imply.go, special.go
	rangeDeletes []*histories.Operation
	// rangeDeletesAt are those that were acknowledged, by revision.
	rangeDeletesAt map[histories.Revision][]*histories.Operation
	vague          []vagueDelete
	spare          map[*histories.Operation]bool
	assigned       map[histories.Revision]*histories.Operation // author.go
	specification  *models.State                               // nil where no call needs it

	absences []absence // absence.go: what reads showed to be gone

	lives map[int64]*life // lease.go

	covered intervals.Set // coverage.go
	time    order         // order.go
	expiry  expiry        // expiry.go
}
