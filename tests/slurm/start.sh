#!/bin/sh
# start.sh FOLDER SCRIPT: a Slurm of four nodes on this machine, for as long as SCRIPT runs (by sh, with SLURM_CONF set).
#
# To be run by `unshare --net --pid --mount --uts --ipc --fork --kill-child --mount-proc`: in a network, a process tree and
# a host name of its own. When it ends, so do all daemons. FOLDER gets everything that they write. Nodes are called N0 to
# N3, as many formulas of networks call theirs. FOLDER/more.conf, if it is there, ends slurm.conf.
set -eu
folder=$1
script=$2
nodes="0 1 2 3"

hostname batch
# Slurm looks up only kinds of addresses that an interface other than loopback has.
ip link set lo up
ip link add first type veth peer name second
ip address add 10.77.0.1/24 dev first
ip link set first up
ip link set second up
printf '127.0.0.1 localhost\n10.77.0.1 batch\n' >"$folder/hosts"
mount --bind "$folder/hosts" /etc/hosts

mkdir -p "$folder/state" "$folder/log"
for node in $nodes; do mkdir -p "$folder/spool-N$node" "$folder/tmp-N$node"; done
cat >"$folder/slurm.conf" <<CONF
ClusterName=ayatori
SlurmctldHost=batch
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
TmpFS=$folder/tmp-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
TopologyPlugin=topology/$([ -e "$folder/topology.conf" ] && echo tree || echo none)
MpiDefault=none
NodeName=N[0-3] NodeAddr=batch Port=[17001-17004] CPUs=4
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
# slurmd of 24 asks for a cgroup, whatever its plug-ins need, and here is none to give. That of 22 knows no such word.
version=$(slurmd -V | sed 's/[^0-9]*//')
[ "${version%%.*}" -lt 24 ] || echo "CgroupPlugin=disabled" >"$folder/cgroup.conf"
[ ! -e "$folder/more.conf" ] || cat "$folder/more.conf" >>"$folder/slurm.conf"
export SLURM_CONF="$folder/slurm.conf"

dd if=/dev/urandom of="$folder/munge.key" bs=1024 count=1 2>/dev/null
chmod 400 "$folder/munge.key"
munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munge.pid" --seed-file="$folder/munge.seed" --log-file="$folder/munge.log" \
    >"$folder/log/munged" 2>&1 &
tries=0
until [ -S "$folder/munge.socket" ] || [ $tries -eq 100 ]; do sleep 0.1; tries=$((tries + 1)); done
slurmctld -D -f "$SLURM_CONF" >"$folder/log/slurmctld.out" 2>&1 &
# Each node has its host name, as programs that its jobs start see it.
for node in $nodes; do
    unshare --uts sh -c "hostname N$node; exec slurmd -D -N N$node -f '$SLURM_CONF'" \
        >"$folder/log/slurmd-N$node.out" 2>&1 &
done
tries=0
until [ "$(sinfo -h -o %D -t idle 2>/dev/null)" = 4 ]; do
    tries=$((tries + 1))
    if [ $tries -eq 200 ]; then
        echo "the four nodes did not come up" >&2
        exit 1
    fi
    sleep 0.1
done
sh -eu "$script"
