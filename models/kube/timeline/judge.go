package timeline

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/internal/blame"
	"github.com/rvcheck/rvcheck/models/internal/intervals"
	"github.com/rvcheck/rvcheck/models/kube"
)

// Result is what the judge says of a history.
type Result struct {
	models.Judgement
	// Open says what the judge had to leave undecided, empty if nothing.
	Open string
	// Hidden says which acknowledged deletion has a place that nobody told, empty if none has. The
	// judge has held it against all else, one by one, but not sought places for all such at once.
	Hidden string
}

// Judge judges a history of the Kubernetes layers.
func Judge(h *histories.History) Result {
	j := &judge{history: h, Ledger: blame.New(), names: models.NamesOf(h), strict: true}
	var err error
	if j.profile, err = kube.ParseProfile(h.Header.Profile); err != nil {
		// An unknown server is held to no more than the most lenient one.
		j.profile, j.strict = kube.Profile{Minor: 37, Cached: true}, false
	}
	j.index()
	j.findBase()
	j.collect()
	j.order()
	j.cover()
	j.findUnseen()
	j.indexRemovers()
	j.bindDeletes()
	j.boundRemovals()
	j.dropLost()
	j.judgeForm()
	j.judgeWrites()
	j.placeFloating()
	j.judgeReads()
	j.judgeStreams()
	j.judgeInformers()
	j.judgeExpiry()
	j.judgeStatus()
	j.judgeReasons()
	return Result{Judgement: models.Judgement{Findings: j.Findings(), Exercised: j.Exercised()}, Open: j.open(), Hidden: j.hidden()}
}

// judge holds what the steps hand on. Each step is one file, named after it.
type judge struct {
	history *histories.History
	names   *models.Names
	*blame.Ledger
	profile kube.Profile
	// strict: the profile is known, so that what it promises beyond others holds.
	strict bool

	// index.go
	keys    []histories.Key
	ranks   map[histories.Key]int
	writers map[histories.WriteID]*histories.Operation
	streams []*stream
	base    base

	// claims.go
	effects []*effect // by revision, then rank
	byKey   [][]*effect
	at      map[place]*effect
	byUID   map[string][]*effect

	time    timing                   // order.go
	covered intervals.Set            // coverage.go
	unseen  [][]*histories.Operation // coverage.go, by rank
	// vanished are the deletes, by uid, whose tombstone no watch showed; remove.go.
	vanished map[string]*histories.Operation
	// removers, by rank, and deletes, by uid, are who may have removed an object; remover.go.
	removers [][]*histories.Operation
	deletes  map[string][]*histories.Operation
	chains   map[int]chain // page.go
}

// closed reports whether nobody else writes in the run's space.
func (j *judge) closed() bool { return j.history.Header.World != histories.Open }
