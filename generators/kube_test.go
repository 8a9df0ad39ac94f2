package generators

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

var kubeConfig = rapid.Custom(func(t *rapid.T) Config {
	c := Config{
		Layer:     histories.KubeLayer,
		Clients:   rapid.IntRange(0, 5).Draw(t, "clients"),
		Steps:     rapid.IntRange(0, 90).Draw(t, "steps"),
		Endpoints: rapid.IntRange(0, 3).Draw(t, "endpoints"),
		Swarm:     rapid.Bool().Draw(t, "swarm"),
		Scenes:    rapid.Bool().Draw(t, "scenes"),
		Fill:      rapid.IntRange(-1, 20).Draw(t, "fill"),
	}
	if rapid.Bool().Draw(t, "limited") {
		c.Unsupported = map[targets.Feature]string{}
		for _, feature := range kubeFeatures {
			if rapid.Bool().Draw(t, string(feature)) {
				c.Unsupported[feature] = "for this test"
			}
		}
	}
	return c
})

var kubeFeatures = []targets.Feature{
	targets.Writes, targets.Reads, targets.Watches, targets.Compaction, targets.ManyEndpoints, targets.UnconditionalUpdates,
	targets.Patches, targets.Applies, targets.Statuses, targets.Finalizers, targets.DryRuns, targets.GeneratedNames,
	targets.DeleteCollections, targets.Selectors, targets.WatchLists, targets.Encodings, targets.Ranges, targets.Puts,
	targets.ProtobufEncoding, targets.Namespaces,
}

func TestKubePlansAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := kubeConfig.Draw(t, "config")
		plan := Plan(cfg).Draw(t, "plan")
		if err := plan.Validate(); err != nil {
			t.Log(plans.Format(plan))
			t.Fatal(err)
		}
		above := map[string]bool{}
		for _, op := range operations(plan) {
			for _, label := range op.References() {
				if !above[label] {
					t.Fatal("an operation refers to one below it")
				}
			}
			above[op.Label] = true
			checkName(t, op, cfg)
			for _, feature := range kubeNeeds(op) {
				_, missing := cfg.Unsupported[feature]
				lastResort := op.Kind == histories.Get && feature == targets.Reads
				if missing && !lastResort {
					t.Log(plans.FormatOp(*op, plan.Layer))
					t.Fatalf("an operation needs %s, which is not there", feature)
				}
			}
		}
	})
}

// checkName fails for a name that a server refuses, or a namespace that no space has.
func checkName(t *rapid.T, op *plans.Op, cfg Config) {
	within := namespaces
	if !cfg.can(targets.Namespaces) {
		within = []string{""}
	}
	for _, key := range []histories.Key{op.Key, op.Scope.Key} {
		if key == (histories.Key{}) {
			continue
		}
		name := strings.TrimSuffix(key.Name, "-")
		valid := name == object("a/"+name).Name && (op.GenerateName || name == key.Name)
		if !slices.Contains(within, key.Namespace) || key.Name != "" && !valid {
			t.Fatalf("%s %q/%q: expected a valid name", op.Kind, key.Namespace, key.Name)
		}
	}
}

// kubeNeeds are the features of an operation, said anew.
func kubeNeeds(op *plans.Op) (needed []targets.Feature) {
	add := func(holds bool, feature targets.Feature) {
		if holds {
			needed = append(needed, feature)
		}
	}
	read := op.Kind == histories.Get || op.Kind == histories.List || op.Kind == histories.Next
	watch := op.Kind == histories.Watch || op.Kind == histories.Await || op.Kind == histories.Stop
	add(op.Kind.IsWrite(), targets.Writes)
	add(read, targets.Reads)
	add(watch, targets.Watches)
	add(op.Kind == histories.Compact, targets.Compaction)
	add(op.Kind == histories.Put, targets.Puts)
	add(op.Kind == histories.Update && op.Expect.Kind == plans.Unset, targets.UnconditionalUpdates)
	add(op.Kind == histories.Patch && op.Patch != histories.ApplyPatch, targets.Patches)
	add(op.Patch == histories.ApplyPatch, targets.Applies)
	add(op.Kind == histories.DeleteCollection, targets.DeleteCollections)
	add(op.Finalizers != "" || op.ClearFinalizers, targets.Finalizers)
	add(op.Status, targets.Statuses)
	add(op.DryRun, targets.DryRuns)
	add(op.GenerateName, targets.GeneratedNames)
	add(op.Encoding != "", targets.Encodings)
	add(op.Encoding == histories.Protobuf, targets.ProtobufEncoding)
	add(op.Scope.Shape == histories.Namespace || strings.Contains(op.FieldSelector, "namespace"), targets.Namespaces)
	add(op.SendInitialEvents != nil, targets.WatchLists)
	add(op.Endpoint > 1, targets.ManyEndpoints)
	return needed
}

// TestKubePlansAreVaried checks that a thousand plans have everything in them, and logs
// how often.
func TestKubePlansAreVaried(t *testing.T) {
	const drawn, least = 1000, 5
	seen := map[string]int{}
	for seed := range uint64(drawn) {
		plan, trace := composed(seed, Config{Layer: histories.KubeLayer, Swarm: true, Scenes: true, Endpoints: 2})
		for name := range inPlan(plan, trace) {
			seen[name]++
		}
	}
	for _, name := range expectedInKubePlans() {
		t.Logf("%3d of %d plans: %s", seen[name], drawn, name)
		if seen[name] < least {
			t.Errorf("%d of %d plans have %s, expected at least %d", seen[name], drawn, name, least)
		}
	}
}

func expectedInKubePlans() []string {
	names := []string{
		"barrier", "no barrier", "one lane", "endpoint 2", "create {x", "create finalizers", "create generateName", "create dryRun",
		"update rv", "update uid", "update status", "update finalizers", "patch type", "patch {x", "patch noop", "patch status",
		"patch clearFinalizers", "patch finalizers", "patch rv", "patch force", "delete rv", "delete uid", "delete dryRun",
		"deletecollection labelSelector", "get resourceVersion", "get rawResourceVersion", "get encoding",
		"list resourceVersion", "list match", "list limit", "list labelSelector", "list fieldSelector", "list encoding",
		"list rawResourceVersion", "next limit", "next damaged", "next match", "next resourceVersion",
		"watch resourceVersion", "watch match", "watch sendInitialEvents", "watch allowWatchBookmarks", "watch labelSelector",
		"watch fieldSelector", "watch timeoutSeconds", "watch slow", "watch encoding", "kind fill",
	}
	for _, k := range kubeKinds {
		if k.kind != overwrite {
			names = append(names, "kind "+string(k.kind))
		}
	}
	for _, s := range kubeScenes {
		names = append(names, "scene "+s.name)
	}
	return names
}
