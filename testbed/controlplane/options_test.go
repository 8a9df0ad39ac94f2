package controlplane

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDefaults(t *testing.T) {
	for _, test := range []struct {
		options Options
		store   string
	}{
		{Options{}, "etcd"},
		{Options{Store: "kine-sqlite"}, "kine-sqlite"},
		{Options{Members: 3}, "etcd-cluster"},
		{Options{Store: "etcd@v3.5.33", Members: 3}, "etcd-cluster@v3.5.33"},
		{Options{Store: "etcd-cluster@v3.5.33", Members: 3}, "etcd-cluster@v3.5.33"},
	} {
		got, err := test.options.plan()
		if err != nil || got.Store != test.store || got.APIServers != 1 {
			t.Errorf("%+v: got %+v, %v, want one apiserver on %s", test.options, got, err, test.store)
		}
	}
}

func TestWhatCannotBe(t *testing.T) {
	for _, options := range []Options{
		{APIServers: 4},
		{APIServers: -1},
		{Members: 2},
		{Store: "kine-sqlite", Members: 3},
		{ExtensionsOnly: true, ControllerManager: true},
	} {
		if got, err := options.plan(); err == nil || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%+v: got %+v, %v, want an error that says what was expected", options, got, err)
		}
	}
	for _, options := range []Options{
		{Store: "redis"}, {Version: "1.30"}, {Store: "kube-apiserver"},
	} {
		if _, err := Start(t.Context(), options); err == nil {
			t.Errorf("%+v: no error", options)
		}
	}
}

func TestFlags(t *testing.T) {
	endpoints := []string{"127.0.0.1:1", "127.0.0.1:2"}
	words := Options{WithoutWatchCache: true, Compaction: time.Second, Flags: []string{"--v=2"}}.apiserver("/bin/a", "/dir", "/dir/kubeconfig", "3", endpoints)
	for _, want := range []string{
		"--etcd-servers=http://127.0.0.1:1,http://127.0.0.1:2", "--watch-cache=false", "--etcd-compaction-interval=1s", "--secure-port=3", "--v=2",
	} {
		if !slices.Contains(words, want) {
			t.Errorf("no %s in %q", want, words)
		}
	}
	if words := (Options{Compaction: -1}).apiserver("/bin/a", "/dir", "/dir/kubeconfig", "3", endpoints); !slices.Contains(words, "--etcd-compaction-interval=0") {
		t.Errorf("compaction is not turned off in %q", words)
	}
	words = Options{ExtensionsOnly: true}.apiserver("/bin/a", "/dir", "/dir/kubeconfig", "3", endpoints)
	if !slices.Contains(words, "--authentication-kubeconfig=/dir/kubeconfig") || !slices.Contains(words, "--enable-priority-and-fairness=false") || slices.Contains(words, "--authorization-mode=RBAC") {
		t.Errorf("got the flags %q for an apiserver of custom resources alone", words)
	}
}
