# What a build left out because packages were missing, one line each.

say_what_is_left_out() { # left-out.txt in the folder of a build, which cmake/parts.cmake writes
    [ -s "$1" ] || return 0
    sed 's/\([^:]*\): \(.*\)/left out: \2 (\1)/' "$1" >&2
    packages=$(cut -d: -f1 "$1" | tr ' ' '\n' | awk '!seen[$0]++' | paste -sd ' ')
    echo "to have all of it: ${apt_is_here:+apt-get install }$packages, then ./run build" >&2
}
