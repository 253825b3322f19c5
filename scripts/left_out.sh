# What a build left out because a package was missing, one line each.

say_what_is_left_out() { # CMakeCache.txt
    names=
    packages=
    for family in "openmpi Open MPI" "mpich MPICH"; do
        ! grep -q "^AYATORI_MPICC_${family%% *}:FILEPATH=/" "$1" || continue
        names="${names:+$names and }${family#* }"
        packages="${packages:+$packages }lib${family%% *}-dev"
    done
    [ -z "$names" ] || echo "the MPI plug-in for $names is not built: apt-get install $packages, then ./run build" >&2
    grep -q '^IBVERBS_INCLUDE:PATH=/' "$1" ||
        echo "plans for InfiniBand connections (run --plan) are not built: apt-get install libibverbs-dev, then ./run build" >&2
}
