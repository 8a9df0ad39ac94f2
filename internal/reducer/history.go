package reducer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/judging"
	"github.com/rvcheck/rvcheck/models"
)

// ErrNoViolation says that there is nothing to reduce: the history does not break the
// property that was asked for.
var ErrNoViolation = errors.New("the history does not show the violation that was to be reduced")

// HistoryOptions bound the reduction of a history.
type HistoryOptions struct {
	// Budget is the time that the judges may take for one candidate, zero:
	// judging.DefaultBudget.
	Budget time.Duration
	// Attempts is how many candidates are judged at most, zero: 5,000.
	Attempts int
	// Progress is told of each smaller history that was found, nil: nobody is.
	Progress func(HistoryResult)
}

// HistoryResult is the smallest part of a history that was found to show a violation.
type HistoryResult struct {
	// History is evidence: each of its answers was recorded, but nobody ran it.
	History *histories.History
	// Finding is the violation as the judges see it in History.
	Finding models.Finding
	// From is the number of operations of the whole history.
	From int
	// Attempts is the number of candidates that were judged.
	Attempts int
	// Complete: nothing more can be left out. Otherwise the reduction was interrupted
	// or ran out of attempts.
	Complete bool
}

// History leaves operations, watches and the events of watches out of a recorded
// history as long as the judges still find the first violation of a property in it,
// of any property if that is empty. It needs no store and changes no answer. The same
// history gives the same result, unless the context or a judge's budget ends first.
//
// What is left out takes with it what shows it, and the violation that stays is the
// same one: about the same operation, key and revision, with the same answer owed;
// and no candidate that breaks anything else is accepted. So no part is mistaken for
// another violation that leaving something out has made up.
//
// The error is ErrNoViolation, or a *judging.Fault, with which the result is the best
// so far.
func History(ctx context.Context, h *histories.History, property string, opts HistoryOptions) (HistoryResult, error) {
	judges := judging.Options{Budget: opts.Budget, TimelineOnly: true}
	whole, at, err := judgeWhole(ctx, h, property, judges)
	if at < 0 && err == nil {
		judges.TimelineOnly = false
		whole, at, err = judgeWhole(ctx, h, property, judges)
	}
	if err != nil {
		return HistoryResult{}, fmt.Errorf("judging the whole history: %w", err)
	}
	if at < 0 {
		return HistoryResult{}, ErrNoViolation
	}
	r := newHistoryReduction(ctx, h, whole, whole.Findings[at], opts)
	r.judges = judges
	r.reduce()
	r.best.Complete = r.mayGoOn() && r.fault == nil
	r.best.History = labelled(r.best)
	return r.best, r.fault
}

// judgeWhole judges the history and finds the violation that is to be reduced, -1 if
// there is none.
func judgeWhole(ctx context.Context, h *histories.History, property string, judges judging.Options) (models.Judgement, int, error) {
	whole, err := judging.Judge(ctx, h, judges)
	at := slices.IndexFunc(whole.Findings, func(f models.Finding) bool { return property == "" || f.Property == property })
	return whole, at, err
}

// labelled adds a note to a reduced history that says what it is.
func labelled(r HistoryResult) *histories.History {
	h := *r.History
	h.Notes = append(slices.Clone(h.Notes), histories.Note{
		Kind: "info",
		Text: fmt.Sprintf("reduced for %s from %d operations to %d: evidence, nobody ran it", r.Finding.Property, r.From, len(h.Operations)),
	})
	return &h
}

// historyReduction is a reduction under way.
type historyReduction struct {
	ctx    context.Context
	opts   HistoryOptions
	judges judging.Options // the one that made the finding
	links  *links
	wanted models.Finding
	// known are the findings of the whole history: others are made up.
	known map[identity]bool
	// thorough: whatever is kept keeps what it builds on.
	thorough bool
	// kept is the smallest portion so far, and best what came of it.
	kept  *portion
	best  HistoryResult
	fault error
}

// identity says which violation a finding is, whatever else the history holds.
type identity struct {
	property string
	culprit  int
	revision histories.Revision
	key      histories.Key
}

func identityOf(f *models.Finding) identity {
	id := identity{property: f.Property, culprit: f.Culprit, revision: f.Revision}
	if f.Key != nil {
		id.key = *f.Key
	}
	return id
}

func newHistoryReduction(
	ctx context.Context, h *histories.History, whole models.Judgement, wanted models.Finding, opts HistoryOptions,
) *historyReduction {
	const attempts = 5000
	if opts.Attempts <= 0 {
		opts.Attempts = attempts
	}
	r := &historyReduction{ctx: ctx, opts: opts, links: newLinks(h), wanted: wanted, known: map[identity]bool{}}
	for i := range whole.Findings {
		r.known[identityOf(&whole.Findings[i])] = true
	}
	if isSpecified(r.links.history.Operation(wanted.Culprit), &wanted) {
		r.links.thorough = r.links.position(wanted.Culprit)
	}
	r.kept = r.links.everything()
	r.best = HistoryResult{History: h, Finding: wanted, From: len(h.Operations)}
	return r
}

// isSpecified reports whether a finding tells what is owed by the rule only, not by
// the revision and the object: then what the answer builds on must stay, so that it is
// owed for the same reason.
func isSpecified(op *histories.Operation, f *models.Finding) bool {
	p, _ := models.Lookup(f.Property)
	isSpecial := op != nil && (op.Request.Kind == histories.Transact || op.Request.Kind == histories.DeleteRange ||
		p.Group() == "range" || p.ID == models.ReadSerializable)
	return isSpecial || f.Allowed == p.Statement
}

// reduce begins with what the finding is about and what that builds on. Then it leaves
// out, at first together with what builds on it, so that large pieces can go.
func (r *historyReduction) reduce() {
	r.begin()
	for _, r.thorough = range []bool{true, false} {
		r.leaveOut()
	}
}

// begin tries what the finding is about: first with what it shows only, then with
// what that builds on, and then ever wider.
func (r *historyReduction) begin() {
	cones := r.links.cones(&r.wanted)
	if r.tryCone(cones[0], false) {
		return
	}
	for _, seeds := range cones {
		if r.tryCone(seeds, true) {
			return
		}
	}
}

func (r *historyReduction) tryCone(seeds []int, thorough bool) bool {
	p := r.links.nothing()
	for _, at := range seeds {
		p.operations[at] = true
	}
	r.links.complete(p, thorough)
	return r.try(p)
}

// leaveOut leaves out in ever smaller pieces, until none can go.
func (r *historyReduction) leaveOut() {
	for shrunk := true; shrunk && r.mayGoOn(); {
		shrunk = r.thin(r.clients)
		shrunk = r.thin(r.operations) || shrunk
		shrunk = r.thin(r.uncaused) || shrunk
		for i := range r.links.history.Streams {
			shrunk = r.trim(i) || shrunk
		}
	}
}

// thin leaves out pieces, many at once and then fewer, and reports whether any could go.
func (r *historyReduction) thin(pieces func() []piece) bool {
	shrunk := false
	for size := len(pieces()); size > 0; size /= 2 {
		for from := 0; ; {
			list := pieces()
			if from >= len(list) || !r.mayGoOn() {
				break
			}
			if r.tryWithout(list[from:min(from+size, len(list))]) {
				shrunk = true
			} else {
				from += size
			}
		}
	}
	return shrunk
}

// trim cuts a stream at its end: what a watch has not delivered yet it may still
// deliver. In the middle only what nobody caused can go.
func (r *historyReduction) trim(stream int) bool {
	shrunk := false
	for size := len(r.kept.shown(r.links, stream)); size > 0; size /= 2 {
		for r.mayGoOn() {
			shown := r.kept.shown(r.links, stream)
			if len(shown) < size {
				break
			}
			p := r.kept.clone()
			p.until[stream] = shown[len(shown)-size]
			if !r.try(p) {
				break
			}
			shrunk = true
		}
	}
	return shrunk
}

func (r *historyReduction) mayGoOn() bool {
	return r.ctx.Err() == nil && r.best.Attempts < r.opts.Attempts
}

// tryWithout leaves pieces out, and puts back what the others need of them.
func (r *historyReduction) tryWithout(pieces []piece) bool {
	p := r.kept.clone()
	for _, piece := range pieces {
		piece.leaveOut(p)
	}
	r.links.complete(p, r.thorough)
	return p.size(r.links) < r.kept.size(r.links) && r.try(p)
}

// try judges a candidate, and keeps it if it shows the same violation and no other
// than the whole history.
func (r *historyReduction) try(p *portion) bool {
	candidate := r.links.project(p)
	r.best.Attempts++
	judgement, err := judging.Judge(r.ctx, candidate, r.judges)
	if err != nil {
		r.fault = errors.Join(r.fault, err)
		return false
	}
	found := (*models.Finding)(nil)
	for i := range judgement.Findings {
		f := &judgement.Findings[i]
		if !r.known[identityOf(f)] {
			return false
		}
		if r.isWanted(f) {
			found = f
		}
	}
	if found == nil {
		return false
	}
	r.kept, r.best.History, r.best.Finding = p, candidate, *found
	if r.opts.Progress != nil {
		told := r.best
		told.History = labelled(told)
		r.opts.Progress(told)
	}
	return true
}

// isWanted reports whether a finding is the violation that is being reduced: the same
// was owed, the same was observed, and no more follows from it. How far a watch went
// on after a gap may change with the end of its stream.
func (r *historyReduction) isWanted(f *models.Finding) bool {
	gap := f.Property == models.WatchNoGap || f.Property == models.ProgressNoOvertaking || f.Property == models.WatchIsolated
	return identityOf(f) == identityOf(&r.wanted) && f.Consequences <= r.best.Finding.Consequences &&
		sameText(f.Allowed, r.wanted.Allowed) && (gap || sameText(f.Observed, r.wanted.Observed))
}

// sameText compares what texts say: names may be counted differently where less is left.
func sameText(a, b string) bool { return models.Uncounted(a) == models.Uncounted(b) }
