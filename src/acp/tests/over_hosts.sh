#!/bin/sh
# usage: over_hosts.sh PROGRAM…
# Plays the programs, one after the other, over verbs in four processes, two on each of the hosts of
# `ayatori lab rdma --guests 2`. Each has an mpirun of its own: PMIx servers mix up the barriers of programs that the same
# processes execute one after the other, also those of MPI_Init.
set -eu
# Addresses of adapters are looked up by the network that loses nothing.
export ACP_WIRES=verbs ACP_NETWORK=192.168.76.0/24 ACP_TIMEOUT=120
for program; do
    echo "$program"
    mpirun.openmpi --allow-run-as-root -np 4 --host host0:2,host1:2 -x ACP_WIRES -x ACP_NETWORK -x ACP_TIMEOUT "$program"
done
