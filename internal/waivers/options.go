package waivers

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// etcdOptions are those of etcd, and what all layers have.
var etcdOptions = map[string]func(*histories.Request) bool{
	"rv":            func(r *histories.Request) bool { return r.Conditional },
	"revision":      func(r *histories.Request) bool { return r.Kind.IsRead() && r.Revision != 0 },
	"startRevision": func(r *histories.Request) bool { return r.StartRevision != 0 },
	"limit":         func(r *histories.Request) bool { return r.Limit != 0 },
	"startKey":      func(r *histories.Request) bool { return r.HasStart },
	"sort":          func(r *histories.Request) bool { return r.SortTarget != "" },
	"minMod":        func(r *histories.Request) bool { return r.MinModRevision != 0 },
	"maxMod":        func(r *histories.Request) bool { return r.MaxModRevision != 0 },
	"minCreate":     func(r *histories.Request) bool { return r.MinCreateRevision != 0 },
	"maxCreate":     func(r *histories.Request) bool { return r.MaxCreateRevision != 0 },
	"countOnly":     func(r *histories.Request) bool { return r.CountOnly },
	"keysOnly":      func(r *histories.Request) bool { return r.KeysOnly },
	"serializable":  func(r *histories.Request) bool { return r.Serializable },
	"on":            func(r *histories.Request) bool { return r.Transport != "" },
	"id":            func(r *histories.Request) bool { return r.WatchID != 0 },
	"noput":         func(r *histories.Request) bool { return slices.Contains(r.Filters, histories.NoPut) },
	"nodelete":      func(r *histories.Request) bool { return slices.Contains(r.Filters, histories.NoDelete) },
	"fragment":      func(r *histories.Request) bool { return r.Fragment },
	"prevKV":        func(r *histories.Request) bool { return r.PrevKV },
	"progress":      func(r *histories.Request) bool { return r.ProgressNotify },
	"physical":      func(r *histories.Request) bool { return r.Physical },
	"size":          func(r *histories.Request) bool { return r.Size != 0 },
	"lease":         func(r *histories.Request) bool { return r.Kind.IsWrite() && r.Lease != 0 },
}
