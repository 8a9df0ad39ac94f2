package servers

// The sources that several servers share.
var (
	etcd = Source{Binary: "etcd", Module: "go.etcd.io/etcd/server/v3", Package: "go.etcd.io/etcd/server/v3"}
	kine = Source{Binary: "kine", Module: "github.com/k3s-io/kine", Package: "github.com/k3s-io/kine", CFlags: sqliteFlags}
	// Without the driver's tag newer versions leave NATS out.
	kineNATS = Source{Binary: "kine", Module: kine.Module, Package: kine.Package, CFlags: sqliteFlags, Tags: "nats"}
	t4       = Source{
		Binary: "t4", Module: "github.com/t4db/t4", Package: "github.com/t4db/t4/cmd/t4",
		// Its go.mod leaves an ambiguous import otherwise.
		Requires: []string{"google.golang.org/genproto@latest"},
	}
)

const (
	// sqliteFlags are those of kine's own builds: old versions answer no status without
	// the table dbstat.
	sqliteFlags = "-O2 -DSQLITE_ENABLE_DBSTAT_VTAB=1 -DSQLITE_USE_ALLOCA=1"
	oneEndpoint = "etcd://127.0.0.1:{port}"
	// knownEtcd is for all current releases of etcd.
	knownEtcd      = "known-failing/etcd-3.7.txt"
	threeEndpoints = "etcd://127.0.0.1:{port},127.0.0.1:{port2},127.0.0.1:{port3}"
)

// Table is all servers. The first version of each is the current one; the others are
// old releases with faults that are known.
var Table = []Server{
	{
		Name: "etcd", Source: etcd, Current: []string{"v3.7.3", "v3.6.16", "v3.5.33"},
		Old: []string{"v3.5.7", "v3.5.12", "v3.5.15"},
		URL: oneEndpoint, KnownFailing: knownEtcd,
		// Nothing of the data outlives the run, so nothing need reach the disk.
		Command: []string{
			"{bin}", "--data-dir", "{dir}/data", "--unsafe-no-fsync", "--log-level", "warn",
			"--listen-client-urls", "http://127.0.0.1:{port}", "--advertise-client-urls", "http://127.0.0.1:{port}",
			"--listen-peer-urls", "http://127.0.0.1:{port2}", "--initial-advertise-peer-urls", "http://127.0.0.1:{port2}",
			"--initial-cluster", "default=http://127.0.0.1:{port2}",
		},
	},
	{
		Name: "etcd-cluster", Source: etcd, Current: []string{"v3.7.3", "v3.6.16", "v3.5.33"},
		URL: threeEndpoints, KnownFailing: knownEtcd,
		Script:  clusterScript,
		Command: []string{"sh", "{script}", "{bin}", "{dir}", "{port}", "{port2}", "{port3}", "{port4}", "{port5}", "{port6}"},
	},
	{
		Name: "kine-sqlite", Source: kine, Current: []string{"v0.17.5"},
		Old: []string{"v0.9.9", "v0.11.4", "v0.14.0", "v0.14.6", "v0.14.10", "v0.14.12", "v0.16.4"},
		// A put beside a delete of the same key ends the server, see docs/FINDINGS.md.
		URL: oneEndpoint + "?without=puts", KnownFailing: "testbed/known-failing/kine-sqlite.txt",
		// v0.14.12 ends with a panic when it refuses to create a watch.
		OldURL: oneEndpoint + "?profile=kine",
		OldWithout: map[string]string{
			"v0.9.9":  "puts,progress",
			"v0.11.4": "puts",
			"v0.14.0": "puts",
		},
		// The parameters are those that kine uses where it chooses the file itself.
		Command: []string{
			"{bin}", "--listen-address", "http://127.0.0.1:{port}", "--metrics-bind-address", "0",
			"--endpoint", "sqlite://{dir}/db?_journal=WAL&cache=shared&_busy_timeout=30000&_txlock=immediate",
		},
	},
	{
		Name: "kine-postgres", Source: kine, Current: []string{"v0.17.5"},
		URL: oneEndpoint + "?without=puts,binaryKeys", KnownFailing: "testbed/known-failing/kine-postgres.txt",
		Script:  postgresScript,
		Command: []string{"sh", "{script}", "{bin}", "{dir}", "{port}", "{port2}"},
		Needs:   postgresNeeds,
	},
	{
		Name: "kine-nats", Source: kineNATS, Current: []string{"v0.17.5"},
		URL: oneEndpoint + "?without=puts,compaction,binaryKeys", KnownFailing: "testbed/known-failing/kine-nats.txt",
		Command: []string{
			"{bin}", "--listen-address", "http://127.0.0.1:{port}", "--metrics-bind-address", "0",
			"--endpoint", "nats://?embedServer=true&dontListen=true&dataDir={dir}",
		},
	},
	{
		Name: "t4", Source: t4, Current: []string{"v1.1.17"},
		URL: oneEndpoint + "?without=hugeLimits", KnownFailing: "testbed/known-failing/t4.txt",
		Command: []string{"{bin}", "run", "--data-dir", "{dir}", "--listen", "127.0.0.1:{port}", "--metrics-addr", "127.0.0.1:0"},
	},
}
