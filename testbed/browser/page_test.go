package browser

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/drawing"
	"github.com/rvcheck/rvcheck/internal/drawing/page"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/timeline"
)

// recorded is a history of a run that failed.
func recorded(t *testing.T) *histories.History {
	t.Helper()
	name := filepath.FromSlash("../../internal/drawing/terminal/testdata/tombstone.history.jsonl.zst")
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	h, err := histories.Read(file, name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func sheet(name string, h *histories.History, found []models.Finding) *drawing.Sheet {
	return drawing.New(name, h, drawing.Findings(found))
}

// written is the file of a page.
func written(t *testing.T, p page.Page) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Write(file, p); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestTheViolationIsReadAndFiltered does what somebody does who got a report.
func TestTheViolationIsReadAndFiltered(t *testing.T) {
	h := recorded(t)
	found := timeline.Judge(h).Findings
	h.Faults = append(h.Faults, histories.Fault{Time: h.Operations[20].Call, Action: "kill", Args: map[string]string{"member": "1"}})
	second := found[0]
	second.Property, second.Allowed = "watch/ordered", "something else"
	s := sheet("recorded", h, append(found, second))
	b := open(t, written(t, page.Page{Title: "a report", Sheets: []*drawing.Sheet{s}}))
	b.picture("violation")

	// The violation stands on top.
	b.shows("#finding h2", "watch/no-gap (MUST)")
	b.shows("#finding .allowed", s.Findings[0].Allowed)
	b.shows("#finding .observed", s.Findings[0].Observed)
	b.shows("#finding .explanation", s.Findings[0].Explanation)

	// An operation of it is selected with a click.
	b.shows("#details", "Point at an operation")
	b.click("table.involved tbody tr:nth-child(1)")
	b.shows("#details", "d18: delete k3")
	b.shows("#details", "belongs to the violation of watch/no-gap, watch/ordered")

	// Clients are hidden and shown again.
	total := fmt.Sprintf("of %d calls", len(s.Calls))
	b.shows("#count", fmt.Sprintf("shown: %d %s", len(s.Calls), total))
	b.click(`#clients input[value="c4"]`)
	left := 0
	for _, c := range s.Calls {
		if s.Lanes[c.Lane].Name != "c4" {
			left++
		}
	}
	b.shows("#count", fmt.Sprintf("shown: %d %s", left, total))
	b.picture("filtered")
	// Whoever asks for an operation of a hidden client gets it.
	b.click("table.involved tbody tr:nth-child(1)")
	b.shows("#count", fmt.Sprintf("shown: %d %s", len(s.Calls), total))

	// Another property is chosen.
	b.run(chromedp.SetValue(chromedp.CSS("#property"), "1"),
		chromedp.Evaluate[chromedp.Void](`document.getElementById("property").dispatchEvent(new Event("change"))`))
	b.shows("#finding h2", "watch/ordered")
	b.shows("#finding .allowed", "something else")
}

// TestKeysAndPointer reach every operation without and with a mouse.
func TestKeysAndPointer(t *testing.T) {
	h := recorded(t)
	s := sheet("recorded", h, timeline.Judge(h).Findings)
	b := open(t, written(t, page.Page{Title: "a report", Sheets: []*drawing.Sheet{s}}))
	b.run(chromedp.Focus(chromedp.CSS("#lanes")), chromedp.KeyEvent("v"))
	b.shows("#details", "belongs to the violation")
	b.run(chromedp.KeyEvent(kb.Home))
	for _, key := range []string{kb.ArrowRight, kb.ArrowDown, kb.ArrowUp, kb.ArrowLeft, "+", "-", "0"} {
		b.run(chromedp.KeyEvent(key))
		b.shows("#details", "ms")
	}
	b.run(chromedp.KeyEvent(kb.Escape))
	b.shows("#details", "Point at an operation")

	// The axis of time, and back.
	b.click(`input[name="axis"][value="time"]`)
	b.picture("time")
	b.click(`input[name="axis"][value="order"]`)
	b.click("#all")

	// The pointer finds what is drawn below it.
	box := get(b, chromedp.Evaluate[map[string]float64](`document.getElementById("lanes").getBoundingClientRect().toJSON()`))
	hit := false
	for x := box["x"] + 100; x < box["right"] && !hit; x += 6 {
		b.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, box["y"]+40+12))
		hit = strings.Contains(b.text("#details"), "c1")
	}
	if !hit {
		t.Error("the pointer found nothing in the lane of c1")
	}
	call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMouseWheel, X: box["x"] + 300, Y: box["y"] + 80, DeltaX: 1, DeltaY: -200, Modifiers: 2, // Ctrl
	})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	})
	b.picture("dark")
	b.run(chromedp.EmulateViewport(480, 800))
	b.picture("narrow")
}

// TestNothingHostileRuns has every text that a store or a client chooses be markup.
func TestNothingHostileRuns(t *testing.T) {
	hostile := "</script><script>alert(1)</script><img src=x onerror=alert(2)>\x00\xff"
	h := recorded(t)
	h.Header.Target, h.Header.Server = hostile, hostile
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Client == "c1" {
			op.Client = hostile
		}
		op.Request.Key.Name += hostile
	}
	found := []models.Finding{{
		Property: "watch/no-gap", Operations: []int{3, 4}, Allowed: hostile, Observed: hostile, Explanation: hostile,
	}}
	b := open(t, written(t, page.Page{
		Title: hostile, Sheets: []*drawing.Sheet{sheet(hostile, h, found)},
		Report: &page.Report{Verdict: hostile, Run: hostile, Properties: []page.Property{{ID: hostile, Status: hostile}}, Remarks: []string{hostile}},
	}))
	b.click("table.involved tbody tr:nth-child(1)")
	b.shows("#details", "<script>alert(1)</script>")
	scripts := get(b, chromedp.Evaluate[int](`document.scripts.length`))
	images := get(b, chromedp.Evaluate[int](`document.images.length`))
	if scripts != 2 || images != 0 {
		t.Errorf("%d scripts and %d images, expected 2 and 0", scripts, images)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.requests) != 1 {
		t.Errorf("the page asked for %q; expected only itself", b.requests)
	}
}

// usable is within how many milliseconds a page answers.
const usable = 2000

// TestFiveThousandOperations measures how soon a large page can be used: drawn, and a
// click answered. On a machine that others use too, only the processor's time of the
// page tells anything, so a load that was slow by the clock alone is no failure.
func TestFiveThousandOperations(t *testing.T) {
	s := large(t)
	file := written(t, page.Page{Title: "large", Sheets: []*drawing.Sheet{s}})
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, file)
	call(b, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	var clock, processor []int
	for range 5 {
		clock = append(clock, b.load(file)+answer(b))
		processor = append(processor, b.working())
	}
	b.picture("large")
	t.Logf("%d calls and %d events in %d lanes, %d KiB: usable after %d ms, %d ms of a processor",
		len(s.Calls), len(s.Events), len(s.Lanes), info.Size()>>10, clock, processor)
	if slices.Min(clock) > usable && slices.Min(processor) > usable {
		t.Errorf("usable after %d ms, %d ms of a processor; expected at most %d", clock, processor, usable)
	}
}

// answer is how many milliseconds the page takes from a click on an operation until
// it has drawn it selected.
func answer(b *tab) int {
	b.t.Helper()
	return int(get(b, chromedp.Evaluate[float64](`new Promise(done => {
		const began = performance.now();
		document.querySelector("table.involved tbody tr").click();
		document.getElementById("all").click();
		requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)));
	})`, chromedp.EvalAwaitPromise)))
}

// large is a history of 5,000 operations with a violation.
func large(t *testing.T) *drawing.Sheet {
	t.Helper()
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 5000))
		h := simulation.Generate(rng, simulation.Draw(rng, 32, 5000))
		for _, damage := range simulation.Damages() {
			if damage.Property != models.WatchNoGap {
				continue
			}
			damaged := simulation.Clone(h)
			if !damage.Apply(rng, damaged) {
				continue
			}
			if found := timeline.Judge(damaged).Findings; len(found) > 0 && len(damaged.Operations) >= 5000 {
				return sheet("large", damaged, found)
			}
		}
	}
	t.Fatal("no simulated history with a violation")
	return nil
}
