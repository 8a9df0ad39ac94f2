package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience bounds each wait for the browser. It is long, for machines that do much
// else; nothing here should take a tenth of it.
const patience = 2 * time.Minute

// tab is an open page, and what went wrong in it.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	trouble  []string
	requests []string
}

// open opens a file in a new browser. The test fails if the page complains: scripts
// that throw, what the content security policy refuses, dialogs.
func open(t *testing.T, file string) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1300, 1000))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(end)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil { // this starts the browser
		t.Fatalf("starting %s: %v", chromium(t), err)
	}
	t.Cleanup(b.complain)
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	b.load(file)
	return b
}

// chromium finds the browser, or skips the test.
func chromium(t *testing.T) string {
	t.Helper()
	name := os.Getenv("CHROMIUM")
	if name == "" {
		name = "chromium"
	}
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return path
	case os.Getenv("REQUIRE_CHROMIUM") != "":
		t.Fatalf("no browser: %v; expected chromium in PATH or its path in CHROMIUM", err)
	default:
		t.Skipf("no browser: %v; install chromium or set CHROMIUM", err)
	}
	return ""
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.trouble = append(b.trouble, fmt.Sprintf("%+v", e.ExceptionDetails))
	case *log.EventEntryAdded:
		b.trouble = append(b.trouble, fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text))
	case *page.EventJavascriptDialogOpening:
		b.trouble = append(b.trouble, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

func (b *tab) complain() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.trouble {
		b.t.Errorf("the page complains: %s", text)
	}
}

// run does what has no result.
func (b *tab) run(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, step := range steps {
		get(b, step)
	}
}

// get does something in the browser and returns its result.
func get[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	result, err := chromedp.Run(ctx, action)
	if err != nil {
		b.t.Fatalf("in the browser: %v", err)
	}
	return result
}

// call runs a command of the browser's protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		b.t.Fatalf("in the browser: %s: %v", command.Method, err)
	}
	return result
}

// working is how many milliseconds the page's thread has had a processor, for scripts,
// layout and drawing, since the page was loaded or longer.
func (b *tab) working() int {
	b.t.Helper()
	for _, metric := range call(b, performance.GetMetrics, cdp.Empty{}).Metrics {
		if metric.Name == "TaskDuration" {
			return int(metric.Value * 1000)
		}
	}
	b.t.Fatal("the browser has no metric TaskDuration")
	return 0
}

// load opens a file and waits until it answers; it returns the milliseconds that took
// since the browser began with it.
func (b *tab) load(file string) int {
	b.t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		b.t.Fatal(err)
	}
	b.run(chromedp.Navigate("file://"+path), chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
	return int(get(b, chromedp.Evaluate[float64](`Number(document.documentElement.dataset.ready)`)))
}

func (b *tab) text(selector string) string {
	b.t.Helper()
	return get(b, chromedp.Text(chromedp.CSS(selector)))
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.run(chromedp.Click(chromedp.CSS(selector)))
}

// shows waits until an element shows a text.
func (b *tab) shows(selector, part string) {
	b.t.Helper()
	text := ""
	for deadline := time.Now().Add(patience / 4); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if text = b.text(selector); strings.Contains(text, part) {
			return
		}
	}
	b.t.Fatalf("%s shows %q, expected %q", selector, text, part)
}

// picture leaves a screenshot in the folder that PICTURES names, for a look at it.
func (b *tab) picture(name string) {
	b.t.Helper()
	folder := os.Getenv("PICTURES")
	if folder == "" {
		return
	}
	png := get(b, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
