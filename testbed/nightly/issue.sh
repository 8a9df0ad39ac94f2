#!/usr/bin/env bash
# issue.sh FOLDER: one issue for the nightly runs that failed, opened or, where it is open, commented on.
# FOLDER has a folder for each run, with what check.sh left there. DRY_RUN=1 prints the text and asks nobody.
set -euo pipefail

root=${1:?expected the folder of the runs}
title='nightly: the checker fails on Kubernetes'
limit=60000 # characters; an issue takes 65536

# run says what one run found. Its reduced plans stand in the summary.
run() {
	local code
	code=$(cat "$1/exit" 2>/dev/null || echo none)
	case $code in
	0) return ;;
	1) printf '## %s: violations\n\n' "$(basename "$1")" ;;
	none) printf '## %s: the checker was not run\n\n' "$(basename "$1")" ;;
	*) printf '## %s: exit code %s\n\n' "$(basename "$1")" "$code" ;;
	esac
	if [ -s "$1/summary.md" ]; then
		cat "$1/summary.md"
		echo
	fi
}

text=$(mktemp)
trap 'rm -f "$text"' EXIT
for folder in "$root"/*/; do run "${folder%/}"; done >"$text"
if [ ! -s "$text" ]; then
	echo 'nothing failed' >&2
	exit 0
fi
if [ "$(wc -m <"$text")" -gt "$limit" ]; then
	cut=$(head -c "$limit" "$text" | iconv -c -f utf-8 -t utf-8)
	printf '%s\n\n… cut here; the artefacts have the rest.\n' "$cut" >"$text"
fi
if [ -n "${GITHUB_RUN_ID:-}" ]; then
	printf '\nThe run, with its artefacts: %s/%s/actions/runs/%s\n' "$GITHUB_SERVER_URL" "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID" >>"$text"
fi
if [ -n "${DRY_RUN:-}" ]; then
	cat "$text"
	exit 0
fi
number=$(gh issue list --state open --search "\"$title\" in:title" --json number --jq '.[0].number // empty')
if [ -n "$number" ]; then
	gh issue comment "$number" --body-file "$text"
else
	gh issue create --title "$title" --body-file "$text"
fi
