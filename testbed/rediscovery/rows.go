package rediscovery

// Row is a fault that an old release has.
type Row struct {
	ID     string
	Server string
	// Parameters are further ones of the target's URL, such as "&profile=kube-1.30".
	Parameters string
	// Flags are further ones of an apiserver, such as a feature that was off by default.
	Flags []string
	// Fault is what should hold and does not.
	Fault string
	// Properties are those of which one must be violated.
	Properties []string
	// Race: it takes luck, so that 8 of 10 seeds are enough.
	Race bool
	// Control is a release without the fault.
	Control string
}

const (
	etcdControl    = "etcd@v3.5.33"
	clusterControl = "etcd-cluster@v3.7.3"
	kineControl    = "kine-sqlite@v0.17.5"
	kubeControl    = "kube-apiserver@v1.37.2"
	// It tells no version.
	kubeProfile = "&profile=kube-1.30"
)

// Rows is the table.
var Rows = []Row{
	{
		ID: "K01", Server: "kine-sqlite@v0.16.4", Control: kineControl,
		Fault: "an acknowledged Put is visible", Properties: []string{"write/durable"},
	},
	{
		ID: "E01", Server: "etcd@v3.5.15", Control: etcdControl,
		Fault:      "a watch from the compaction revision sees the deletion at that revision",
		Properties: []string{"watch/no-gap"},
	},
	{
		ID: "E03", Server: "etcd@v3.5.7", Control: etcdControl,
		Fault: "progress comes after the events that it speaks of", Properties: []string{"progress/no-overtaking"},
	},
	{
		ID: "K04", Server: "kine-sqlite@v0.14.0", Control: kineControl,
		Fault: "a conditional delete with a stale revision fails", Properties: []string{"write/delete-cas"},
	},
	{
		ID: "K06", Server: "kine-sqlite@v0.14.6", Control: kineControl,
		Fault: "keys are literal bytes, an underscore is no wildcard", Properties: []string{"list/scope", "get/snapshot"},
	},
	{
		ID: "E04", Server: "etcd@v3.5.12", Control: etcdControl,
		Fault: "a request for progress is answered on a quiet stream", Properties: []string{"progress/answered"},
	},
	{
		ID: "E07", Server: "etcd-cluster@v3.6.16", Control: clusterControl,
		Fault: "a failed transaction changes no member", Properties: []string{"txn/atomic"},
	},
	{
		ID: "K13", Server: "kine-sqlite@v0.14.10", Control: kineControl, Race: true,
		Fault: "progress comes after the events that it speaks of", Properties: []string{"progress/no-overtaking"},
	},
	{
		ID: "K15", Server: "kine-sqlite@v0.11.4", Control: kineControl,
		Fault: "a list ascends by key, paging is complete", Properties: []string{"list/order", "page/no-gap"},
	},
	{
		ID: "K17", Server: "kine-sqlite@v0.9.9", Control: kineControl,
		Fault: "a create of a present key is refused, not an error", Properties: []string{"write/failure-branch"},
	},
	{
		ID: "A01", Server: "apiextensions-apiserver@v0.24.1", Control: "apiextensions-apiserver@v0.37.2",
		Parameters: kubeProfile,
		Fault:      "pages of what a selector takes are all that it takes", Properties: []string{"list/selector", "page/no-gap"},
	},
	{
		ID: "A10", Server: "kube-apiserver@v1.30.14", Control: kubeControl,
		Parameters: "&profile=kube-1.32", Flags: []string{"--feature-gates=WatchList=true"},
		Fault: "a watch's initial events end with a bookmark, before anything else", Properties: []string{"watch/initial-end"},
	},
}
