package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/models"
)

func newList() *cobra.Command {
	var asJSON, asMarkdown bool
	cmd := &cobra.Command{
		Use:   "list [PATTERN...]",
		Short: "Print the catalogue of properties",
		RunE: func(cmd *cobra.Command, args []string) error {
			properties, err := session.Select(args)
			if err != nil {
				return err
			}
			switch {
			case asJSON && asMarkdown:
				return usage("--json and --markdown; expected one of them")
			case asJSON:
				return listJSON(cmd.OutOrStdout(), properties)
			case asMarkdown:
				return document(cmd.OutOrStdout(), properties)
			}
			return listText(cmd.OutOrStdout(), properties)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "print the page docs/PROPERTIES.md")
	return cmd
}

func listText(w io.Writer, properties []models.Property) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PROPERTY\tSTRENGTH\tSTATEMENT")
	for _, p := range properties {
		fmt.Fprintf(table, "%s\t%s\t%s\n", p.ID, p.Strength, p.Statement)
	}
	return table.Flush()
}

// entry is a property of the catalogue as JSON.
type entry struct {
	ID        string            `json:"id"`
	Group     string            `json:"group"`
	Strength  models.Strength   `json:"strength"`
	Statement string            `json:"statement"`
	Rules     []string          `json:"rules"`
	Source    string            `json:"source"`
	Versions  string            `json:"versions"`
	Layers    []histories.Layer `json:"layers"`
	Needs     []string          `json:"needs"`
}

func listJSON(w io.Writer, properties []models.Property) error {
	entries := make([]entry, 0, len(properties))
	for _, p := range properties {
		e := entry{p.ID, p.Group(), p.Strength, p.Statement, p.Rules, p.Source, p.Versions, p.Layers, p.Needs}
		if e.Needs == nil {
			e.Needs = []string{}
		}
		entries = append(entries, e)
	}
	return printJSON(w, map[string]any{"properties": entries})
}

func printJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document)
}
