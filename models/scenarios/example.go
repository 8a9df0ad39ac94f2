package scenarios

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
)

// Example returns a scenario that breaks a property, with the verdict below it;
// ok is false if no transcript has one.
func Example(property string) (text string, ok bool) {
	names, err := fs.Glob(Files, "*.txt")
	if err != nil {
		panic("scenarios: fault of this program: " + err.Error())
	}
	// What both layers have is shown at etcd's, whose histories say more.
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(kubeOf(a), kubeOf(b)) })
	for _, name := range names {
		data, err := Files.ReadFile(name)
		if err != nil {
			panic("scenarios: fault of this program: " + err.Error())
		}
		for _, block := range strings.Split(string(data), "\n\n") {
			if text, ok := breaks(block, property); ok {
				return text, true
			}
		}
	}
	return "", false
}

func kubeOf(name string) int {
	if strings.HasPrefix(name, "kube_") {
		return 1
	}
	return 0
}

// breaks returns a case without its directive, if it is one that breaks the property.
func breaks(block, property string) (string, bool) {
	lines := strings.Split(strings.TrimSpace(block), "\n")
	for i, line := range lines {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "breaks" && slices.Contains(words[1:], property) {
			return strings.Join(lines[i+1:], "\n"), true
		}
	}
	return "", false
}
