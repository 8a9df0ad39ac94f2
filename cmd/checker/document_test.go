package main

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/models"
)

var rewriteDocument = flag.Bool("rewrite-document", false, "write docs/PROPERTIES.md anew")

// TestPropertiesDocument keeps the generated page current.
func TestPropertiesDocument(t *testing.T) {
	const page = "../../docs/PROPERTIES.md"
	var now bytes.Buffer
	if err := document(&now, models.Catalogue()); err != nil {
		t.Fatal(err)
	}
	if *rewriteDocument {
		if err := os.WriteFile(page, now.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	was, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(was), now.String()); diff != "" {
		t.Errorf("docs/PROPERTIES.md is not current, run make docs (-is +should be):\n%s", diff)
	}
}
