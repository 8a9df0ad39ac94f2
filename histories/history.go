package histories

import (
	"cmp"
	"slices"
)

// FormatVersion is the version of the file format that this package writes.
const FormatVersion = 1

// Layer is the interface that was spoken to the store.
type Layer string

// The layers.
const (
	EtcdLayer    Layer = "etcd"
	StorageLayer Layer = "storage"
	KubeLayer    Layer = "kube"
)

// World says who else writes in the run's scope.
type World string

// The worlds.
const (
	// Closed: nobody else writes in the run's scope.
	Closed World = "closed"
	// Open: others write too; their effects are taken from streams, never blamed.
	Open World = "open"
)

// Header is a history's first record.
type Header struct {
	Format int
	// Run identifies the run, Plan counts its plans from 1.
	Run   string
	Plan  int
	Layer Layer
	// Target is the URL as the user gave it, without credentials.
	Target string
	// Command is what the run started the server with, without passwords; nil where it
	// started none.
	Command []string
	// Server is the version that the server reported.
	Server string
	// Profile names what the target promises.
	Profile string
	World   World
	// Exclusive: nobody else compacts the store. Without it an unowed "compacted"
	// cannot be judged.
	Exclusive bool
	Seed      uint64
	// Options are the expanded options of the run.
	Options map[string]string
	// Unsupported names what the target cannot do, each with the reason.
	Unsupported map[string]string
	// ClockUncertainty in nanoseconds: calls nearer than this count as concurrent.
	ClockUncertainty int64
	Extra            Extra
}

// History is everything that one plan's execution recorded.
type History struct {
	Header Header
	// Plan is the text form of the plan.
	Plan string
	// PlanExtra is what a file's plan record holds beyond the text.
	PlanExtra  Extra
	Operations []Operation // by ascending ID
	// Streams are the watches that the store accepted or that delivered anything,
	// by ascending Op.
	Streams []Stream
	Faults  []Fault
	Notes   []Note
	// Truncated says that the file ended in the middle of a record, as a killed
	// run leaves it.
	Truncated bool
}

// Operation returns the operation with this id, nil if there is none.
func (h *History) Operation(id int) *Operation {
	if id >= 1 && id <= len(h.Operations) && h.Operations[id-1].ID == id {
		return &h.Operations[id-1]
	}
	i, found := slices.BinarySearchFunc(h.Operations, id, func(op Operation, id int) int { return cmp.Compare(op.ID, id) })
	if !found {
		return nil
	}
	return &h.Operations[i]
}

// Stream returns the stream that this watch operation opened, nil if there is none.
func (h *History) Stream(op int) *Stream {
	i, found := slices.BinarySearchFunc(h.Streams, op, func(s Stream, op int) int { return cmp.Compare(s.Op, op) })
	if !found {
		return nil
	}
	return &h.Streams[i]
}
