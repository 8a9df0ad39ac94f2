#!/bin/sh
# postgres.sh BIN DIR PORT DATABASE-PORT: kine on a PostgreSQL of its own.
# PostgreSQL refuses to run as root, so root lends it the postgres user.
set -eu
kine=$1 data=$2/postgres port=$4
for bin in /usr/lib/postgresql/*/bin; do :; done # the newest
as=
if [ "$(id -u)" = 0 ]; then
	as='setpriv --reuid=postgres --regid=postgres --clear-groups'
	chmod 711 "$2"
	mkdir "$data"
	chown postgres "$data"
fi
cd /
$as "$bin/initdb" --pgdata "$data" --username postgres --auth trust --no-sync >&2
$as "$bin/postgres" -D "$data" -h 127.0.0.1 -p "$port" -k '' -c fsync=off -c max_connections=200 >&2 &
until $as "$bin/pg_isready" --quiet --host 127.0.0.1 --port "$port"; do
	kill -0 $! # it has ended, and so does this
	sleep 0.1
done
exec "$kine" --listen-address "http://127.0.0.1:$3" --metrics-bind-address 0 \
	--endpoint "postgres://postgres@127.0.0.1:$port/kine?sslmode=disable"
