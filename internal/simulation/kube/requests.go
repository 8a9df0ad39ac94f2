package kube

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models/kube"
)

// draw makes a request of a random kind.
func (r *run) draw() histories.Request {
	w := r.config.Weights
	kinds := []struct {
		weight int
		make   func() histories.Request
	}{
		{w.Create, r.create},
		{w.Update, r.update},
		{w.Patch, r.patch},
		{w.Apply, r.apply},
		{w.Delete, r.remove},
		{w.Collection, r.collection},
		{w.Get, r.get},
		{w.List, r.list},
		{w.Next, r.follow},
		{w.Watch, r.watch},
		{w.Stop, r.stop},
		{w.Compact, r.compact},
	}
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	n := r.rng.IntN(total)
	for _, k := range kinds {
		if n -= k.weight; n < 0 {
			return k.make()
		}
	}
	panic("simulation/kube: fault of this program: weights do not add up")
}

func (r *run) key() histories.Key { return r.config.Keys[r.rng.IntN(len(r.config.Keys))] }

func (r *run) value() histories.WriteID {
	r.writes++
	return histories.WriteID(fmt.Sprintf("w%d", r.writes))
}

func (r *run) labels() map[string]string {
	if !simulation.Chance(r.rng, r.config.Labels) {
		return nil
	}
	labels := map[string]string{"x": fmt.Sprint(1 + r.rng.IntN(2))}
	if simulation.Chance(r.rng, 0.3) {
		labels["y"] = "1"
	}
	return labels
}

func (r *run) finalizers() []string {
	if !simulation.Chance(r.rng, r.config.Finalizers) {
		return nil
	}
	return [][]string{{"f"}, {"g"}, {"f", "g"}}[r.rng.IntN(3)]
}

func (r *run) size() int { return 16 * r.rng.IntN(2) }

func (r *run) create() histories.Request {
	req := histories.Request{
		Kind: histories.Create, Key: r.key(), Write: r.value(), Labels: r.labels(), Size: r.size(),
		Kube: &histories.KubeOptions{Finalizers: r.finalizers(), DryRun: simulation.Chance(r.rng, r.config.DryRun)},
	}
	if simulation.Chance(r.rng, r.config.Generate) {
		req.Key.Name, req.Kube.GenerateName = "gen-", true
	}
	return req
}

func (r *run) update() histories.Request {
	o := histories.KubeOptions{DryRun: simulation.Chance(r.rng, r.config.DryRun), NoOp: simulation.Chance(r.rng, r.config.NoOp), Status: simulation.Chance(r.rng, r.config.Status)}
	req := histories.Request{Kind: histories.Update, Key: r.key(), Kube: &o}
	switch {
	case o.NoOp:
	case o.Status:
		req.Write = r.value()
	default:
		req.Write, req.Labels, req.Size, o.Finalizers = r.value(), r.labels(), r.size(), r.finalizers()
	}
	return r.condition(req, true)
}

func (r *run) patch() histories.Request {
	o := histories.KubeOptions{
		Patch:  []string{histories.MergePatch, histories.JSONPatch}[r.rng.IntN(2)],
		DryRun: simulation.Chance(r.rng, r.config.DryRun), NoOp: simulation.Chance(r.rng, r.config.NoOp), Status: simulation.Chance(r.rng, r.config.Status),
	}
	req := histories.Request{Kind: histories.Patch, Key: r.key(), Kube: &o}
	switch {
	case o.NoOp:
	case o.Status:
		req.Write = r.value()
	case simulation.Chance(r.rng, r.config.Finalizers):
		o.ClearFinalizers = true
	default:
		req.Write, req.Labels, req.Size, o.Finalizers = r.value(), r.labels(), r.size(), r.finalizers()
	}
	return r.condition(req, false)
}

func (r *run) apply() histories.Request {
	o := histories.KubeOptions{Patch: histories.ApplyPatch, Force: simulation.Chance(r.rng, 0.5), Finalizers: r.finalizers()}
	req := histories.Request{Kind: histories.Patch, Key: r.key(), Write: r.value(), Labels: r.labels(), Size: r.size(), Kube: &o}
	return r.condition(req, false)
}

func (r *run) remove() histories.Request {
	req := histories.Request{Kind: histories.Delete, Key: r.key(), Kube: &histories.KubeOptions{DryRun: simulation.Chance(r.rng, r.config.DryRun)}}
	return r.condition(req, false)
}

// condition gives a write one that holds, one that does not, or none.
func (r *run) condition(req histories.Request, update bool) histories.Request {
	now, _ := r.state.Now().Get(req.Key)
	if simulation.Chance(r.rng, r.config.Stale) {
		now.RV, now.UID = r.revision(), "uid-0"
	}
	switch {
	case simulation.Chance(r.rng, r.config.Plain), now.RV == 0, !update && simulation.Chance(r.rng, 0.5):
	case simulation.Chance(r.rng, 0.2):
		req.ExpectUID = now.UID
	default:
		req.Expect, req.Conditional = now.RV, true
	}
	return req
}

func (r *run) collection() histories.Request {
	req := histories.Request{Kind: histories.DeleteCollection, Scope: r.scope(), Kube: &histories.KubeOptions{}}
	r.choose(req.Kube)
	return req
}

func (r *run) get() histories.Request {
	o := histories.KubeOptions{Encoding: r.encoding()}
	if simulation.Chance(r.rng, r.config.Versioned) {
		o.ResourceVersion = r.version()
	}
	return histories.Request{Kind: histories.Get, Key: r.key(), Kube: &o}
}

func (r *run) encoding() string {
	if !simulation.Chance(r.rng, r.config.Partial) {
		return ""
	}
	return []string{histories.Table, histories.MetadataOnly, histories.Protobuf}[r.rng.IntN(3)]
}

func (r *run) list() histories.Request {
	o := histories.KubeOptions{Encoding: r.encoding()}
	r.choose(&o)
	if simulation.Chance(r.rng, r.config.Versioned) {
		o.ResourceVersion = r.version()
		o.ResourceVersionMatch = []string{"", "Exact", "NotOlderThan"}[r.rng.IntN(3)]
		if o.ResourceVersion == "0" && o.ResourceVersionMatch == "Exact" {
			o.ResourceVersionMatch = ""
		}
	}
	if simulation.Chance(r.rng, r.config.Wrong) {
		o.ResourceVersion, o.ResourceVersionMatch = []string{"", "x", "0"}[r.rng.IntN(3)], "Exact"
	}
	return histories.Request{Kind: histories.List, Scope: r.scope(), Limit: r.limit(), Kube: &o}
}

func (r *run) limit() int64 {
	if !simulation.Chance(r.rng, r.config.Limit) {
		return 0
	}
	return 1 + r.rng.Int64N(3)
}

// follow asks for the page behind one that somebody got, with its token as it was.
func (r *run) follow() histories.Request {
	if len(r.pages) == 0 {
		return r.list()
	}
	page := r.pages[r.rng.IntN(len(r.pages))]
	if simulation.Chance(r.rng, 0.5) {
		page = r.pages[len(r.pages)-1]
	}
	before := &r.history.Operations[page-1]
	old := before.Request.Options()
	o := histories.KubeOptions{Continue: before.Answer.Continue, LabelSelector: old.LabelSelector, FieldSelector: old.FieldSelector, Encoding: old.Encoding}
	switch {
	case simulation.Chance(r.rng, r.config.Wrong):
		o.ResourceVersion = []string{"5", "x", "1"}[r.rng.IntN(3)]
	case simulation.Chance(r.rng, r.config.Wrong):
		o.ResourceVersionMatch = "Exact"
	case simulation.Chance(r.rng, 0.1):
		o.ResourceVersion = "0"
	}
	req := histories.Request{Kind: histories.Next, Of: before.ID, Scope: before.Request.Scope, Limit: before.Request.Limit, Kube: &o}
	if simulation.Chance(r.rng, 0.2) {
		req.Limit = r.limit()
	}
	return req
}

func (r *run) scope() histories.Scope {
	key := r.key()
	switch r.rng.IntN(6) {
	case 0:
		return histories.Scope{Shape: histories.Single, Key: key}
	case 1, 2:
		return histories.Scope{Shape: histories.Namespace, Key: histories.Key{Namespace: key.Namespace}}
	default:
		return histories.Scope{}
	}
}

func (r *run) choose(o *histories.KubeOptions) {
	if !simulation.Chance(r.rng, r.config.Selector) {
		return
	}
	if simulation.Chance(r.rng, 0.2) {
		key := r.key()
		o.FieldSelector = []string{"metadata.name=" + key.Name, "metadata.namespace!=" + key.Namespace, "metadata.name!=" + key.Name}[r.rng.IntN(3)]
		return
	}
	o.LabelSelector = []string{"x=1", "x!=1", "x in (1,2)", "x notin (2)", "x", "!x", "x=1,y"}[r.rng.IntN(7)]
}

// version is a resource version as a request names it.
func (r *run) version() string {
	switch {
	case simulation.Chance(r.rng, r.config.Future):
		return (r.state.Newest() + histories.Revision(1+r.rng.IntN(3))).String()
	case simulation.Chance(r.rng, 0.25):
		return "0"
	default:
		return r.revision().String()
	}
}

// revision draws one from 1 to the newest, often one at a change or near the newest.
func (r *run) revision() histories.Revision {
	newest := r.state.Newest()
	at := histories.Revision(1 + r.rng.Int64N(int64(newest)))
	switch r.rng.IntN(3) {
	case 0:
		at = newest - histories.Revision(r.rng.IntN(4))
	case 1:
		if effects := r.state.Effects(0); len(effects) > 0 {
			at = effects[r.rng.IntN(len(effects))].Revision
		}
	}
	return min(max(1, at), newest)
}

func (r *run) compact() histories.Request {
	return histories.Request{Kind: histories.Compact, Revision: r.revision()}
}

func (r *run) watch() histories.Request {
	if len(r.watches) >= r.config.MaxWatches {
		return r.get()
	}
	o := histories.KubeOptions{AllowWatchBookmarks: simulation.Chance(r.rng, r.config.Bookmarks), Encoding: r.encoding()}
	r.choose(&o)
	if simulation.Chance(r.rng, 0.8) {
		o.ResourceVersion = r.version()
	}
	if simulation.Chance(r.rng, r.config.Initial) {
		initial := simulation.Chance(r.rng, 0.7)
		o.SendInitialEvents, o.ResourceVersionMatch = &initial, "NotOlderThan"
	}
	if simulation.Chance(r.rng, r.config.Wrong) {
		o.ResourceVersionMatch = []string{"", "NotOlderThan", "Exact"}[r.rng.IntN(3)]
	}
	return histories.Request{Kind: histories.Watch, Scope: r.scope(), Kube: &o}
}

func (r *run) stop() histories.Request {
	if len(r.watches) == 0 {
		return r.get()
	}
	w := r.watches[r.rng.IntN(len(r.watches))]
	if w.own {
		return r.get()
	}
	return histories.Request{Kind: histories.Stop, Of: w.op}
}

// isPlain reports whether a watch tells of everything in the run's space.
func isPlain(req *histories.Request) bool {
	o := req.Options()
	rv, ok := kube.ParseRV(o.ResourceVersion)
	return req.Scope.Shape == histories.All && o.LabelSelector == "" && o.FieldSelector == "" && ok && rv.Revision > 0
}
