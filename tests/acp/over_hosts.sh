#!/bin/sh
# usage: over_hosts.sh PROGRAM…
# Plays each program over verbs in four processes, two on each of the hosts of `ayatori lab rdma --guests 2`.
set -eu
# Of the adapters' host, by the network that loses nothing: addresses of adapters are looked up there.
export ACP_WIRES=verbs ACP_FIRST_HOST=192.168.76.1 ACP_TIMEOUT=120
for program in "$@"; do
    echo "$program"
    mpirun.openmpi --allow-run-as-root -np 4 --host host0:2,host1:2 -x ACP_WIRES -x ACP_FIRST_HOST -x ACP_TIMEOUT \
        -x ASAN_OPTIONS "$program"
done
