package etcd_test

import (
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/etcd/tests/v3/framework/integration"

	"github.com/rvcheck/rvcheck/conformance"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

// TestIntegrationCluster checks clusters of etcd's own test framework, as the author
// of a store would check theirs.
func TestIntegrationCluster(t *testing.T) {
	t.Run("members=1", func(t *testing.T) { checkCluster(t, 1, 60, conformance.Strict()) })
	t.Run("members=3", func(t *testing.T) { checkCluster(t, 3, 30) })
}

func checkCluster(t *testing.T, members, plans int, options ...conformance.Option) {
	t.Helper()
	known, err := filepath.Abs("../../known-failing/etcd-3.7.txt")
	if err != nil {
		t.Fatal(err)
	}
	integration.BeforeTestExternal(t) // it leaves the folder of the test
	cluster := integration.NewCluster(t, &integration.ClusterConfig{Size: members, UseTCP: true})
	t.Cleanup(func() { cluster.Terminate(t) })
	var hosts []string
	for _, member := range cluster.Members {
		hosts = append(hosts, strings.TrimPrefix(member.GRPCURL, "http://"))
	}
	conformance.Run(t, func(t *testing.T) targets.Target {
		t.Helper()
		config, err := etcd.ParseURL("etcd://" + strings.Join(hosts, ",") + "?exclusive=true")
		if err != nil {
			t.Fatal(err)
		}
		target, err := etcd.Open(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		return target
	}, append(options, conformance.Plans(plans), conformance.Seed(1), conformance.KnownFailing(known))...)
}
