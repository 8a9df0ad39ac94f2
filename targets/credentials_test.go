package targets

import "testing"

func TestWithoutCredentials(t *testing.T) {
	for url, want := range map[string]string{
		"":                                   "",
		"embedded://":                        "embedded://",
		"etcd://h:1,i:2?prefix=/a%40":        "etcd://h:1,i:2?prefix=/a%40",
		"etcd://user:secret@h:1":             "etcd://h:1",
		"etcd://user:se/cr?et@@h:1?tls=true": "etcd://h:1?tls=true",
		"user:secret@h:1":                    "h:1",
	} {
		if got := WithoutCredentials(url); got != want {
			t.Errorf("%s: got %s, expected %s", url, got, want)
		}
	}
}
