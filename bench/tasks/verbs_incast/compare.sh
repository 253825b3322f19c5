#!/bin/sh
# usage: compare.sh FOLDER_OF_PROGRAMS BUFFERS…
# Paper 5's incast with so many receive buffers, by each protocol in turn: one JSON line each. `rnr_retry` 7 tries without
# end, 3 gives up after three answers "receiver not ready": the paper's "Retry error".
set -eu
programs=$1
shift
messages=${MESSAGES:-100}
one() { # protocol, program, buffers, more…
    printf '%s: ' "$1"
    program=$2
    buffers=$3
    shift 3
    "$programs/verbs_incast_$program" rxe0 rxe1 "$buffers" 64 "$messages" "$@" || true
}
for buffers in "$@"; do
    one "RC-SRQ, 640 us" rc_srq "$buffers" 12 7
    one "RC-SRQ, 10 us" rc_srq "$buffers" 1 7
    one "RC-SRQ, 10 us, rnr_retry 3" rc_srq "$buffers" 1 3
    for timer in 100 1000 10000; do one "UD, $timer us" datagrams "$buffers" "$timer"; done
    one "adaptive + admission" datagrams "$buffers" adaptive
done
