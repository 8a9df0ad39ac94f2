package histories

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories/internal/jsonline"
)

// The tables below are the file format: each names the members of one object.
// docs/FORMAT.md explains them to people; a test keeps the two together.

// keyTable is the long form of a key; b64 is the short form of a name that is
// not valid UTF-8, and is never written as a member of the long form.
var keyTable = table[Key]{fields: []field[Key]{
	member("resource", func(v *Key) *string { return &v.Resource }, text[string]()),
	member("namespace", func(v *Key) *string { return &v.Namespace }, text[string]()),
	member("name", func(v *Key) *string { return &v.Name }, text[string]()),
	{
		name:   "b64",
		zero:   func(*Key) bool { return true },
		append: func(b []byte, _ *Key) []byte { return b },
		parse: func(c *jsonline.Cursor, v *Key) (err error) {
			v.Name, err = parseBase64(c)
			return err
		},
	},
}}

// key is a byte string where only the name is set, as at the etcd layer.
var key = codec[Key]{
	zero: func(v *Key) bool { return *v == Key{} },
	append: func(b []byte, v *Key) []byte {
		if v.Resource == "" && v.Namespace == "" {
			return appendText(b, v.Name)
		}
		return closed(keyTable.appendMembers(append(b, '{'), v), '}')
	},
	parse: func(c *jsonline.Cursor, v *Key) (err error) {
		if c.Peek() == '{' {
			return keyTable.parse(c, v)
		}
		v.Name, err = c.String()
		return err
	},
}

var scopeTable = table[Scope]{
	fields: []field[Scope]{
		member("shape", func(v *Scope) *Shape { return &v.Shape }, text[Shape]()),
		member("key", func(v *Scope) *Key { return &v.Key }, key),
		member("end", func(v *Scope) *string { return &v.End }, text[string]()),
	},
	extra: func(v *Scope) *Extra { return &v.Extra },
}

var objectTable = table[Object]{
	fields: []field[Object]{
		member("key", func(v *Object) *Key { return &v.Key }, key),
		member("write", func(v *Object) *WriteID { return &v.Write }, text[WriteID]()),
		member("rv", func(v *Object) *Revision { return &v.RV }, decimal[Revision]()),
		member("createRevision", func(v *Object) *Revision { return &v.CreateRevision }, decimal[Revision]()),
		member("version", func(v *Object) *int64 { return &v.Version }, integer[int64]()),
		member("lease", func(v *Object) *int64 { return &v.Lease }, decimal[int64]()),
		member("uid", func(v *Object) *string { return &v.UID }, text[string]()),
		member("generation", func(v *Object) *int64 { return &v.Generation }, integer[int64]()),
		member("deleting", func(v *Object) *bool { return &v.Deleting }, boolean),
		member("labels", func(v *Object) *map[string]string { return &v.Labels }, stringMap),
		member("size", func(v *Object) *int { return &v.Size }, integer[int]()),
		member("foreign", func(v *Object) *string { return &v.Foreign }, text[string]()),
		member("kube", func(v *Object) **KubeMeta { return &v.Kube }, pointer(kubeMetaTable.codec())),
	},
	extra: func(v *Object) *Extra { return &v.Extra },
}

var errorTable = table[Error]{
	fields: []field[Error]{
		member("class", func(v *Error) *ErrorClass { return &v.Class }, text[ErrorClass]()),
		member("code", func(v *Error) *string { return &v.Code }, text[string]()),
		member("message", func(v *Error) *string { return &v.Message }, text[string]()),
		member("reason", func(v *Error) *string { return &v.Reason }, text[string]()),
		member("causes", func(v *Error) *[]string { return &v.Causes }, list(text[string]())),
	},
	extra: func(v *Error) *Extra { return &v.Extra },
}

var compareTable = table[Compare]{
	fields: []field[Compare]{
		member("key", func(v *Compare) *Key { return &v.Key }, key),
		member("target", func(v *Compare) *string { return &v.Target }, text[string]()),
		member("op", func(v *Compare) *string { return &v.Op }, text[string]()),
		member("value", func(v *Compare) *string { return &v.Value }, text[string]()),
		member("labels", func(v *Compare) *map[string]string { return &v.Labels }, stringMap),
		member("size", func(v *Compare) *int { return &v.Size }, integer[int]()),
	},
	extra: func(v *Compare) *Extra { return &v.Extra },
}

var requestTable = table[Request]{
	fields: []field[Request]{
		member("kind", func(v *Request) *Kind { return &v.Kind }, text[Kind]()),
		member("key", func(v *Request) *Key { return &v.Key }, key),
		member("scope", func(v *Request) *Scope { return &v.Scope }, scopeTable.codec()),
		member("write", func(v *Request) *WriteID { return &v.Write }, text[WriteID]()),
		member("labels", func(v *Request) *map[string]string { return &v.Labels }, stringMap),
		member("size", func(v *Request) *int { return &v.Size }, integer[int]()),
		member("expect", func(v *Request) *Revision { return &v.Expect }, decimal[Revision]()),
		member("conditional", func(v *Request) *bool { return &v.Conditional }, boolean),
		member("expectUID", func(v *Request) *string { return &v.ExpectUID }, text[string]()),
		member("revision", func(v *Request) *Revision { return &v.Revision }, decimal[Revision]()),
		member("limit", func(v *Request) *int64 { return &v.Limit }, integer[int64]()),
		member("start", func(v *Request) *string { return &v.Start }, text[string]()),
		member("hasStart", func(v *Request) *bool { return &v.HasStart }, boolean),
		member("of", func(v *Request) *int { return &v.Of }, integer[int]()),
		member("countOnly", func(v *Request) *bool { return &v.CountOnly }, boolean),
		member("keysOnly", func(v *Request) *bool { return &v.KeysOnly }, boolean),
		member("serializable", func(v *Request) *bool { return &v.Serializable }, boolean),
		member("sortTarget", func(v *Request) *SortTarget { return &v.SortTarget }, text[SortTarget]()),
		member("sortOrder", func(v *Request) *SortOrder { return &v.SortOrder }, text[SortOrder]()),
		member("minModRevision", func(v *Request) *Revision { return &v.MinModRevision }, decimal[Revision]()),
		member("maxModRevision", func(v *Request) *Revision { return &v.MaxModRevision }, decimal[Revision]()),
		member("minCreateRevision", func(v *Request) *Revision { return &v.MinCreateRevision }, decimal[Revision]()),
		member("maxCreateRevision", func(v *Request) *Revision { return &v.MaxCreateRevision }, decimal[Revision]()),
		member("startRevision", func(v *Request) *Revision { return &v.StartRevision }, decimal[Revision]()),
		member("prevKV", func(v *Request) *bool { return &v.PrevKV }, boolean),
		member("progressNotify", func(v *Request) *bool { return &v.ProgressNotify }, boolean),
		member("watchID", func(v *Request) *int64 { return &v.WatchID }, integer[int64]()),
		member("filters", func(v *Request) *[]string { return &v.Filters }, list(text[string]())),
		member("fragment", func(v *Request) *bool { return &v.Fragment }, boolean),
		member("transport", func(v *Request) *string { return &v.Transport }, text[string]()),
		member("physical", func(v *Request) *bool { return &v.Physical }, boolean),
		member("lease", func(v *Request) *int64 { return &v.Lease }, decimal[int64]()),
		member("ttl", func(v *Request) *int64 { return &v.TTL }, integer[int64]()),
		member("txn", func(v *Request) **Txn { return &v.Txn }, pointer(txnTable.codec())),
		member("kube", func(v *Request) **KubeOptions { return &v.Kube }, pointer(kubeTable.codec())),
	},
	extra: func(v *Request) *Extra { return &v.Extra },
}

// txnTable and resultTable are filled by init: a transaction holds requests, and a
// request may hold a transaction; the results of a transaction are answers.
var (
	txnTable    table[Txn]
	resultTable table[Answer]
)

func init() {
	resultTable = answerTable
	txnTable = table[Txn]{
		fields: []field[Txn]{
			member("compares", func(v *Txn) *[]Compare { return &v.Compares }, list(compareTable.codec())),
			member("then", func(v *Txn) *[]Request { return &v.Then }, list(requestTable.codec())),
			member("else", func(v *Txn) *[]Request { return &v.Else }, list(requestTable.codec())),
		},
		extra: func(v *Txn) *Extra { return &v.Extra },
	}
}

var answerTable = table[Answer]{
	fields: []field[Answer]{
		member("outcome", func(v *Answer) *Outcome { return &v.Outcome }, text[Outcome]()),
		member("error", func(v *Answer) **Error { return &v.Error }, pointer(errorTable.codec())),
		member("revision", func(v *Answer) *Revision { return &v.Revision }, decimal[Revision]()),
		member("objects", func(v *Answer) *[]Object { return &v.Objects }, list(objectTable.codec())),
		member("count", func(v *Answer) *int64 { return &v.Count }, integer[int64]()),
		member("more", func(v *Answer) *bool { return &v.More }, boolean),
		member("continue", func(v *Answer) *string { return &v.Continue }, text[string]()),
		member("deleted", func(v *Answer) *int64 { return &v.Deleted }, integer[int64]()),
		member("objectRV", func(v *Answer) *string { return &v.ObjectRV }, text[string]()),
		member("lease", func(v *Answer) *int64 { return &v.Lease }, decimal[int64]()),
		member("ttl", func(v *Answer) *int64 { return &v.TTL }, integer[int64]()),
		member("grantedTTL", func(v *Answer) *int64 { return &v.GrantedTTL }, integer[int64]()),
		member("keys", func(v *Answer) *[]Key { return &v.Keys }, list(key)),
		member("watchID", func(v *Answer) *int64 { return &v.WatchID }, integer[int64]()),
		member("version", func(v *Answer) *string { return &v.Version }, text[string]()),
		member("succeeded", func(v *Answer) *bool { return &v.Succeeded }, boolean),
		member("results", func(v *Answer) *[]Answer { return &v.Results }, list(resultTable.codec())),
		member("kube", func(v *Answer) **KubeAnswer { return &v.Kube }, pointer(kubeAnswerTable.codec())),
	},
	extra: func(v *Answer) *Extra { return &v.Extra },
}

// format refuses what a newer version wrote before its other fields confuse.
var format = codec[int]{
	zero:   integer[int]().zero,
	append: integer[int]().append,
	parse: func(c *jsonline.Cursor, v *int) error {
		err := integer[int]().parse(c, v)
		if err == nil && *v > FormatVersion {
			return fmt.Errorf("version %d is newer than this program, which reads up to version %d", *v, FormatVersion)
		}
		return err
	},
}
