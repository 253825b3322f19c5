# What wheels are made from besides our sources, for one kind of machine, in build/wheel-MACHINE: zig's commands, headers
# from Debian 12's packages, and libyaml and nettle from its sources. Nothing is installed, and nobody need be root.

header_packages="libfmt-dev libfabric-dev libibnetdisc-dev libibmad-dev libibumad-dev libtomlplusplus-dev libxxhash-dev nlohmann-json3-dev \
    libopenmpi-dev libmpich-dev libibverbs-dev libpmix-dev libpython3.11-dev"
# Of a newer Debian: wheels for Python 3.12 and later need headers of one of them.
newer_header_packages="libpython3.13-dev"

private_apt() { # folder, Debian's name of the machine, arguments of apt-get…
    apt=$1
    debian_machine=$2
    shift 2
    if [ ! -e "$apt/apt.conf" ]; then
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' | grep '/debian/$' | head -n 1)
        [ -n "$mirror" ] || { echo "error: wheels are made from Debian's packages, and apt here has none of Debian's" >&2; exit 1; }
        mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/none"
        : >"$apt/status"
        for line in "deb bookworm" "deb-src bookworm" "deb trixie"; do
            echo "${line% *} [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror ${line#* } main"
        done >"$apt/sources.list"
        cat >"$apt/apt.conf" <<END
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "$apt/none";
Dir::State::Lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Architecture "$debian_machine";
APT::Architectures { "$debian_machine"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
END
        APT_CONFIG="$apt/apt.conf" apt-get -q update || { rm "$apt/apt.conf"; exit 1; }
    fi
    APT_CONFIG="$apt/apt.conf" apt-get -q "$@"
}

write_command() { # file, line
    printf '#!/bin/sh\n%s\n' "$2" >"$1"
    chmod +x "$1"
}

write_tools() { # folder, machine
    mkdir -p "$1/bin" "$1/fmt" "$1/licenses"
    zig=$(.venv/bin/python -c 'import ziglang; print(*ziglang.__path__)')
    cp "$zig/lib/libcxx/LICENSE.TXT" "$1/licenses/libcxx"
    cp "$zig/LICENSE" "$1/licenses/zig" # routines that compilers call
    cp .venv/lib/python3*/site-packages/nanobind-*.dist-info/licenses/LICENSE "$1/licenses/nanobind"
    zig=$zig/zig
    # Headers are compiled without two words of CMake, for which zig has the same itself, and takes offence.
    own='case " $* " in *" -emit-pch "*) for word; do shift; case $word in -Xclang|-emit-pch) ;; *) set -- "$@" "$word" ;; esac; done ;; esac'
    for tool in cc c++; do write_command "$1/bin/$tool" "$own; exec $zig $tool -target $2-linux-gnu.2.28 \"\$@\""; done
    for tool in ar ranlib; do write_command "$1/bin/$tool" "exec $zig $tool \"\$@\""; done
    # As CMake asks the compilers of MPIs. They compile for the trace, which looks at the prototypes alone.
    for family in "openmpi usr/lib/$2-linux-gnu/openmpi/include" "mpich usr/include/$2-linux-gnu/mpich"; do
        headers="-I$1/${family#* }"
        for tool in mpicc mpicxx; do
            write_command "$1/bin/$tool.${family%% *}" "[ \"\$1\" != -show ] || exec echo cc $headers; exec $1/bin/cc $headers \"\$@\""
        done
    done
    cat >"$1/fmt/fmt-config.cmake" <<END
add_library(fmt::fmt INTERFACE IMPORTED)
find_path(FMT_INCLUDE fmt/format.h)
set_target_properties(fmt::fmt PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY
                      INTERFACE_INCLUDE_DIRECTORIES \${FMT_INCLUDE})
END
}

unpack_headers() { # folder, Debian's name of the machine
    mkdir -p "$1/debs"
    # shellcheck disable=SC2086
    (cd "$1/debs" && private_apt "$1/apt" "$2" download $(printf '%s/bookworm ' $header_packages) $(printf '%s/trixie ' $newer_header_packages))
    for package in "$1"/debs/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$1" --exclude='*.a' --exclude='*.so' ./usr
    done
    for package in libfabric-dev libfmt-dev libibverbs-dev libtomlplusplus-dev libxxhash-dev nlohmann-json3-dev; do
        cp "$1/usr/share/doc/$package/copyright" "$1/licenses/$package"
    done
    rm -r "$1/debs"
}

unpack_source() { # folder, Debian's name of the machine, source package
    mkdir -p "$1/source"
    (cd "$1/source" && private_apt "$1/apt" "$2" source --download-only "$3/bookworm")
    tar -x -f "$1"/source/"$3"_*.orig.tar.?z -C "$1/source"
}

make_yaml() { # folder, machine, Debian's name of it
    unpack_source "$1" "$3" libyaml
    cd "$1"/source/libyaml-*/
    # Its archive of sources lacks `configure`, which only tells a version.
    "$1/bin/cc" -O2 -fPIC -c -Iinclude -DYAML_VERSION_STRING='"0.2.5"' -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 \
        -DYAML_VERSION_PATCH=5 src/*.c
    "$1/bin/ar" rcs "$1/usr/lib/$2-linux-gnu/libyaml.a" ./*.o
    cp include/yaml.h "$1/usr/include"
    cp License "$1/licenses/libyaml"
}

# Shared, as its licence (LGPL) asks, and under a name of its own: programs that we are loaded into may have the
# machine's nettle.
make_nettle() { # folder, machine, Debian's name of it
    unpack_source "$1" "$3" nettle
    cd "$1"/source/nettle-*/
    CC="$1/bin/cc" CXX="$1/bin/c++" AR="$1/bin/ar" RANLIB="$1/bin/ranlib" CFLAGS=-O2 ./configure --host="$2-linux-gnu" --prefix="$1/usr" \
        --libdir="$1/usr/lib/$2-linux-gnu" --disable-static --disable-public-key --disable-openssl --disable-documentation
    make libnettle.so LIBNETTLE_SONAME=libayatori-nettle.so.8
    cp -L libnettle.so "$1/usr/lib/$2-linux-gnu/libnettle.so"
    mkdir -p "$1/usr/include/nettle"
    cp ./*.h "$1/usr/include/nettle"
    cp COPYING.LESSERv3 "$1/licenses/nettle"
}

make_parts() { # folder, machine, Debian's name of it
    rm -rf "$1"
    write_tools "$@"
    unpack_headers "$1" "$3"
    (make_yaml "$@")
    (make_nettle "$@")
    rm -r "$1/source" "$1/apt"
    touch "$1/made"
}
