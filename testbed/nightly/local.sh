#!/usr/bin/env bash
# local.sh FOLDER DURATION NODES [TARGET]: the nightly run without containers, on a control plane of the testbed with
# that many apiservers and members of etcd; or on TARGET, such as a store with a fault.
set -euo pipefail

folder=${1:?expected a folder} duration=${2:?expected a duration} nodes=${3:?expected a number} target=${4:-}
mkdir -p "$folder"
if [ -n "$target" ]; then
	echo "$target" >"$folder/target"
	exec testbed/nightly/check.sh "$folder" "$duration"
fi
# shellcheck disable=SC2016 # the inner shell expands it
exec bin/controlplane --apiservers "$nodes" --members "$nodes" --logs "$folder" -- \
	sh -c 'echo "$1" >"$2/target" && exec testbed/nightly/check.sh "$2" "$3"' sh '{target}' "$folder" "$duration"
