#!/bin/sh
# hosts.sh N RATE FOLDER COMMAND…: N hosts h0, h1, … on this machine, for as long as COMMAND runs.
#
# To be run by `unshare --net --pid --mount --uts --ipc --fork --kill-child --mount-proc`: all namespaces and interfaces
# are inside of these, and are gone when it ends, however it ends. Each host is a network namespace with a host name of its
# own and one core, in turn; a bridge joins them, and every cable carries RATE (of tc: 200mbit) each way. FOLDER gets a
# hostfile, and `agent`, which starts a program on a host as ssh would. COMMAND finds both MPIs told to use it.
set -eu
count=$1
rate=$2
folder=$3
shift 3
cores=$(nproc)

hostname head
mount -t tmpfs none /run
ip link set lo up
ip link add bridge type bridge
ip address add 10.78.0.254/24 dev bridge
ip link set bridge up

# By default a burst of 32 KiB goes through at once, which costs the processors least. A smaller one (in bytes) lets packets
# leave one by one, as on a cable, so that messages of all sizes take their bytes at the rate; segments that the kernel
# cuts only at the other end would count as one packet.
shape() {
    burst=${HOSTS_BURST:-32768}
    [ "$burst" -ge 32768 ] || "$@" ip link set "$device" gso_max_segs 1
    "$@" tc qdisc add dev "$device" root handle 1: htb default 1
    "$@" tc class add dev "$device" parent 1: classid 1:1 htb rate "$rate" burst "$burst" cburst "$burst" quantum "$burst"
}

printf '127.0.0.1 localhost\n10.78.0.254 head\n' >"$folder/hosts"
: >"$folder/hostfile"
i=0
while [ "$i" -lt "$count" ]; do
    ip netns add "h$i"
    ip link add "cable$i" type veth peer name eth0 netns "h$i"
    ip link set "cable$i" master bridge up
    ip -n "h$i" link set lo up
    ip -n "h$i" address add "10.78.0.$((i + 1))/24" dev eth0
    ip -n "h$i" link set eth0 up
    device=eth0
    shape ip netns exec "h$i"
    device=cable$i
    shape
    echo "10.78.0.$((i + 1)) h$i" >>"$folder/hosts"
    echo "h$i" >>"$folder/hostfile"
    i=$((i + 1))
done
mount --bind "$folder/hosts" /etc/hosts

# Called as rsh and ssh are: [options] HOST WORDS…
cat >"$folder/agent" <<AGENT
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
host=\$1
shift
core=\$((\${host#h} % $cores))
exec ip netns exec "\$host" unshare --uts taskset -c "\$core" sh -c "hostname \$host; \$*"
AGENT
chmod +x "$folder/agent"
export OMPI_MCA_plm_rsh_agent="$folder/agent" OMPI_MCA_btl_tcp_if_include=10.78.0.0/24 OMPI_MCA_oob_tcp_if_include=10.78.0.0/24
export HYDRA_LAUNCHER=rsh HYDRA_LAUNCHER_EXEC="$folder/agent" HYDRA_IFACE=bridge
export FI_PROVIDER=tcp
"$@"
