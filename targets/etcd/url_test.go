package etcd_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

func TestParseURL(t *testing.T) {
	t.Setenv("RVCHECK_TEST_PASSWORD", "hush")
	for text, want := range map[string]etcd.Config{
		"etcd://127.0.0.1:2379": {URL: "etcd://127.0.0.1:2379", Endpoints: []string{"127.0.0.1:2379"}},
		"etcd://a:1,[::1]:2/":   {URL: "etcd://a:1,[::1]:2", Endpoints: []string{"a:1", "[::1]:2"}},
		"etcd://a:1?prefix=/x/y&exclusive=true": {
			URL: "etcd://a:1?exclusive=true&prefix=/x/y", Endpoints: []string{"a:1"}, Prefix: "/x/y", Exclusive: true,
		},
		"etcd://a:1?exclusive=true&self-compacting=true": {
			URL: "etcd://a:1?exclusive=true&self-compacting=true", Endpoints: []string{"a:1"}, Exclusive: true, SelfCompacting: true,
		},
		"etcd://a:1?profile=kine&without=leases,watchIDs": {
			URL: "etcd://a:1?profile=kine&without=leases,watchIDs", Endpoints: []string{"a:1"},
			Profile: "kine", Without: []targets.Feature{targets.Leases, targets.WatchIDs},
		},
		"etcd://me:p%40ss@a:1": {URL: "etcd://a:1", Endpoints: []string{"a:1"}, User: "me", Password: "p@ss"},
		"etcd://me:p@ss@a:1":   {URL: "etcd://a:1", Endpoints: []string{"a:1"}, User: "me", Password: "p@ss"},
		"etcd://a:1?user=me&password-env=RVCHECK_TEST_PASSWORD": {
			URL: "etcd://a:1", Endpoints: []string{"a:1"}, User: "me", Password: "hush",
		},
		"etcd://a:1?tls=false": {URL: "etcd://a:1?tls=false", Endpoints: []string{"a:1"}},
	} {
		got, err := etcd.ParseURL(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(&tls.Config{})); diff != "" {
			t.Errorf("%s: -want +got\n%s", text, diff)
		}
	}
}

func TestParseURLTLS(t *testing.T) {
	for text, want := range map[string]bool{
		"etcd://a:1":                            false,
		"etcd://a:1?tls=true":                   true,
		"etcd://a:1?insecure-skip-verify=true":  true,
		"etcd://a:1?insecure-skip-verify=false": false,
	} {
		got, err := etcd.ParseURL(text)
		if err != nil || (got.TLS != nil) != want {
			t.Errorf("%s: TLS %v, error %v, want TLS: %v", text, got.TLS, err, want)
		}
	}
}

func TestParseURLRefuses(t *testing.T) {
	for text, part := range map[string]string{
		"http://a:1":                      "expected etcd://",
		"etcd://":                         "expected host:port",
		"etcd://a":                        "missing port",
		"etcd://:1":                       "the host is missing",
		"etcd://a:x":                      "the port is no number",
		"etcd://a:1,":                     "expected host:port",
		"etcd://a:1/registry":             "?prefix=/registry",
		"etcd://a:1?colour=red":           `unknown parameter "colour"`,
		"etcd://a:1?exclusive=yes":        "expected exclusive=true or exclusive=false",
		"etcd://a:1?self-compacting=1":    "expected self-compacting=true",
		"etcd://a:1?profile=mysql":        "expected profile=etcd, a version of it such as etcd-3.7",
		"etcd://a:1?profile=etcd-three":   `not "etcd-three"`,
		"etcd://a:1?without=luck":         `not "luck"`,
		"etcd://a:1?without=":             `not ""`,
		"etcd://a:1?prefix=a&prefix=b":    "once",
		"etcd://a:1?password-env=NO_SUCH": `"NO_SUCH"`,
		"etcd://a:1?cacert=/no/such":      "cacert",
		"etcd://a:1?cert=/no/such":        "cert and key together",
		"etcd://a:1?cert=/no/a&key=/no/b": "cert and key",
		"etcd://:hush@a:1":                "a password without a user",
		"etcd://me:hush%zz@a:1":           "%XX",
		"etcd://me:hush@a:1?tls=hm":       "tls",
	} {
		_, err := etcd.ParseURL(text)
		var usage *targets.UsageError
		switch {
		case !errors.As(err, &usage):
			t.Errorf("%s: %v, want a UsageError", text, err)
		case !strings.Contains(err.Error(), part):
			t.Errorf("%s: %q, want it to contain %q", text, err, part)
		case strings.Contains(err.Error(), "hush"):
			t.Errorf("%s: %q shows the password", text, err)
		}
	}
}

func TestSecretDoesNotPrint(t *testing.T) {
	config := etcd.Config{User: "me", Password: "hush"}
	if text := fmt.Sprintf("%v %+v %#v %s", config, config, config, config.Password); strings.Contains(text, "hush") {
		t.Errorf("the password shows: %s", text)
	}
}
