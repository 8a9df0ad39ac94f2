package histories

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fieldNames are the members that a table reads and writes.
func fieldNames[T any](t table[T]) []string {
	var names []string
	for _, f := range t.fields {
		if f.name != "record" {
			names = append(names, f.name)
		}
	}
	return names
}

// TestFormatIsDocumented holds docs/FORMAT.md to the tables, in order and in full.
func TestFormatIsDocumented(t *testing.T) {
	document := formatDocument(t)
	invoke := fieldNames(invokeLines)
	request := fieldNames(requestTable)
	for section, want := range map[string][]string{
		"header": fieldNames(headerLines), "plan": fieldNames(planLines), "return": fieldNames(returnLines),
		"invoke": invoke[:len(invoke)-len(request)], "request": request,
		"event": fieldNames(eventLines), "end": fieldNames(endLines), "fault": fieldNames(faultLines), "note": fieldNames(noteLines),
		"scope": fieldNames(scopeTable), "object": fieldNames(objectTable), "error": fieldNames(errorTable),
		"txn": fieldNames(txnTable), "compare": fieldNames(compareTable), "kube": fieldNames(kubeTable),
		"kube answer": fieldNames(kubeAnswerTable), "kube meta": fieldNames(kubeMetaTable), "kube event": fieldNames(kubeEventTable),
	} {
		if diff := cmp.Diff(want, documentedFields(document, section)); diff != "" {
			t.Errorf("section %s of docs/FORMAT.md (-code +document)\n%s", section, diff)
		}
	}
}

// TestFormatNamesEveryWord demands that each value of an enumeration is explained.
func TestFormatNamesEveryWord(t *testing.T) {
	document := formatDocument(t)
	for _, word := range enumerations() {
		if word != "" && !strings.Contains(document, "`"+word+"`") {
			t.Errorf("docs/FORMAT.md does not mention `%s`", word)
		}
	}
}

func enumerations() []string {
	var words []string
	words = appendWords(words, layers)
	words = appendWords(words, worlds)
	words = appendWords(words, Kinds)
	words = appendWords(words, shapes)
	words = appendWords(words, outcomes)
	words = appendWords(words, errorClasses)
	words = appendWords(words, eventTypes)
	words = appendWords(words, sortTargets)
	words = appendWords(words, sortOrders)
	words = appendWords(words, filters)
	words = appendWords(words, patches)
	words = appendWords(words, encodings)
	words = appendWords(words, CompareTargets)
	words = appendWords(words, CompareOps)
	return appendWords(words, endReasons)
}

func appendWords[S ~string](words []string, more []S) []string {
	for _, word := range more {
		words = append(words, string(word))
	}
	return words
}

func TestFormatExampleIsReadable(t *testing.T) {
	_, rest, _ := strings.Cut(formatDocument(t), "```jsonl\n")
	file, _, _ := strings.Cut(rest, "```")
	h, err := Read(strings.NewReader(file), "docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	var again strings.Builder
	if err := Write(&again, h); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file, again.String()); diff != "" {
		t.Errorf("the example is not as rvcheck writes it (-document +written)\n%s", diff)
	}
}

func formatDocument(t *testing.T) string {
	t.Helper()
	document, err := os.ReadFile("../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(document)
}

var fieldRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

func documentedFields(document, section string) []string {
	_, rest, _ := strings.Cut(document, "\n### "+section+"\n")
	body, _, _ := strings.Cut(rest, "\n#")
	var names []string
	for _, row := range fieldRow.FindAllStringSubmatch(body, -1) {
		names = append(names, row[1])
	}
	return names
}
