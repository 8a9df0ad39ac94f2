package waivers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
)

const good = `# What is known of this store.

watch/progress-* op=watch,progress fails reason="says \"done\" # too early" link=https://example.org/1#part until=2027-03-01 plan=early.plan
list  limit revision  flaky  reason=slow # a comment
`

func TestParse(t *testing.T) {
	got, err := Parse(good, "known.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := &File{Name: "known.txt", Waivers: []Waiver{
		{
			Line: 3, Pattern: "watch/progress-*", Kinds: []histories.Kind{histories.Watch, histories.Progress},
			Mode: Fails, Reason: `says "done" # too early`, Link: "https://example.org/1#part",
			Until: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC), PlanFile: "early.plan",
		},
		{Line: 4, Pattern: "list", Options: []string{"limit", "revision"}, Mode: Flaky, Reason: "slow"},
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Waiver{}, "Plan")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestParseForeignEndings: what editors of other systems add is no part of a line.
func TestParseForeignEndings(t *testing.T) {
	want, err := Parse(good, "known.txt")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse("\ufeff"+strings.ReplaceAll(good, "\n", "\r\n"), "known.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	for line, expected := range map[string]string{
		`watch/prev flaky`:                              "reason=",
		`watch/prev reason="x"`:                         "fails|flaky",
		`watch/prev fails flaky reason="x"`:             "one of them",
		`watch/prev fails fails reason="x"`:             "each word once",
		`watch/prev flakey reason="x"`:                  "fails, flaky, or an option",
		`watch/prev op=wach flaky reason="x"`:           "kinds of operations among create",
		`watch/prev op= flaky reason="x"`:               "a value after the equals sign",
		`watch/prev flaky reason=""`:                    "a value after the equals sign",
		`watch/prev flaky reason="  "`:                  "reason=",
		`watch/prev flaky reason="x" until=March`:       "2027-03-01",
		`watch/prev flaky reason="x" until=2027-02-30`:  "2027-03-01",
		`watch/prev flaky reason="x" color=red`:         "one of op=, encoding=",
		`list/form encoding=xml flaky reason="x"`:       "protobuf, table, metadata",
		`list/form encoding flaky reason="x"`:           "an option",
		`watch/prev flaky reason="x`:                    "closing quotation mark",
		`watch/prev flaky reason="x"y`:                  "quotation as a whole value",
		`watch/prev flaky reason=x"y"`:                  "quotation as a whole value",
		`watch/prev flaky "because" reason="x"`:         "fails|flaky",
		`op=watch flaky reason="x"`:                     "property pattern",
		`[ flaky reason="x"`:                            "property pattern",
		`"watch/prev" flaky reason="x"`:                 "property pattern",
		`watch/prev flaky reason="x" link=a link=b`:     "each word once",
		`watch/prev watch/no-gap flaky reason="a gap"`:  "an option",
		`watch/prev op=watch,,list flaky reason="gaps"`: "kinds of operations",
	} {
		t.Run(line, func(t *testing.T) {
			_, err := Parse("# first\n"+line+"\n", "known.txt")
			var bad Errors
			if !errors.As(err, &bad) || len(bad) != 1 {
				t.Fatalf("got %v, expected one bad line", err)
			}
			if text := err.Error(); !strings.HasPrefix(text, "known.txt:2: ") || !strings.Contains(text, "; expected ") || !strings.Contains(bad[0].Expected, expected) {
				t.Errorf("got %q, expected %q", text, expected)
			}
		})
	}
}

func TestParseTellsEveryBadLine(t *testing.T) {
	_, err := Parse("a/b\nwatch flaky reason=x\na/c\n", "known.txt")
	var bad Errors
	if !errors.As(err, &bad) || len(bad) != 2 || bad[0].Line != 1 || bad[1].Line != 3 {
		t.Errorf("got %v, expected lines 1 and 3", err)
	}
}

func TestExpiresAfterItsLastDay(t *testing.T) {
	w := Waiver{Until: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)}
	for moment, want := range map[string]bool{
		"2027-02-01T00:00:00Z": false, "2027-03-01T23:59:59Z": false, "2027-03-02T00:00:00Z": true,
		"2027-03-01T23:30:00-02:00": true,
	} {
		now, err := time.Parse(time.RFC3339, moment)
		if err != nil {
			t.Fatal(err)
		}
		if w.Expired(now) != want {
			t.Errorf("at %s: expired %v, expected %v", moment, !want, want)
		}
	}
	if (&Waiver{}).Expired(time.Now()) {
		t.Error("a waiver without a date expired")
	}
}

func TestCovers(t *testing.T) {
	h := &histories.History{Operations: []histories.Operation{
		{ID: 1, Request: histories.Request{Kind: histories.Put}},
		{ID: 2, Request: histories.Request{Kind: histories.Watch, PrevKV: true, StartRevision: 3}},
		{ID: 3, Request: histories.Request{Kind: histories.List, Limit: 2}},
	}}
	h.Operations[0].Request.Kube = &histories.KubeOptions{Encoding: histories.MetadataOnly, LabelSelector: "x"}
	f := &models.Finding{Operations: []int{1, 2}}
	for narrowing, want := range map[string]bool{
		"": true, "op=watch": true, "op=list": false, "op=list,put": true, "prevKV": true,
		"op=watch prevKV startRevision": true, "op=watch prevKV progress": false, "op=put prevKV": false,
		// The options have to be those of one operation that is involved.
		"limit": false, "encoding=metadata": true, "encoding=table": false, "labelSelector encoding=metadata": true,
		"labelSelector prevKV": false, "fieldSelector": false,
	} {
		file, err := Parse("watch "+narrowing+" flaky reason=x", "known.txt")
		if err != nil {
			t.Fatal(err)
		}
		if got := file.Waivers[0].Covers(h, f); got != want {
			t.Errorf("%q covers it: %v, expected %v", narrowing, got, want)
		}
	}
}

// Whatever an option is called here, it is called so in plans.
func TestOptionsAreThoseOfPlans(t *testing.T) {
	lines := []string{
		"get a revision=1 serializable", "update a rv=last lease=g size=40", "compact 1 physical",
		"list all limit=1 startKey=a sort=mod minMod=1 maxMod=1 minCreate=1 maxCreate=1 countOnly keysOnly",
		"watch all startRevision=1 on=w id=2 noput nodelete fragment prevKV progress",
	}
	kube := []string{
		"create a/x generateName finalizers=f dryRun", "update a/x uid=1 status", "patch a/x type=apply force noop", "patch a/x clearFinalizers type=merge", "patch a/x type=json",
		"list all resourceVersion=1 match=Exact labelSelector=x fieldSelector=y encoding=metadata", "list all encoding=table",
		"watch all sendInitialEvents=true allowWatchBookmarks timeoutSeconds=1 slow encoding=protobuf",
	}
	known := strings.Fields(strings.Join(append(kube, lines...), " "))
	for _, word := range known {
		known = append(known, strings.Split(word, "=")[0])
	}
	for name := range options {
		if !slices.Contains(known, name) {
			t.Errorf("no plan of this test has the option %q", name)
		}
	}
	for layer, lines := range map[string][]string{"etcd": append([]string{"g: grant ttl=5", "w: watch all"}, lines...), "kube": kube} {
		text := "# rvcheck plan v1 · layer " + layer + "\nc1    " + strings.Join(lines, "\nc1    ") + "\n"
		if _, err := plans.Parse(text, "plan"); err != nil {
			t.Error(err)
		}
	}
}

func TestRead(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("early.plan", "# rvcheck plan v1 · layer etcd\nc1    create a\n")
	write("bad.plan", "nothing\n")
	file, err := Read(write("known.txt", good))
	if err != nil {
		t.Fatal(err)
	}
	if file.Waivers[0].Plan == nil || len(file.Waivers[0].Plan.Steps) != 1 || file.Waivers[1].Plan != nil {
		t.Errorf("got the plans %v and %v", file.Waivers[0].Plan, file.Waivers[1].Plan)
	}
	for _, plan := range []string{"missing.plan", "bad.plan"} {
		_, err := Read(write("wrong.txt", "watch fails reason=x plan="+plan+"\n"))
		var bad Errors
		if !errors.As(err, &bad) || bad[0].Line != 1 || !strings.Contains(err.Error(), plan) ||
			strings.Count(err.Error(), planExpected) != 1 {
			t.Errorf("got %v, expected an error about %s", err, plan)
		}
	}
	if _, err := Read(filepath.Join(folder, "nothing.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, expected an error about the file", err)
	}
}

func TestErrorsQuoteLittle(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, line := range []string{
		long + "=y fails reason=x", "watch " + long, "watch fails reason=x until=" + long, "watch op=" + long,
		"watch fails reason=\"" + long, "watch fails reason=\"x\"" + long, "watch fails reason=x " + long + "=1",
	} {
		_, err := Parse(line+"\n", "known.txt")
		if err == nil || len(err.Error()) > 600 {
			t.Errorf("got an error of %d bytes: %.100v", len(fmt.Sprint(err)), err)
		}
	}
}

func TestReadOnlyRegularFiles(t *testing.T) {
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "expected a regular file") {
		t.Errorf("got %v", err)
	}
}

// The files of this repository can be read, and name properties that there are.
func TestFilesOfThisRepository(t *testing.T) {
	var names []string
	for _, pattern := range []string{"../../known-failing/*.txt", "../../testbed/known-failing/*.txt"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no files: %v", pattern, err)
		}
		names = append(names, found...)
	}
	for _, name := range names {
		file, err := Read(name)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range file.Waivers {
			if !slices.ContainsFunc(models.Catalogue(), func(p models.Property) bool { return p.ID == w.Pattern }) {
				t.Errorf("%s:%d: %s is no property", name, w.Line, w.Pattern)
			}
		}
	}
}

// A waiver that was written is the one that is read.
func TestString(t *testing.T) {
	for _, want := range []Waiver{
		{Pattern: "watch/prev", Mode: Flaky, Reason: `says "no" # and \ more`},
		{Pattern: "list", Kinds: []histories.Kind{histories.List, histories.Watch}, Options: []string{"limit", "revision"}, Mode: Fails, Reason: "x", PlanFile: "a b.plan"},
		{Pattern: "w/*", Mode: Fails, Reason: "x", Link: "https://example.org/#1", Until: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC), PlanFile: "f/a.plan"},
	} {
		file, err := Parse(want.String()+"\n", "known.txt")
		if err != nil {
			t.Errorf("%s: %v", want.String(), err)
			continue
		}
		want.Line = 1
		if diff := cmp.Diff(want, file.Waivers[0]); diff != "" {
			t.Errorf("%s: -want +got\n%s", want.String(), diff)
		}
	}
}

func TestNarrow(t *testing.T) {
	var one, two Waiver
	get := histories.Request{Kind: histories.Get, CountOnly: true, Revision: 3}
	one.Narrow([]histories.Request{get})
	two.Narrow([]histories.Request{{Kind: histories.Watch, PrevKV: true}, get, get})
	if got := one.String(); !strings.Contains(got, "op=get countOnly revision") {
		t.Errorf("got %q", got)
	}
	if got := two.String(); !strings.Contains(got, "op=get,watch") || strings.Contains(got, "prevKV") {
		t.Errorf("got %q", got)
	}
}
