# `./run wheel [DIR] [MACHINE]`: wheels for every Linux with glibc 2.28, for this kind of machine or another: one for
# CPython 3.12 and later, and one each for 3.11 and 3.10. What they are made from: our sources, scripts/wheel_parts.sh.

wheel_pythons="3.13 3.11 3.10"
# They run; nothing of theirs comes into a wheel, for which zig compiles.
wheel_packages="cmake ninja-build make m4 python3 python3-venv"

debian_machine() { # machine
    case $1 in x86_64) echo amd64 ;; aarch64) echo arm64 ;; *) return 1 ;; esac
}

headers_of_python() { # folder of parts, version; nothing is said if they are not there
    for headers in "$1/usr/include/python$2" "$HOME"/.pyenv/versions/"$2".*/include/"python$2" "/usr/include/python$2"; do
        [ ! -e "$headers/Python.h" ] || { echo "$headers"; return; }
    done
}

compile_for_wheel() { # folder of parts, machine, Python, its headers
    watched "configuring for $2 and Python $3" "$1.configure.log" \
        cmake -S . -B "$1/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/wheel.cmake" -DAYATORI_WHEEL_PARTS="$1" \
        -DAYATORI_WHEEL_MACHINE="$2" -DAYATORI_WHEEL_PYTHON="$3" -DAYATORI_WHEEL_PYTHON_HEADERS="$4" -DAYATORI_TESTS=OFF \
        -DAYATORI_PYTHON=ON -DAYATORI_PRECOMPILE=ON -DPython_EXECUTABLE="$PWD/.venv/bin/python" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 || exit 1
    watched "compiling for $2 and Python $3" "$1.build.log" cmake --build "$1/build" || exit 1
}

fill_wheel() { # folder of parts: what the wheel has, in the stage
    rm -rf "$1/stage"
    cmake --install "$1/build" --prefix "$1/stage" --component python
    # A wheel has no links.
    find "$1/stage/ayatori" -maxdepth 1 -type l -exec sh -euc 'for link; do cp --remove-destination "$(readlink -f "$link")" "$link"; done' sh {} +
    rm -f "$1"/stage/ayatori/lib*.so.*.*
    tar -c -C python --exclude=__pycache__ --exclude='*.so' ayatori | tar -x -C "$1/stage"
}

describe_wheel() { # folder of parts, machine, Python: its metadata
    .venv/bin/python -c 'import sys; from scikit_build_core.build import prepare_metadata_for_build_wheel as made; made(sys.argv[1])' "$1/stage"
    metadata=$(echo "$1"/stage/ayatori-*.dist-info)
    case $3 in 3.13) tag=cp312-abi3 ;; *) tag=cp3${3#3.}-cp3${3#3.} ;; esac
    printf 'Wheel-Version: 1.0\nGenerator: ayatori\nRoot-Is-Purelib: false\nTag: %s-manylinux_2_28_%s\n' "$tag" "$2" >"$metadata/WHEEL"
    cp -r "$1/licenses" "$metadata/licenses/others"
}

make_wheels_for() { # folder for them, machine
    parts=$PWD/build/wheel-$2
    [ -e "$parts/made" ] ||
        watched "getting what a wheel for $2 needs" "$parts.log" \
            sh -euc '. scripts/wheel_parts.sh; make_parts "$@"' sh "$parts" "$2" "$(debian_machine "$2")" || exit 1
    mkdir -p "$1"
    for python in $wheel_pythons; do
        headers=$(headers_of_python "$parts" "$python")
        [ -n "$headers" ] || { echo "left out: a wheel for Python $python, whose headers are not here" >&2; continue; }
        compile_for_wheel "$parts" "$2" "$python" "$headers"
        { fill_wheel "$parts"; describe_wheel "$parts" "$2" "$python"; } >"$parts.stage.log"
        .venv/bin/python -m wheel pack --dest-dir "$1" "$parts/stage" >>"$parts.stage.log"
    done
    ls "$1"/ayatori-*-manylinux_2_28_"$2".whl
}

make_wheel() { # a folder, machines; both may be left out
    folder=build/dist
    machines=
    for word in "$@"; do
        if debian_machine "$word" >/dev/null; then machines="$machines $word"; else folder=$word; fi
    done
    # shellcheck disable=SC2086
    need_packages $wheel_packages
    [ -x .venv/bin/python ] || watched "making .venv" build/venv.log python3 -m venv .venv || exit 1
    .venv/bin/python -c 'import ziglang, scikit_build_core, wheel, nanobind' 2>/dev/null ||
        pip_install build/wheel-tools.log 'ziglang>=0.17.1,<0.18' 'scikit-build-core>=0.11' 'nanobind>=2.4' wheel
    for machine in ${machines:-$(uname -m)}; do make_wheels_for "$folder" "$machine"; done
}
