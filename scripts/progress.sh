# watched: runs a command with its output in a log, and says meanwhile what it is doing.

progress_seconds=8 # between two lines of progress where there is no terminal

last_line() { # file: its last line without control characters, cut to fit
    tail -c 400 "$1" 2>/dev/null | tr '\r' '\n' | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g; /^[[:space:]]*$/d' | tail -n 1 | cut -c1-80
}

watched() { # what is being done, log, command…
    what=$1
    log=$2
    shift 2
    mkdir -p "$(dirname "$log")"
    : >"$log"
    begin=$(date +%s)
    # A shell starts what it does not wait for with SIGINT ignored; a program must see it as if it had been waited for.
    case $(command -v "$1") in */*) set -- env --default-signal=INT,QUIT "$@" ;; esac
    "$@" >"$log" 2>&1 </dev/null &
    child=$!
    trap 'kill "$child" 2>/dev/null; exit 130' INT TERM
    shown=$begin
    while kill -0 "$child" 2>/dev/null; do
        sleep 0.2
        now=$(date +%s)
        if [ -t 2 ]; then
            [ "$now" = "$shown" ] || printf '\r\033[K%s, %d s: %s' "$what" $((now - begin)) "$(last_line "$log")" >&2
            shown=$now
        elif [ $((now - shown)) -ge "$progress_seconds" ]; then
            printf '%s, %d s: %s\n' "$what" $((now - begin)) "$(last_line "$log")" >&2
            shown=$now
        fi
    done
    [ ! -t 2 ] || printf '\r\033[K' >&2
    trap - INT TERM
    status=0
    wait "$child" || status=$?
    [ "$status" = 0 ] || [ -n "${failure_is_expected:-}" ] || {
        echo "error: $what failed (status $status); the end of $log:" >&2
        tail -n 40 "$log" >&2
    }
    return "$status"
}
