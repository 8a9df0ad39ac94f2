package kube

import "testing"

func TestParseProfile(t *testing.T) {
	for name, want := range map[string]Profile{
		"kube": {37, true}, "reference": {37, true}, "reference-uncached": {37, false},
		"kube-1.37": {37, true}, "kube-1.37-uncached": {37, false}, "kube-1.30": {30, true}, "kube-1.40": {40, true},
	} {
		if got, err := ParseProfile(name); err != nil || got != want {
			t.Errorf("%s: expected %v, not %v, %v", name, want, got, err)
		}
	}
	for _, name := range []string{"", "etcd-3.5", "kube-1", "kube-1.x", "kube-1.037", "kube-2.0", "uncached", "kube-1.37-cached"} {
		if p, err := ParseProfile(name); err == nil {
			t.Errorf("%s: expected an error, not %v", name, p)
		}
	}
	if p := (Profile{33, true}); p.WatchList() || p.FreshWatch() || !p.ChecksRV() {
		t.Error("1.33 has no WatchList, and checks resource versions")
	}
}
