package servers

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for text, want := range map[string]string{
		"etcd":                 "etcd@v3.7.3",
		"kine-sqlite@v0.14.12": "kine-sqlite@v0.14.12",
		"etcd@v3.4.1":          "etcd@v3.4.1", // not pinned, all the same a version
	} {
		if got, err := Find(text); err != nil || got.String() != want {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "redis", "etcd@", "etcd@3.7", "etcd@v3 x", "etcd@v1/../../x"} {
		if got, err := Find(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

// TestTable holds every server against what the checker fills in.
func TestTable(t *testing.T) {
	var names []string
	for _, s := range Table {
		if slices.Contains(names, s.Name) {
			t.Errorf("%s is there twice", s.Name)
		}
		names = append(names, s.Name)
		if s.Source.Binary == "" || s.Source.Module == "" || !strings.HasPrefix(s.Source.Package, s.Source.Module) || len(s.Current) == 0 {
			t.Errorf("%s: something is missing: %+v", s.Name, s)
		}
		if s.KnownFailing == "" {
			t.Errorf("%s has no known-failing file", s.Name)
		}
		command := strings.Join(s.Command, " ")
		for _, place := range []string{"{bin}", "{dir}", "{port}"} {
			if !strings.Contains(command, place) {
				t.Errorf("%s: the command has no %s", s.Name, place)
			}
		}
	}
}

func TestComponents(t *testing.T) {
	release, err := Find("kube-apiserver@v1.30.14")
	if err != nil {
		t.Fatal(err)
	}
	if flags := release.linkerFlags(); !strings.Contains(flags, "gitVersion=v1.30.14 ") || !strings.HasSuffix(flags, "gitMinor=30") {
		t.Errorf("got %q", flags)
	}
	for _, c := range Components {
		if c.URL != "" || c.Command != nil || len(c.Current) == 0 || !strings.HasPrefix(c.Source.Package, c.Source.Module) {
			t.Errorf("%s: expected the source and versions of a component, and nothing else: %+v", c.Name, c)
		}
	}
}

func TestBinariesOfDifferentBuildsDiffer(t *testing.T) {
	var plain, nats Release
	for _, r := range Pinned() {
		switch r.String() {
		case "kine-sqlite@v0.17.5":
			plain = r
		case "kine-nats@v0.17.5":
			nats = r
		}
	}
	if plain.key() == nats.key() || plain.key() != "kine-v0.17.5" {
		t.Errorf("got %s and %s", plain.key(), nats.key())
	}
}

func TestCommandLineNamesTheBinary(t *testing.T) {
	release, err := Find("etcd-cluster")
	if err != nil {
		t.Fatal(err)
	}
	words := Installed{release, "/cache/etcd", "/cache/x.sh"}.CommandLine()
	if !slices.Contains(words, "/cache/etcd") || !slices.Contains(words, "/cache/x.sh") || slices.Contains(release.Command, "/cache/etcd") {
		t.Errorf("got %q of %q", words, release.Command)
	}
}

func TestUnsupportedSaysWhy(t *testing.T) {
	r := Release{Server{Name: "x", Needs: func() error { return errors.New("no disk") }}, "v1"}
	if err := r.Supported(); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "no disk") {
		t.Errorf("got %v", err)
	}
}

func TestScriptsParse(t *testing.T) {
	for _, text := range []string{clusterScript, postgresScript} {
		command := exec.Command("sh", "-n")
		command.Stdin, command.Stderr = strings.NewReader(text), os.Stderr
		if err := command.Run(); err != nil {
			t.Errorf("%v:\n%s", err, text)
		}
	}
}
