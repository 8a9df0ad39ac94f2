package histories

// RecordKind says what a line of a history file is.
type RecordKind string

// The kinds of records.
const (
	HeaderRecord RecordKind = "header"
	PlanRecord   RecordKind = "plan"
	InvokeRecord RecordKind = "invoke"
	ReturnRecord RecordKind = "return"
	EventRecord  RecordKind = "event"
	EndRecord    RecordKind = "end"
	FaultRecord  RecordKind = "fault"
	NoteRecord   RecordKind = "note"
)

var recordKinds = []RecordKind{
	HeaderRecord, PlanRecord, InvokeRecord, ReturnRecord, EventRecord, EndRecord, FaultRecord, NoteRecord,
}

// planLine, eventLine and endLine are the records that are not one struct of the
// vocabulary.
type (
	planLine struct {
		text  string
		extra Extra
	}
	eventLine struct {
		stream int
		event  Event
	}
	endLine struct {
		stream int
		end    End
	}
)

var headerLines = table[Header]{
	fields: []field[Header]{
		recordMember[Header](),
		member("format", func(v *Header) *int { return &v.Format }, format),
		member("run", func(v *Header) *string { return &v.Run }, text[string]()),
		member("plan", func(v *Header) *int { return &v.Plan }, integer[int]()),
		member("layer", func(v *Header) *Layer { return &v.Layer }, text[Layer]()),
		member("target", func(v *Header) *string { return &v.Target }, text[string]()),
		member("command", func(v *Header) *[]string { return &v.Command }, list(text[string]())),
		member("server", func(v *Header) *string { return &v.Server }, text[string]()),
		member("profile", func(v *Header) *string { return &v.Profile }, text[string]()),
		member("world", func(v *Header) *World { return &v.World }, text[World]()),
		member("exclusive", func(v *Header) *bool { return &v.Exclusive }, boolean),
		member("seed", func(v *Header) *uint64 { return &v.Seed }, unsigned),
		member("options", func(v *Header) *map[string]string { return &v.Options }, stringMap),
		member("unsupported", func(v *Header) *map[string]string { return &v.Unsupported }, stringMap),
		member("clockUncertainty", func(v *Header) *int64 { return &v.ClockUncertainty }, integer[int64]()),
	},
	extra: func(v *Header) *Extra { return &v.Extra },
}

var planLines = table[planLine]{
	fields: []field[planLine]{
		recordMember[planLine](),
		member("text", func(v *planLine) *string { return &v.text }, text[string]()),
	},
	extra: func(v *planLine) *Extra { return &v.extra },
}

var invokeLines = table[Operation]{
	fields: append([]field[Operation]{
		recordMember[Operation](),
		member("id", func(v *Operation) *int { return &v.ID }, integer[int]()),
		member("label", func(v *Operation) *string { return &v.Label }, text[string]()),
		member("line", func(v *Operation) *int { return &v.Line }, integer[int]()),
		member("client", func(v *Operation) *string { return &v.Client }, text[string]()),
		member("endpoint", func(v *Operation) *int { return &v.Endpoint }, integer[int]()),
		member("time", func(v *Operation) *int64 { return &v.Call }, integer[int64]()),
	}, embedded(func(v *Operation) *Request { return &v.Request }, requestTable)...),
	extra: func(v *Operation) *Extra { return &v.Request.Extra },
}

var returnLines = table[Operation]{
	fields: append([]field[Operation]{
		recordMember[Operation](),
		member("id", func(v *Operation) *int { return &v.ID }, integer[int]()),
		member("time", func(v *Operation) *int64 { return &v.Return }, integer[int64]()),
	}, embedded(func(v *Operation) *Answer { return &v.Answer }, answerTable)...),
	extra: func(v *Operation) *Extra { return &v.Answer.Extra },
}

var eventLines = table[eventLine]{
	fields: []field[eventLine]{
		recordMember[eventLine](),
		member("stream", func(v *eventLine) *int { return &v.stream }, integer[int]()),
		member("time", func(v *eventLine) *int64 { return &v.event.Time }, integer[int64]()),
		member("type", func(v *eventLine) *EventType { return &v.event.Type }, text[EventType]()),
		member("batch", func(v *eventLine) *int { return &v.event.Batch }, integer[int]()),
		member("last", func(v *eventLine) *bool { return &v.event.Last }, boolean),
		member("header", func(v *eventLine) *Revision { return &v.event.Header }, decimal[Revision]()),
		member("transport", func(v *eventLine) *string { return &v.event.Transport }, text[string]()),
		member("object", func(v *eventLine) *Object { return &v.event.Object }, objectTable.codec()),
		member("prev", func(v *eventLine) **Object { return &v.event.Prev }, pointer(objectTable.codec())),
		member("kube", func(v *eventLine) **KubeEvent { return &v.event.Kube }, pointer(kubeEventTable.codec())),
	},
	extra: func(v *eventLine) *Extra { return &v.event.Extra },
}

var endLines = table[endLine]{
	fields: []field[endLine]{
		recordMember[endLine](),
		member("stream", func(v *endLine) *int { return &v.stream }, integer[int]()),
		member("time", func(v *endLine) *int64 { return &v.end.Time }, integer[int64]()),
		member("reason", func(v *endLine) *EndReason { return &v.end.Reason }, text[EndReason]()),
		member("error", func(v *endLine) **Error { return &v.end.Error }, pointer(errorTable.codec())),
		member("compactRevision", func(v *endLine) *Revision { return &v.end.CompactRevision }, decimal[Revision]()),
		member("header", func(v *endLine) *Revision { return &v.end.Header }, decimal[Revision]()),
	},
	extra: func(v *endLine) *Extra { return &v.end.Extra },
}

var faultLines = table[Fault]{
	fields: []field[Fault]{
		recordMember[Fault](),
		member("time", func(v *Fault) *int64 { return &v.Time }, integer[int64]()),
		member("action", func(v *Fault) *string { return &v.Action }, text[string]()),
		member("args", func(v *Fault) *map[string]string { return &v.Args }, stringMap),
		member("line", func(v *Fault) *int { return &v.Line }, integer[int]()),
	},
	extra: func(v *Fault) *Extra { return &v.Extra },
}

var noteLines = table[Note]{
	fields: []field[Note]{
		recordMember[Note](),
		member("time", func(v *Note) *int64 { return &v.Time }, integer[int64]()),
		member("kind", func(v *Note) *string { return &v.Kind }, text[string]()),
		member("label", func(v *Note) *string { return &v.Label }, text[string]()),
		member("line", func(v *Note) *int { return &v.Line }, integer[int]()),
		member("text", func(v *Note) *string { return &v.Text }, text[string]()),
	},
	extra: func(v *Note) *Extra { return &v.Extra },
}
