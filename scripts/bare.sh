# A bare Debian 12 or 13 to try the two commands in: what a newcomer's machine has, and nothing that was installed by hand.

bare_suite=bookworm

# Runs in namespaces of its own: its mounts and its processes are gone when it ends, however it ends. Of this machine's
# environment it has what leads to packages, and SIGINT, which a shell's background job ignores otherwise.
in_bare_root() { # root, command of a shell
    # The root is bound to itself, so that programs which look for a mount point at / find one.
    # shellcheck disable=SC2016
    exec env -i --default-signal=INT,QUIT \
        HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM:-dumb}" LANG=C.UTF-8 \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} ${CI:+CI="$CI"} \
        unshare --mount --pid --fork --kill-child sh -euc '
        mount --bind "$1" "$1"
        mount -t proc proc "$1/proc"
        mount -t sysfs -o ro sysfs "$1/sys"
        mount --rbind /dev "$1/dev"
        exec chroot "$1" sh -c "$2"' sh "$1" "$2"
}

make_bare_root() { # root, suite
    mirror=$(sed -n 's/^deb *\(\[[^]]*\] *\)\{0,1\}\(http[^ ]*\).*/\2/p; s/^URIs: *\([^ ]*\).*/\1/p' \
        /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
    watched "making a bare Debian ($2)" build/bare.log \
        debootstrap --variant=minbase "$2" "$1" "${mirror:-http://deb.debian.org/debian}"
    # How this machine reaches Debian's packages and PyPI.
    for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do [ ! -e $file ] || cp -L $file "$1$file"; done
    [ ! -d /etc/apt/apt.conf.d ] || cp -L /etc/apt/apt.conf.d/*proxy* "$1/etc/apt/apt.conf.d/" 2>/dev/null || true
    for certificates in /etc/ssl/certs /usr/local/share/ca-certificates; do
        [ ! -d $certificates ] || { mkdir -p "$1$certificates" && cp -rL $certificates/. "$1$certificates"; }
    done
}

# As people get it who have no git: the files, without what was built here.
copy_tree() { # folder
    mkdir -p "$1"
    tar -c --exclude=./build --exclude=./.venv --exclude=./.git --exclude=__pycache__ . | tar -x -C "$1" --no-same-owner
}

run_bare() { # [--suite SUITE], commands of ./run…; demo and test without
    [ "$(id -u)" = 0 ] || { echo "error: only root can make a root file system" >&2; exit 1; }
    if [ "${1:-}" = --suite ]; then
        [ $# -gt 1 ] || { echo "error: which suite? ./run bare --suite trixie" >&2; exit 2; }
        bare_suite=$2
        shift 2
    fi
    # shellcheck disable=SC2086
    need_packages $bare_packages
    [ $# -gt 0 ] || set -- demo test
    root=$(mktemp -d "${TMPDIR:-/tmp}/ayatori-bare.XXXXXX")
    chmod 755 "$root" # it becomes "/", which not only root may enter
    running=
    trap '[ -z "$running" ] || kill "$running" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
    trap 'exit 130' INT TERM
    make_bare_root "$root" "$bare_suite" || exit 1
    copy_tree "$root/root/ayatori"
    for command in "$@"; do
        echo "== bare ($bare_suite): ./run $command" >&2
        # In the background, and waited for: the shell takes a signal at once.
        in_bare_root "$root" "cd /root/ayatori && ./run $command" </dev/null &
        running=$!
        wait "$running" || {
            echo "error: './run $command' fails on a bare Debian ($bare_suite)" >&2
            exit 1
        }
        running=
    done
}
