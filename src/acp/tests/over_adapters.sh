#!/bin/sh
# usage: over_adapters.sh PYTHON PROCESSES PROGRAM…
# Executes each program over verbs in PROCESSES processes, which use alternately the adapters rxe0 and rxe1 of this machine.
# Each has room for a reliable connection to one peer; the others are reached by datagrams alone.
set -eu
python=$1
processes=$2
shift 2
export ACP_TIMEOUT=120 ACP_CONNECTIONS=1 ACP_ATOMICS=adapter
for program in "$@"; do
    echo "$program"
    "$python" -m ayatori.processes "$processes" \
        sh -c 'ACP_WIRES=verbs:rxe$((ACP_RANK % 2)) exec "$0"' "$program"
done
