package plans

import (
	"math"
	"slices"
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
)

// option is one "name=value", or a bare "name" that switches something on. The
// labels of an object are one too, its name being the opening brace.
type option struct {
	name string
	// token is what the name is, a word as a rule.
	token tokenKind
	// kinds may have the option, on the layers where reach holds.
	kinds []histories.Kind
	reach reach
	// required kinds must have it.
	required []histories.Kind
	read     func(*cursor, *Op) *Error
	// write gives the text form, empty when the option is not set.
	write func(Op) string
	// clear unsets it.
	clear func(*Op)
	// nested: transactions allow it to the operations inside them.
	nested bool
	// flag: no "=" follows the name.
	flag bool
}

// reach says on which layers an option exists.
type reach int

const (
	everywhere reach = iota
	etcdOnly
	kubeOnly
)

func (r reach) includes(layer histories.Layer) bool {
	return r == everywhere || (r == etcdOnly) == (layer == histories.EtcdLayer)
}

func (r reach) String() string {
	if r == etcdOnly {
		return "the etcd layer"
	}
	return "the storage and kube layers"
}

// options are all options, in the order in which Format writes them.
var options = []option{
	refOption("rv", everywhere, revisionRefs, func(o *Op) *Ref { return &o.Expect }, histories.Update, histories.Delete, histories.Patch).
		requiredBy(histories.Update),
	refOption("uid", kubeOnly, []RefKind{UIDOf, Last}, func(o *Op) *Ref { return &o.UID },
		histories.Update, histories.Patch, histories.Delete),
	patchOption,
	labelsOption,
	refOption("revision", etcdOnly, revisionRefs, func(o *Op) *Ref { return &o.Revision }, ranges...).inTxn(),
	refOption("startRevision", etcdOnly, revisionRefs, func(o *Op) *Ref { return &o.StartRevision }, histories.Watch),
	refOption("resourceVersion", kubeOnly, revisionRefs, func(o *Op) *Ref { return &o.ResourceVersion }, answers...),
	textOption("rawResourceVersion", kubeOnly, func(o *Op) *string { return &o.RawResourceVersion }, answers...),
	textOption("match", kubeOnly, func(o *Op) *string { return &o.Match }, histories.List, histories.Next, histories.Watch),
	textOption("labelSelector", kubeOnly, func(o *Op) *string { return &o.LabelSelector }, selective...),
	textOption("fieldSelector", kubeOnly, func(o *Op) *string { return &o.FieldSelector }, selective...),
	textOption("encoding", kubeOnly, func(o *Op) *string { return &o.Encoding }, answers...),
	numberOption("limit", everywhere, math.MinInt64, func(o *Op) *int64 { return &o.Limit }, histories.List, histories.Next).inTxn(),
	startKeyOption,
	sortOption,
	refOption("minMod", etcdOnly, revisionRefs, func(o *Op) *Ref { return &o.MinMod }, ranges...).inTxn(),
	refOption("maxMod", etcdOnly, revisionRefs, func(o *Op) *Ref { return &o.MaxMod }, ranges...).inTxn(),
	refOption("minCreate", etcdOnly, revisionRefs, func(o *Op) *Ref { return &o.MinCreate }, ranges...).inTxn(),
	refOption("maxCreate", etcdOnly, revisionRefs, func(o *Op) *Ref { return &o.MaxCreate }, ranges...).inTxn(),
	flagOption("countOnly", etcdOnly, func(o *Op) *bool { return &o.CountOnly }, ranges...).inTxn(),
	flagOption("keysOnly", etcdOnly, func(o *Op) *bool { return &o.KeysOnly }, ranges...).inTxn(),
	flagOption("serializable", etcdOnly, func(o *Op) *bool { return &o.Serializable }, ranges...).inTxn(),
	onOption,
	numberOption("id", etcdOnly, math.MinInt64, func(o *Op) *int64 { return &o.ID }, histories.Watch, histories.LeaseGrant),
	flagOption("noput", etcdOnly, func(o *Op) *bool { return &o.NoPut }, histories.Watch),
	flagOption("nodelete", etcdOnly, func(o *Op) *bool { return &o.NoDelete }, histories.Watch),
	flagOption("fragment", etcdOnly, func(o *Op) *bool { return &o.Fragment }, histories.Watch),
	flagOption("prevKV", etcdOnly, func(o *Op) *bool { return &o.PrevKV }, histories.Watch, histories.DeleteRange).inTxn(),
	flagOption("progress", etcdOnly, func(o *Op) *bool { return &o.ProgressNotify }, histories.Watch),
	flagOption("allowWatchBookmarks", kubeOnly, func(o *Op) *bool { return &o.AllowWatchBookmarks }, histories.Watch),
	initialEventsOption,
	numberOption("timeoutSeconds", kubeOnly, 0, func(o *Op) *int64 { return &o.TimeoutSeconds }, histories.List, histories.Watch),
	flagOption("physical", etcdOnly, func(o *Op) *bool { return &o.Physical }, histories.Compact),
	sizeOption,
	leaseOption,
	ttlOption,
	textOption("finalizers", kubeOnly, func(o *Op) *string { return &o.Finalizers }, histories.Create, histories.Update, histories.Patch),
	flagOption("clearFinalizers", kubeOnly, func(o *Op) *bool { return &o.ClearFinalizers }, histories.Patch),
	flagOption("force", kubeOnly, func(o *Op) *bool { return &o.Force }, histories.Patch),
	flagOption("noop", kubeOnly, func(o *Op) *bool { return &o.NoOp }, histories.Patch),
	flagOption("status", kubeOnly, func(o *Op) *bool { return &o.Status }, histories.Update, histories.Patch),
	flagOption("generateName", kubeOnly, func(o *Op) *bool { return &o.GenerateName }, histories.Create),
	flagOption("damaged", kubeOnly, func(o *Op) *bool { return &o.Damaged }, histories.Next),
	flagOption("slow", kubeOnly, func(o *Op) *bool { return &o.Slow }, histories.Watch),
	flagOption("dryRun", kubeOnly, func(o *Op) *bool { return &o.DryRun },
		histories.Create, histories.Update, histories.Patch, histories.Delete, histories.DeleteCollection),
}

var labelsOption = option{
	name: "{", token: mark, flag: true, nested: true,
	kinds: []histories.Kind{histories.Create, histories.Update, histories.Put, histories.LeaseAttach, histories.Patch},
	read: func(c *cursor, o *Op) (err *Error) {
		o.Labels, err = c.labels()
		return err
	},
	write: func(o Op) string { return formatLabels(o.Labels) },
	clear: func(o *Op) { o.Labels = nil },
}

var startKeyOption = option{
	name: "startKey", kinds: []histories.Kind{histories.List}, reach: etcdOnly, nested: true,
	read: func(c *cursor, o *Op) (err *Error) {
		o.Start, err = c.string(keyForm)
		o.HasStart = true
		return err
	},
	write: func(o Op) string {
		if !o.HasStart {
			return ""
		}
		return "startKey=" + quote(o.Start)
	},
	clear: func(o *Op) { o.Start, o.HasStart = "", false },
}

// selective operations may have selectors.
var selective = []histories.Kind{histories.List, histories.Watch, histories.DeleteCollection}

// patchOption is the type of a patch, merge where it is missing.
var patchOption = option{
	name: "type", kinds: patches, reach: kubeOnly,
	read: func(c *cursor, o *Op) (err *Error) {
		o.Patch, err = c.oneOf([]string{histories.MergePatch, histories.JSONPatch, histories.ApplyPatch})
		return err
	},
	write: func(o Op) string {
		if o.Patch == "" {
			return ""
		}
		return "type=" + o.Patch
	},
	clear: func(o *Op) { o.Patch = "" },
}

var (
	ranges      = []histories.Kind{histories.Get, histories.List}
	sortTargets = []string{
		string(histories.SortByKey), string(histories.SortByVersion), string(histories.SortByCreate),
		string(histories.SortByMod), string(histories.SortByValue),
	}
	sortOrders = []string{string(histories.Ascend), string(histories.Descend)}
)

// sortOption is "sort=mod" or "sort=mod:descend".
var sortOption = option{
	name: "sort", kinds: ranges, reach: etcdOnly, nested: true,
	read: func(c *cursor, o *Op) *Error {
		target, err := c.oneOf(sortTargets)
		if err != nil {
			return err
		}
		o.Sort = histories.SortTarget(target)
		if !c.accept(":") {
			return nil
		}
		order, err := c.oneOf(sortOrders)
		o.Order = histories.SortOrder(order)
		return err
	},
	write: func(o Op) string {
		switch {
		case o.Sort == "":
			return ""
		case o.Order == "":
			return "sort=" + string(o.Sort)
		}
		return "sort=" + string(o.Sort) + ":" + string(o.Order)
	},
	clear: func(o *Op) { o.Sort, o.Order = "", "" },
}

var onOption = option{
	name: "on", kinds: watches, reach: etcdOnly,
	read: func(c *cursor, o *Op) (err *Error) {
		o.On, err = c.name("the label of a watch")
		return err
	},
	write: func(o Op) string {
		if o.On == "" {
			return ""
		}
		return "on=" + o.On
	},
	clear: func(o *Op) { o.On = "" },
}

var initialEventsOption = option{
	name: "sendInitialEvents", kinds: watches, reach: kubeOnly,
	read: func(c *cursor, o *Op) *Error {
		yes := c.acceptWord("true")
		if !yes && !c.acceptWord("false") {
			return complain("true or false", "%s", c.here())
		}
		o.SendInitialEvents = &yes
		return nil
	},
	write: func(o Op) string {
		if o.SendInitialEvents == nil {
			return ""
		}
		return "sendInitialEvents=" + strconv.FormatBool(*o.SendInitialEvents)
	},
	clear: func(o *Op) { o.SendInitialEvents = nil },
}

// sizeOption counts bytes; the bound is far above every store's limit.
var sizeOption = option{
	name: "size",
	kinds: []histories.Kind{
		histories.Create, histories.Update, histories.Put, histories.LeaseAttach, histories.Patch, FillKind,
	}, nested: true,
	read: func(c *cursor, o *Op) *Error {
		n, err := c.number("a number of bytes up to 1073741824", 0, 1<<30)
		o.Size = int(n)
		return err
	},
	write: func(o Op) string {
		if o.Size == 0 {
			return ""
		}
		return "size=" + strconv.Itoa(o.Size)
	},
	clear: func(o *Op) { o.Size = 0 },
}

// leaseOption is written after the key; keepalive, timetolive, revoke and expire
// have the lease as their argument instead.
var leaseOption = option{
	name: "lease", reach: etcdOnly, nested: true,
	kinds:    []histories.Kind{histories.Create, histories.Update, histories.Put, histories.LeaseAttach},
	required: []histories.Kind{histories.LeaseAttach},
	read: func(c *cursor, o *Op) (err *Error) {
		o.Lease, err = c.lease()
		return err
	},
	write: func(o Op) string {
		if o.Lease == "" {
			return ""
		}
		return "lease=" + o.Lease
	},
	clear: func(o *Op) { o.Lease = "" },
}

var ttlOption = option{
	name: "ttl", kinds: grants, required: grants, reach: etcdOnly,
	read: func(c *cursor, o *Op) (err *Error) {
		o.TTL, err = c.number("a number of seconds", math.MinInt64, math.MaxInt64)
		return err
	},
	write: func(o Op) string { return "ttl=" + strconv.FormatInt(o.TTL, 10) },
	clear: func(o *Op) { o.TTL = 0 },
}

func refOption(name string, on reach, refs []RefKind, field func(*Op) *Ref, kinds ...histories.Kind) option {
	return option{
		name: name, kinds: kinds, reach: on,
		clear: func(o *Op) { *field(o) = Ref{} },
		read: func(c *cursor, o *Op) (err *Error) {
			*field(o), err = c.ref(refs...)
			return err
		},
		write: func(o Op) string {
			if field(&o).Kind == Unset {
				return ""
			}
			return name + "=" + field(&o).String()
		},
	}
}

func textOption(name string, on reach, field func(*Op) *string, kinds ...histories.Kind) option {
	return option{
		name: name, kinds: kinds, reach: on,
		clear: func(o *Op) { *field(o) = "" },
		read: func(c *cursor, o *Op) (err *Error) {
			*field(o), err = c.string("a text, quoted if it has unusual characters")
			return err
		},
		write: func(o Op) string {
			if *field(&o) == "" {
				return ""
			}
			return name + "=" + quote(*field(&o))
		},
	}
}

func numberOption(name string, on reach, least int64, field func(*Op) *int64, kinds ...histories.Kind) option {
	expected := "a number"
	if least >= 0 {
		expected += " of at least " + strconv.FormatInt(least, 10)
	}
	return option{
		name: name, kinds: kinds, reach: on,
		clear: func(o *Op) { *field(o) = 0 },
		read: func(c *cursor, o *Op) (err *Error) {
			*field(o), err = c.number(expected, least, math.MaxInt64)
			return err
		},
		write: func(o Op) string {
			if *field(&o) == 0 {
				return ""
			}
			return name + "=" + strconv.FormatInt(*field(&o), 10)
		},
	}
}

func flagOption(name string, on reach, field func(*Op) *bool, kinds ...histories.Kind) option {
	return option{
		name: name, kinds: kinds, reach: on, flag: true,
		clear: func(o *Op) { *field(o) = false },
		write: func(o Op) string {
			if !*field(&o) {
				return ""
			}
			return name
		},
		read: func(_ *cursor, o *Op) *Error {
			*field(o) = true
			return nil
		},
	}
}

func (o option) requiredBy(kinds ...histories.Kind) option {
	o.required = kinds
	return o
}

func (o option) inTxn() option {
	o.nested = true
	return o
}

// String names the option for people.
func (o option) String() string {
	if o.token == mark {
		return "{labels}"
	}
	return o.name
}

// optionsOf are the options that an operation of this kind may have.
func optionsOf(kind histories.Kind, layer histories.Layer, nested bool) []option {
	var found []option
	for _, o := range options {
		if slices.Contains(o.kinds, kind) && o.reach.includes(layer) && (o.nested || !nested) {
			found = append(found, o)
		}
	}
	return found
}
