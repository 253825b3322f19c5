# Which Debian packages are needed for what, and how they get there.

# What C++ needs to be compiled.
compile_packages="g++ cmake ninja-build libfmt-dev libibnetdisc-dev libibmad-dev libibumad-dev libtomlplusplus-dev libxxhash-dev \
    libyaml-dev nettle-dev nlohmann-json3-dev"
# What the program needs to be built and to run its main job.
build_packages="$compile_packages python3 python3-dev python3-venv"
lab_packages="opensm ibsim-utils infiniband-diags ibutils"
# What runs inside MPI programs is compiled with these besides.
plugin_packages="libopenmpi-dev libmpich-dev libibverbs-dev"
# What a package for others is compiled with besides: all of `ayatori bench` and libacp.
package_packages="$plugin_packages libpmix-dev libucx-dev libfabric-dev libopenblas-pthread-dev"
# What its tests and checks need besides.
test_packages="pkg-config libgtest-dev libbenchmark-dev clang-19 libclang-rt-19-dev clang-format-19 chromium fonts-dejavu-core \
    openmpi-bin libopenmpi-dev mpich libmpich-dev gfortran libcoarrays-openmpi-dev libpmix-dev graphviz libhwloc-dev libsimgrid-dev scotch lldpd iproute2 nftables slurmctld slurmd slurm-client munge libucx-dev libfabric-dev \
    libibverbs-dev ibverbs-providers ibverbs-utils qemu-system-x86 hpcc libopenblas-pthread-dev"
# What the benchmarks measure beside ours.
peer_packages="libopenmpi-dev libsodium-dev libssl-dev libfabric-bin ucx-utils hpcc libopenblas-pthread-dev"
# The integer program beside our plans, from PyPI.
bench_python_packages="ortools>=9.10"
# What the experiments use besides: MPIs, HPL, PETSc, SMPI, virtual machines with Soft-RoCE, and a browser that takes
# pictures of the pages.
experiment_packages="openmpi-bin libopenmpi-dev mpich libmpich-dev hpcc libopenblas-pthread-dev iproute2 libpetsc-real-dev pkg-config \
    libsimgrid-dev qemu-system-x86 libibverbs-dev ibverbs-providers chromium fonts-dejavu-core"
# What bench.validation.applications runs; what is missing it skips. mpi4py comes from PyPI.
application_packages="lammps quantum-espresso libpetsc-real-dev libopenmpi-dev pkg-config"
# What `./run bare` makes a root file system with.
bare_packages="debootstrap"

apt_is_here=$(command -v apt-get || true)

missing_packages() {
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || printf '%s ' "$package"
    done
}

install_packages() { # as root; packages of daemons (opensm, lldpd) start them unless policy-rc.d forbids it
    policy=/usr/sbin/policy-rc.d
    if [ ! -e $policy ]; then
        trap 'rm -f $policy' EXIT
        trap 'exit 1' INT TERM
        printf '#!/bin/sh\nexit 101\n' >$policy
        chmod +x $policy
    fi
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

need_packages() {
    [ -n "$apt_is_here" ] || {
        echo "no apt here, so what is installed is used. It takes, by Debian's names (docs/install.md has others): $*" >&2
        return 0
    }
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" = 0 ]; then as_root=""
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root="sudo"
    else
        echo "error: packages are missing, and only root can install them; run:" >&2
        echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends $missing" >&2
        exit 1
    fi
    echo "installing: $missing" >&2
    # shellcheck disable=SC2086
    watched "installing packages" build/packages.log \
        $as_root sh -euc '. scripts/packages.sh; install_packages "$@"' sh $missing || exit 1
}
