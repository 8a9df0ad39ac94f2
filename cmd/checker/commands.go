package main

import "strings"

// commands makes the lines to go on with after a plan has failed on a target, which
// the run started with the command, if any.
func commands(url string, command []string) func(planFile, historyFile string) []string {
	return func(planFile, historyFile string) []string {
		replay := "checker replay " + quoted(planFile) + " --times 20"
		if url != defaultTarget {
			replay += " --target " + quoted(url)
		}
		for i, word := range command {
			if i == 0 {
				replay += " --"
			}
			replay += " " + quoted(word)
		}
		return []string{replay, "checker show " + quoted(historyFile), "checker check " + quoted(historyFile)}
	}
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
