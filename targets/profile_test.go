package targets

import (
	"slices"
	"testing"
)

func TestProfiles(t *testing.T) {
	for profile, known := range map[string]bool{
		"etcd": true, "etcd-3.7": true, "etcd-3.5": true, "kube-1.37": true, "kube-1.37-uncached": true, "etcd-3.7-uncached": false, "reference": true, "storage": true, "kine": true,
		"": false, "etcd-": false, "etcd-3": false, "etcd-3.7.1": false, "etcd-a.b": false, "ETCD": false, "kine-1.0": false,
	} {
		if _, got := ProfileWithout(profile); got != known {
			t.Errorf("%q is known: %v, expected %v", profile, got, known)
		}
	}
	for profile, missing := range lesser {
		for feature, reason := range missing {
			if !slices.Contains(Features, feature) || reason == "" {
				t.Errorf("%s: %q: %q", profile, feature, reason)
			}
		}
	}
}
