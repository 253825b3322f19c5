#!/bin/sh
# usage: over_hosts.sh PROGRAM…
# Plays the programs, one after the other, over verbs in four processes, two on each of the hosts of
# `ayatori lab rdma --guests 2`. One mpirun starts them all: there that takes longer than any of them.
set -eu
# Of the adapters' host, by the network that loses nothing: addresses of adapters are looked up there.
export ACP_WIRES=verbs ACP_FIRST_HOST=192.168.76.1 ACP_TIMEOUT=120 ACP_JOB_KEY=$$
# A rank may be in the next program already: each of them is a job of its own.
# shellcheck disable=SC2016
each='for program; do
    [ "$OMPI_COMM_WORLD_RANK" != 0 ] || echo "$program"
    "$program"
    ACP_JOB_KEY=$((ACP_JOB_KEY + 1))
done'
mpirun.openmpi --allow-run-as-root -np 4 --host host0:2,host1:2 -x ACP_WIRES -x ACP_FIRST_HOST -x ACP_TIMEOUT \
    -x ACP_JOB_KEY sh -euc "$each" sh "$@"
