# `./run deb [DIR]`: a Debian package of what `./run install PREFIX=/usr` would install, for the Debian that makes it.

usr=build/deb/root/usr
venv_in_usr=lib/ayatori/venv
maintainer="The Ayatori developers <developers@ayatori.example>"

move_to_usr() { # paths must not name the folder of the build
    find $usr/$venv_in_usr/bin -type f ! -name ayatori -delete
    sed -i "1s|.*|#!/usr/$venv_in_usr/bin/python|" $usr/$venv_in_usr/bin/ayatori
    sed -i '/^command/d' $usr/$venv_in_usr/pyvenv.cfg
    find $usr -name direct_url.json -delete
    # shellcheck disable=SC2016
    sed -i 's|^prefix=.*|prefix=/usr|; s| -Wl,-rpath,${libdir}||' $usr/lib*/pkgconfig/*.pc
}

arrange_for_debian() { # folder of Python's packages
    rm -r "$1"/numpy "$1"/numpy.libs "$1"/numpy-*.dist-info # Debian's is used
    sed -i 's/^include-system-site-packages = .*/include-system-site-packages = true/' $usr/$venv_in_usr/pyvenv.cfg
    # The plug-ins are in the Python package, too.
    for family in openmpi mpich; do
        rm -r $usr/lib/ayatori/$family
        ln -s "${1#$usr/lib/ayatori/}/ayatori/mpi/$family" $usr/lib/ayatori/$family
    done
    strip --strip-unneeded $usr/bin/nwtopo-* $usr/lib/*.so.*.* $usr/lib/ayatori/*.so
    find $usr -name __pycache__ -prune -exec rm -r {} +
    gzip -9n $usr/share/man/man1/*
    mv $usr/share/zsh/site-functions $usr/share/zsh/vendor-completions
    mkdir -p $usr/share/doc/ayatori
    cp README.md CHANGELOG.md $usr/share/doc/ayatori
    printf 'ayatori (%s) unstable; urgency=medium\n\n  * CHANGELOG.md has the changes.\n\n -- %s  %s\n' \
        "$version" "$maintainer" "$(date -R)" | gzip -9n >$usr/share/doc/ayatori/changelog.gz
    {
        cat LICENSE
        printf '\nPackages of Python in /usr/%s have licences of their own, next to them in *.dist-info.\n' "$venv_in_usr"
    } >$usr/share/doc/ayatori/copyright
}

dependencies() { # folder of Python's packages; lines of a control file: of the libraries, and of single commands
    mkdir -p build/deb/debian
    printf 'Source: ayatori\n\nPackage: ayatori\nArchitecture: any\n' >build/deb/debian/control
    set -- $usr/bin/nwtopo-* $usr/lib/libnwtopo.so.*.* $usr/lib/libacp.so.*.* $usr/lib/ayatori/*.so \
        "$1"/ayatori/*.so "$1"/ayatori/mpi/*/*.so \
        -dSuggests $usr/lib/libacp_verbs.so.*.* $usr/lib/ayatori/libfabric/*.so $(find "$1/ayatori/programs" -type f ! -name '*.[ch]')
    (cd build/deb && dpkg-shlibdeps -O --ignore-missing-info -lroot/usr/lib $(printf '%s\n' "$@" | sed 's|^build/deb/||'))
}

control_file() { # folder of Python's packages
    dependencies "$1" >build/deb/dependencies 2>build/deb/shlibdeps.log || { cat build/deb/shlibdeps.log >&2; return 1; }
    minor=$(/usr/bin/python3 -c 'import sys; print(sys.version_info[1])')
    # shellcheck disable=SC2086
    commands=$(echo $lab_packages libibnetdisc5 libibverbs1 ibverbs-providers "openmpi-bin | mpich" | sed 's/ \([^|]\)/, \1/g; s/|, /| /g')
    cat <<END
Package: ayatori
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $maintainer
Installed-Size: $(du -sk $usr | cut -f 1)
Depends: python3 (>= 3.$minor), python3 (<< 3.$((minor + 1))), python3-numpy (>= 1:1.24), $(sed -n 's/^shlibs:Depends=//p' build/deb/dependencies)
Recommends: iproute2, openssh-client
Suggests: $commands, $(sed -n 's/^shlibs:Suggests=//p' build/deb/dependencies)
Section: net
Priority: optional
Description: see the network that HPC software runs on, and use it
 Ayatori reads the network of a cluster and names its missing and slow cables.
 It chooses the paths of a job's messages, and executes collectives in programs
 with MPI. The package has the command line, and the C libraries nwtopo and acp
 with their headers.
END
}

control_scripts() {
    echo "activate-noawait ldconfig" >build/deb/root/DEBIAN/triggers
    printf 'lib%s 0 ayatori\n' nwtopo acp acp_verbs >build/deb/root/DEBIAN/shlibs
    printf '#!/bin/sh\nset -e\n[ "$1" != configure ] || py3compile -p ayatori /usr/lib/ayatori\n' >build/deb/root/DEBIAN/postinst
    printf '#!/bin/sh\nset -e\npy3clean -p ayatori\n' >build/deb/root/DEBIAN/prerm
    chmod 755 build/deb/root/DEBIAN/postinst build/deb/root/DEBIAN/prerm
}

make_deb() { # folder
    # shellcheck disable=SC2086
    prepare_build $package_packages dpkg-dev
    rm -rf build/deb
    fill_prefix $usr /usr/bin/python3 --without-pip --no-compile
    packages=$(echo $usr/$venv_in_usr/lib/python3.*/site-packages)
    move_to_usr
    arrange_for_debian "$packages"
    mkdir -p build/deb/root/DEBIAN "$1"
    control_file "$packages" >build/deb/root/DEBIAN/control || exit 1
    control_scripts
    (cd build/deb/root && find usr -type f -exec md5sum {} +) >build/deb/root/DEBIAN/md5sums
    find build/deb/root -type d -exec chmod 755 {} +
    watched "packing" build/dpkg-deb.log dpkg-deb --root-owner-group --build build/deb/root "$1" || exit 1
    ls "$1"/ayatori_*.deb
}
