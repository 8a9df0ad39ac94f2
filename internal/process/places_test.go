package process

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestPlacesAreTheSameEverywhere(t *testing.T) {
	p, err := NewPlaces("etcd://127.0.0.1:{port}", "--data={dir}/db --peer {port2}")
	if err != nil {
		t.Fatal(err)
	}
	filled := strings.Fields(p.Fill("{port} {port} {port2} {dir}"))
	if filled[0] != filled[1] || filled[0] == filled[2] || filled[3] != p.Folder {
		t.Errorf("got %q", filled)
	}
	if err := p.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(p.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
}

func TestPlacesLeaveOtherBracesAlone(t *testing.T) {
	p, err := NewPlaces("{port}")
	if err != nil {
		t.Fatal(err)
	}
	const text = `{"a":{}} {port10} {ports} {Dir} {port1}`
	if got := p.Fill(text); got != text {
		t.Errorf("got %q", got)
	}
	if p.Folder != "" {
		t.Error("a folder that nobody asked for")
	}
}
