package etcd_test

import (
	"strings"
	"testing"

	"go.etcd.io/etcd/tests/v3/framework/integration"

	"github.com/rvcheck/rvcheck/conformance"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

// TestIntegrationCluster checks a cluster of etcd's own test framework, as the
// author of a store would check theirs.
func TestIntegrationCluster(t *testing.T) {
	integration.BeforeTestExternal(t)
	cluster := integration.NewCluster(t, &integration.ClusterConfig{Size: 1, UseTCP: true})
	t.Cleanup(func() { cluster.Terminate(t) })
	conformance.Run(t, func(t *testing.T) targets.Target {
		t.Helper()
		host := strings.TrimPrefix(cluster.Members[0].GRPCURL, "http://")
		config, err := etcd.ParseURL("etcd://" + host + "?exclusive=true")
		if err != nil {
			t.Fatal(err)
		}
		target, err := etcd.Open(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		return target
	}, conformance.Plans(60), conformance.Seed(1), conformance.Strict())
}
