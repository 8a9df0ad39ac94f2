package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/rvcheck/rvcheck/models"
)

// document writes properties as the page docs/PROPERTIES.md.
func document(w io.Writer, properties []models.Property) error {
	var b strings.Builder
	b.WriteString("# Properties\n\nWritten by `checker list --markdown`; a test keeps it current. The rules are those of the\n" +
		"Kubernetes and etcd contract that each property decides.\n")
	group := ""
	for _, p := range properties {
		if p.Group() != group {
			group = p.Group()
			fmt.Fprintf(&b, "\n## %s\n", group)
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", p.ID, p.Statement)
		fmt.Fprintf(&b, "- strength: %s\n- rules: %s\n- source: %s\n", p.Strength, strings.Join(p.Rules, ", "), p.Source)
		if p.Versions != "" {
			fmt.Fprintf(&b, "- versions: %s\n", p.Versions)
		}
		if len(p.Needs) > 0 {
			fmt.Fprintf(&b, "- needs: %s\n", strings.Join(p.Needs, ", "))
		}
		if text, ok := example(p.ID); ok {
			fmt.Fprintf(&b, "\nFor example, a violation:\n\n```\n%s\n```\n", text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
