package main

import "strings"

// commands makes the lines to go on with after a plan has failed on a target, which
// the run started with the command, if any.
func commands(url string, command []string) func(planFile, historyFile string) []string {
	return func(planFile, historyFile string) []string {
		replay := "checker replay " + quoted(planFile) + " --times 20" + targetWords(url, command)
		return []string{replay, "checker show " + quoted(historyFile), "checker check " + quoted(historyFile)}
	}
}

// targetWords are the flag that names a target, nothing for the one by default, and
// the command that starts it, if any.
func targetWords(url string, command []string) string {
	var words strings.Builder
	if url != defaultTarget {
		words.WriteString(" --target " + quoted(url))
	}
	for i, word := range command {
		if i == 0 {
			words.WriteString(" --")
		}
		words.WriteString(" " + quoted(word))
	}
	return words.String()
}

// quoted makes a word safe for a shell.
func quoted(word string) string {
	plain := func(r rune) bool {
		return !strings.ContainsRune("_-./:=,+@%", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	if strings.IndexFunc(word, plain) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
