package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/models"
)

// document writes properties, and the rules that they decide, as the page
// docs/PROPERTIES.md. With the whole catalogue it has the rules that nobody decides
// too, with the reason.
func document(w io.Writer, properties []models.Property) error {
	var b strings.Builder
	b.WriteString("# Properties\n\nWritten by `checker list --markdown`; a test keeps it current. The rules are those of the\n" +
		"Kubernetes and etcd contract that each property decides; [they stand below](#rules).\n")
	documentProperties(&b, properties)
	documentRules(&b, rulesOf(properties))
	_, err := io.WriteString(w, b.String())
	return err
}

func documentProperties(b *strings.Builder, properties []models.Property) {
	group := ""
	for _, p := range properties {
		if p.Group() != group {
			group = p.Group()
			fmt.Fprintf(b, "\n## %s\n", group)
		}
		fmt.Fprintf(b, "\n### %s\n\n%s\n\n", p.ID, p.Statement)
		fmt.Fprintf(b, "- strength: %s\n- rules: %s\n- source: %s\n", p.Strength, strings.Join(p.Rules, ", "), p.Source)
		if p.Versions != "" {
			fmt.Fprintf(b, "- versions: %s\n", p.Versions)
		}
		if len(p.Needs) > 0 {
			fmt.Fprintf(b, "- needs: %s\n", strings.Join(p.Needs, ", "))
		}
		if text, ok := example(p.ID); ok {
			fmt.Fprintf(b, "\nFor example, a violation:\n\n```\n%s\n```\n", text)
		}
	}
}

func documentRules(b *strings.Builder, rules []models.Rule) {
	b.WriteString("\n# Rules\n\nThe contract between Kubernetes and its store, in this project's words and with its ids. MUST is a documented\n" +
		"promise, SHOULD what clients rely on without one, IMPL one implementation's way, MAY a freedom that no check may\n" +
		"take away. The layer is the lowest at which a history shows whether the rule is kept. `checker explain RULE` shows\n" +
		"one rule.\n")
	family := ""
	for _, r := range rules {
		if r.Family() != family {
			family = r.Family()
			fmt.Fprintf(b, "\n## %s\n\n| rule | layer | strength | statement | decided by, or why not | source |\n|---|---|---|---|---|---|\n", family)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", r.ID, r.Level, r.Strength, r.Statement, r.Standing(), r.Source)
	}
}

// rulesOf returns the rules that the properties decide, and for the whole catalogue
// all there are.
func rulesOf(properties []models.Property) []models.Rule {
	rules := models.Rules()
	if len(properties) == len(models.Catalogue()) {
		return rules
	}
	return slices.DeleteFunc(rules, func(r models.Rule) bool {
		return !slices.ContainsFunc(properties, func(p models.Property) bool { return slices.Contains(p.Rules, r.ID) })
	})
}
