package drawing

import (
	"slices"
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/evidence"
	"github.com/rvcheck/rvcheck/models"
)

// Sheet is one history as a time line.
type Sheet struct {
	// Name is the file of the history.
	Name string `json:"name"`
	// Target is what the history was recorded of, Server its version.
	Target string `json:"target"`
	Server string `json:"server"`
	// Plan are the lines of the plan; they are printable, but not only ASCII, so that
	// the plan can be run again.
	Plan []string `json:"plan"`
	// Commands are what to go on with, empty where the sheet's maker knows none.
	Commands []string `json:"commands"`
	// Lanes are the clients in the order of their names, then the run's own, then the
	// streams in the order in which they were opened.
	Lanes []Lane `json:"lanes"`
	// Calls are in the order in which they began, Events in the order of arrival.
	Calls    []Call    `json:"calls"`
	Events   []Event   `json:"events"`
	Notices  []Notice  `json:"notices"`
	Findings []Finding `json:"findings"`
}

// Lane is one client or one stream.
type Lane struct {
	Name string `json:"name"`
	// Watch is the operation that opened the stream, zero for a client.
	Watch int `json:"watch,omitempty"`
	// Client is the client itself, or the one that opened the stream.
	Client string `json:"client"`
	// Own: the run added it, to observe or to end the plan.
	Own bool `json:"own,omitempty"`
}

// Call is one operation from its call to its return.
type Call struct {
	ID int `json:"id"`
	// Line is the line of the plan, zero when the run added the operation itself.
	Line  int    `json:"line,omitempty"`
	Label string `json:"label,omitempty"`
	// Lane is an index of Sheet.Lanes.
	Lane int `json:"lane"`
	// Begin and End are nanoseconds since the start of the plan; End is Open where no
	// answer came.
	Begin     int64  `json:"begin"`
	End       int64  `json:"end"`
	Operation string `json:"operation"`
	Answer    string `json:"answer"`
	Outcome   string `json:"outcome"`
	// Revision is the one in the answer, zero without. It is a string in JSON, whose
	// readers have no integers of 64 bits.
	Revision histories.Revision `json:"revision,omitempty"`
	// Findings are indexes of Sheet.Findings.
	Findings []int `json:"findings,omitempty"`
}

// Open stands for the return of a call that has none.
const Open int64 = -1

// EventKind says what an event of a stream is, as far as a drawing minds.
type EventKind string

// The kinds of events.
const (
	Change   EventKind = "change"
	Progress EventKind = "progress"
	End      EventKind = "end"
)

// Event is one event of a stream, or its end.
type Event struct {
	Lane     int                `json:"lane"`
	Time     int64              `json:"time"`
	Kind     EventKind          `json:"kind"`
	Text     string             `json:"text"`
	Revision histories.Revision `json:"revision,omitempty"`
	Findings []int              `json:"findings,omitempty"`
}

// Notice is a fault that was injected, or a remark of the run.
type Notice struct {
	Time int64  `json:"time"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// New lays a history out; name is its file.
func New(name string, h *histories.History, findings []Finding) *Sheet {
	b := &builder{history: h, sheet: &Sheet{
		Name: name, Target: Plain(h.Header.Target), Server: Plain(h.Header.Server),
		Plan: planLines(h.Plan), Findings: findings,
	}}
	b.lanes()
	b.calls()
	b.events()
	b.notices()
	return b.sheet
}

// builder fills a sheet.
type builder struct {
	history *histories.History
	sheet   *Sheet
	clients map[string]int // lanes by client
	streams map[int]int    // lanes by watch
}

func (b *builder) lanes() {
	b.clients, b.streams = make(map[string]int), make(map[int]int)
	for _, client := range b.names() {
		b.clients[client] = len(b.sheet.Lanes)
		b.sheet.Lanes = append(b.sheet.Lanes, Lane{Name: Plain(client), Client: Plain(client), Own: own(client)})
	}
	for i := range b.history.Streams {
		op := b.history.Operation(b.history.Streams[i].Op)
		if op == nil {
			continue
		}
		b.streams[op.ID] = len(b.sheet.Lanes)
		b.sheet.Lanes = append(b.sheet.Lanes, Lane{
			Name: streamName(op), Watch: op.ID, Client: Plain(op.Client), Own: own(op.Client),
		})
	}
}

// names are the clients: those of the plan by name, numbers by their size, then the
// run's own.
func (b *builder) names() []string {
	seen := make(map[string]bool)
	var names []string
	for i := range b.history.Operations {
		if client := b.history.Operations[i].Client; !seen[client] {
			seen[client] = true
			names = append(names, client)
		}
	}
	slices.SortFunc(names, compareClients)
	return names
}

func compareClients(a, b string) int {
	switch {
	case own(a) != own(b) && own(b):
		return -1
	case own(a) != own(b):
		return 1
	case len(a) != len(b):
		return len(a) - len(b) // c2 before c10
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

func own(client string) bool {
	return client == histories.WitnessClient || client == histories.ClosingClient || client == histories.InformerClient
}

// streamName is how a drawing refers to a stream: by its label, its client where the
// run opened it, its line in the plan, else its id.
func streamName(op *histories.Operation) string {
	switch {
	case op.Label != "":
		return Plain(op.Label)
	case own(op.Client):
		return Plain(op.Client) + "*"
	case op.Line > 0:
		return "L" + strconv.Itoa(op.Line)
	default:
		return "#" + strconv.Itoa(op.ID)
	}
}

func (b *builder) calls() {
	for i := range b.history.Operations {
		op := &b.history.Operations[i]
		concerns := b.concerned(op.ID)
		call := Call{
			ID: op.ID, Line: op.Line, Label: Plain(op.Label), Lane: b.clients[op.Client], Begin: op.Call, End: op.Return,
			Operation: Plain(evidence.Call(b.history, op)), Answer: Plain(evidence.Answer(b.history, op, b.focus(concerns))),
			Outcome: string(op.Answer.Outcome), Revision: op.Answer.Revision, Findings: concerns,
		}
		if op.Return == histories.Never {
			call.End = Open
		}
		b.sheet.Calls = append(b.sheet.Calls, call)
	}
	slices.SortStableFunc(b.sheet.Calls, func(x, y Call) int { return sign(x.Begin - y.Begin) })
}

// concerned are the findings that an operation belongs to.
func (b *builder) concerned(op int) []int {
	var found []int
	for i := range b.sheet.Findings {
		if slices.Contains(b.sheet.Findings[i].Operations, op) {
			found = append(found, i)
		}
	}
	return found
}

// focus is what a long answer is cut around: the first finding that it belongs to.
func (b *builder) focus(concerns []int) models.Finding {
	if len(concerns) == 0 {
		return models.Finding{}
	}
	return b.sheet.Findings[concerns[0]].focus
}

func (b *builder) events() {
	for i := range b.history.Streams {
		stream := &b.history.Streams[i]
		if lane, known := b.streams[stream.Op]; known {
			b.stream(stream, lane)
		}
	}
	slices.SortStableFunc(b.sheet.Events, func(x, y Event) int { return sign(x.Time - y.Time) })
}

func (b *builder) stream(stream *histories.Stream, lane int) {
	first := len(b.sheet.Events)
	for i := range stream.Events {
		e := &stream.Events[i]
		shown := Event{Lane: lane, Time: e.Time, Kind: Change, Text: Plain(evidence.Event(e)), Revision: e.Object.RV}
		if e.Type == histories.ProgressEvent {
			shown.Kind, shown.Revision = Progress, e.Header
		}
		b.sheet.Events = append(b.sheet.Events, shown)
	}
	if end := stream.End; end != nil {
		b.sheet.Events = append(b.sheet.Events, Event{
			Lane: lane, Time: end.Time, Kind: End, Text: Plain(evidence.End(end)), Revision: end.CompactRevision,
		})
	}
	for _, finding := range b.concerned(stream.Op) {
		mark(b.sheet.Events[first:], finding, b.sheet.Findings[finding].Revision)
	}
}

// mark marks the events at the revision of a finding, or, where there is none, the
// first one beyond: there it should have been.
func mark(events []Event, finding int, revision histories.Revision) {
	if revision == 0 {
		return
	}
	found := false
	for i := range events {
		if events[i].Revision == revision {
			events[i].Findings = append(events[i].Findings, finding)
			found = true
		}
	}
	if found {
		return
	}
	if i := slices.IndexFunc(events, func(e Event) bool { return e.Revision > revision }); i >= 0 {
		events[i].Findings = append(events[i].Findings, finding)
	}
}

func (b *builder) notices() {
	for i := range b.history.Faults {
		f := &b.history.Faults[i]
		b.sheet.Notices = append(b.sheet.Notices, Notice{Time: f.Time, Kind: "fault", Text: Plain(faultText(f))})
	}
	for i := range b.history.Notes {
		n := &b.history.Notes[i]
		b.sheet.Notices = append(b.sheet.Notices, Notice{Time: n.Time, Kind: Plain(n.Kind), Text: Plain(noteText(n))})
	}
	slices.SortStableFunc(b.sheet.Notices, func(x, y Notice) int { return sign(x.Time - y.Time) })
}

func sign(n int64) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	default:
		return 0
	}
}
