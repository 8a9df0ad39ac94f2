#!/bin/sh
# cluster.sh BIN DIR CLIENT1 CLIENT2 CLIENT3 PEER1 PEER2 PEER3: three members of one etcd.
# A member that ends takes the others along, so that it is noticed.
set -eu
bin=$1 dir=$2
cluster=1=http://127.0.0.1:$6,2=http://127.0.0.1:$7,3=http://127.0.0.1:$8
member() {
	"$bin" --name "$1" --data-dir "$dir/$1" --unsafe-no-fsync --log-level warn \
		--listen-client-urls "http://127.0.0.1:$2" --advertise-client-urls "http://127.0.0.1:$2" \
		--listen-peer-urls "http://127.0.0.1:$3" --initial-advertise-peer-urls "http://127.0.0.1:$3" \
		--initial-cluster "$cluster" --heartbeat-interval 60 --election-timeout 600
	kill -TERM $$
}
member 1 "$3" "$6" &
member 2 "$4" "$7" &
member 3 "$5" "$8" &
wait
