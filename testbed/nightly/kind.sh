#!/usr/bin/env bash
# kind.sh start MINOR NODES FOLDER: a kind cluster of that many control planes, its kubeconfig in FOLDER/kubeconfig,
#   and in FOLDER/target what names it to the checker, with every apiserver's own address
# kind.sh stop FOLDER: delete it; what its components logged stays in FOLDER/kind
# KIND is the command, by default the Go tool that is pinned.
set -euo pipefail

name=rvcheck
read -r -a kind <<<"${KIND:-go tool -modfile=testbed/tools/go.mod kind}"

usage() {
	sed -n '2,5s/^# //p' "$0" >&2
	exit 2
}

image() {
	awk -v minor="$1" '$1 == minor { print $2; found = 1 } END { exit !found }' testbed/nightly/images.txt || {
		echo "$1: expected a minor release of testbed/nightly/images.txt, such as 1.37" >&2
		exit 2
	}
}

# nodes prints the configuration of a cluster.
nodes() {
	printf 'kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnodes:\n'
	for ((i = 0; i < $1; i++)); do printf -- '- role: control-plane\n'; done
}

# target names each apiserver, not what balances between them: which one answers matters.
target() {
	local url="kube://?kubeconfig=$1/kubeconfig" node address
	if [ "$2" -gt 1 ]; then
		for node in $("${kind[@]}" get nodes --name "$name" | grep -- '-control-plane'); do
			address=$(docker inspect --format '{{.NetworkSettings.Networks.kind.IPAddress}}' "$node")
			url="$url&server=https://$address:6443"
		done
	fi
	echo "$url"
}

case "${1:-}" in
start)
	[ $# = 4 ] || usage
	folder=$4
	mkdir -p "$folder"
	picked=$(image "$2")
	nodes "$3" | "${kind[@]}" create cluster --name "$name" --image "$picked" --kubeconfig "$folder/kubeconfig" --wait 5m --config -
	target "$folder" "$3" >"$folder/target"
	cat "$folder/target"
	;;
stop)
	[ $# = 2 ] || usage
	"${kind[@]}" export logs --name "$name" "$2/kind" || true # there may be no cluster
	"${kind[@]}" delete cluster --name "$name"
	;;
*) usage ;;
esac
