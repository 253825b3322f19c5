# One product alone, without Python: what stands below it is built with it (src/CMakeLists.txt).

is_product() { # name
    case $1 in nwtopo | planner | mpi | acp) ;; *) return 1 ;; esac
}

check_product() { # name
    is_product "$1" || { echo "error: there is no product '$1': nwtopo, planner, mpi, acp" >&2; exit 2; }
}

configure_product() { # name, folder, CMake's options…
    product=$1
    folder=$2
    shift 2
    watched "configuring $product" "$folder.configure.log" \
        cmake -S . -B "$folder" -G Ninja -DAYATORI_PRODUCTS="$product" -DAYATORI_PRECOMPILE=ON -DCMAKE_UNITY_BUILD=ON \
        -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 "$@" || exit 1
    watched "building $product" "$folder.build.log" cmake --build "$folder" || exit 1
}

build_product() { # name
    check_product "$1"
    # shellcheck disable=SC2086
    need_packages $compile_packages
    # shellcheck disable=SC2086
    [ "$1" != mpi ] || need_packages $plugin_packages
    configure_product "$1" "build/$1" -DAYATORI_TESTS=OFF
    echo "built: $1, in build/$1" >&2
}

test_product() { # name
    # shellcheck disable=SC2086
    need_packages $compile_packages libgtest-dev
    configure_product "$1" "build/$1-tests" -DAYATORI_TESTS=ON -DCMAKE_BUILD_TYPE=Debug
    ctest --test-dir "build/$1-tests" -j"$(nproc)" --no-tests=error --output-on-failure
}

install_product() { # prefix, name
    check_product "$2"
    build_product "$2"
    cmake --install "build/$2" --prefix "$1" --component development >/dev/null
    install_module "$1"
    echo "installed: $2, into $1" >&2
}
