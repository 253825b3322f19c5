#!/bin/sh
# usage: over_hosts.sh PROGRAM…
# Plays the programs, one after the other, over verbs in four processes, two on each of the hosts of
# `ayatori lab rdma --guests 2`. One mpirun starts them all: there that takes longer than any of them.
set -eu
# Addresses of adapters are looked up by the network that loses nothing.
export ACP_WIRES=verbs ACP_NETWORK=192.168.76.0/24 ACP_TIMEOUT=120
# shellcheck disable=SC2016
each='for program; do
    [ "$OMPI_COMM_WORLD_RANK" != 0 ] || echo "$program"
    "$program"
done'
mpirun.openmpi --allow-run-as-root -np 4 --host host0:2,host1:2 -x ACP_WIRES -x ACP_NETWORK -x ACP_TIMEOUT \
    sh -euc "$each" sh "$@"
