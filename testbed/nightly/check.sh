#!/usr/bin/env bash
# check.sh FOLDER [DURATION]: the nightly run on the cluster that FOLDER/target names.
# The reports and the run go into FOLDER; the exit code is the checker's, and in FOLDER/exit.
set -uo pipefail

folder=${1:?expected the folder of a cluster} duration=${2:-20m}
target=$(cat "$folder/target") || exit 2
known=testbed/known-failing/kube.txt

rm -f "$folder"/{junit.xml,summary.md,report.html,exit}
"${CHECKER:-bin/checker}" run --target "$target" --duration "$duration" --known-failing "$known" \
	--junit "$folder/junit.xml" --summary "$folder/summary.md" --html "$folder/report.html" --out "$folder/runs"
code=$?
echo "$code" >"$folder/exit"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -s "$folder/summary.md" ]; then
	cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
