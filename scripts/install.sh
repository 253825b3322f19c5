# What `./run install PREFIX=DIR` puts where. Nothing is compiled for it but what `./run build` compiles.

version=$(sed -n 's/^project(ayatori VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

install_help() { # prefix: manual pages and completion, both from the command line's own help
    "$1/lib/ayatori/venv/bin/python" -m ayatori.cli.man_pages "$1/share/man/man1" >/dev/null
    while read -r shell file; do
        mkdir -p "$(dirname "$1/share/$file")"
        _AYATORI_COMPLETE=source_$shell "$1/lib/ayatori/venv/bin/python" -m ayatori.cli | sed '/./,$!d' >"$1/share/$file"
    done <<'END'
bash bash-completion/completions/ayatori
zsh zsh/site-functions/_ayatori
fish fish/vendor_completions.d/ayatori.fish
END
}

# A modulefile in Tcl, which Environment Modules and Lmod both read. It names the prefix, so that a site may copy it into
# a tree of its own. It sets nothing that other programs would notice: pkg-config gives programs a RUNPATH, the command
# line has its own Python environment, and man finds pages next to PATH.
install_module() { # prefix
    prefix=$(cd "$1" && pwd)
    file=$prefix/share/modulefiles/ayatori/$version
    mkdir -p "$(dirname "$file")"
    cat >"$file" <<END
#%Module1.0
set prefix $(printf '%s' "$prefix" | sed 's/[][{}$";#\\ ]/\\&/g')
proc ModulesHelp { } {
    puts stderr "The command line: ayatori --help. C programs: pkg-config nwtopo, pkg-config acp."
}
module-whatis "Ayatori $version: see the network that HPC software runs on, and use it"
conflict ayatori
prepend-path PATH \$prefix/bin
prepend-path CMAKE_PREFIX_PATH \$prefix
END
    for folder in "$prefix"/lib*/pkgconfig; do
        [ ! -d "$folder" ] || echo "prepend-path PKG_CONFIG_PATH \$prefix/${folder#"$prefix"/}" >>"$file"
    done
}

# The wheel is made from what is compiled already, by the Python that it was compiled for.
make_local_wheel() {
    rm -rf build/wheel
    watched "making the wheel" build/wheel.log \
        .venv/bin/pip wheel -v --disable-pip-version-check --no-build-isolation --no-deps -w build/wheel . || exit 1
}

fill_prefix() { # prefix, Python, options of venv and of pip…
    prefix=$1
    python=$2
    venv_option=${3:-}
    pip_option=${4:-}
    make_local_wheel
    cmake --install build/release --prefix "$prefix" --component development >/dev/null
    watched "making the prefix's Python environment" build/install-venv.log \
        "$python" -m venv $venv_option "$prefix/lib/ayatori/venv" || exit 1
    watched "installing the wheel" build/install.log .venv/bin/pip --python "$prefix/lib/ayatori/venv/bin/python" \
        install --disable-pip-version-check $pip_option build/wheel/ayatori-*.whl || exit 1
    mkdir -p "$prefix/bin"
    ln -sf ../lib/ayatori/venv/bin/ayatori "$prefix/bin/ayatori"
    install_help "$prefix"
}

install_into() {
    prefix=$1
    case $prefix in /*) ;; *) prefix="$PWD/$prefix" ;; esac
    build
    say_what_is_left_out build/release/left-out.txt
    fill_prefix "$prefix" .venv/bin/python
    install_module "$prefix"
    echo "manual pages: man -M $prefix/share/man ayatori" >&2
    echo "completion in this bash: . $prefix/share/bash-completion/completions/ayatori" >&2
    echo "modulefile: module use $prefix/share/modulefiles; module load ayatori" >&2
    echo "installed into $prefix" >&2
    say_where_it_is "$prefix/bin"
}
