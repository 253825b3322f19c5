# The parts of `./run test`, in the order in which it runs them. The last line adds them up.

test_parts="cpp fuzz threads python"

# The same inputs each time, as far as the time goes; FUZZ_SEED=0 tries others.
fuzz_seconds=${FUZZ_SECONDS:-3}
fuzz_seed=${FUZZ_SEED:-1}

passed=0
failed=0
started=$(date +%s)
count() { # suite, passed, failed
    echo "== $1: $2 passed, $3 failed ($(($(date +%s) - started)) s)"
    started=$(date +%s)
    passed=$((passed + $2))
    failed=$((failed + $3))
}

build_preset() { # preset, targets…
    preset=$1
    shift
    watched "configuring $preset" "build/$preset.configure.log" cmake --preset "$preset" || exit 1
    if [ $# -gt 0 ]; then set -- --target "$@"; fi
    watched "building $preset" "build/$preset/build.log" cmake --build --preset "$preset" "$@" || exit 1
}

ctest_suite() { # preset, targets…
    build_preset "$@"
    preset=$1
    log="build/$preset/ctest.log"
    # ctest lists the tests of programs that were left out above as not built. Examples are not listed in this way.
    left_out='_NOT_BUILT$'
    [ $# = 1 ] || left_out="$left_out|^example\\."
    failure_is_expected=1 watched "testing $preset" "$log" \
        ctest --test-dir "build/$preset" -j2 -E "$left_out" --output-on-failure || grep -vE ' Passed |^ *Start ' "$log"
    failures=$(sed -n 's/.* \([0-9]*\) tests failed out of .*/\1/p' "$log")
    total=$(sed -n 's/.* tests failed out of \([0-9]*\)/\1/p' "$log")
    count "C++ ($preset)" $((${total:-0} - ${failures:-1})) "${failures:-1}"
}

fuzz_one() { # program
    name=$(basename "$1" _fuzz)
    scratch="build/fuzz/$name"
    mkdir -p "$scratch"
    echo "fuzzing $name"
    "$1" -seed="$fuzz_seed" -max_total_time="$fuzz_seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$scratch-" \
        "$scratch" "fuzz/corpus/$name" >"$scratch.log" 2>&1 || touch "$scratch.failed"
}

fuzz_all() { # programs…; two at a time
    running=0
    for program in "$@"; do
        fuzz_one "$program" &
        running=$((running + 1))
        [ $((running % 2)) = 0 ] && wait
    done
    wait
}

fuzz_suite() {
    build_preset asan # where they are built beside the unit tests
    mkdir -p build/fuzz
    rm -f build/fuzz/*.failed
    set -- build/asan/fuzz/*_fuzz
    watched "fuzzing" build/fuzz/all.log fuzz_all "$@"
    bad=0
    for mark in build/fuzz/*.failed; do
        [ -e "$mark" ] || continue
        bad=$((bad + 1))
        grep '^INFO: Seed' "${mark%.failed}.log" || true
        tail -n 40 "${mark%.failed}.log"
    done
    count "fuzzers, $fuzz_seconds s each, seed $fuzz_seed" $(($# - bad)) "$bad"
}

pytest_suite() { # what pytest takes: folders, options
    log=build/pytest.log
    failure_is_expected=1 watched "testing Python" "$log" \
        .venv/bin/python -m pytest -n 2 --dist loadfile --durations=10 -p no:cacheprovider "$@" || cat "$log"
    summary=$(tail -n 1 "$log")
    good=$(echo "$summary" | sed -n 's/.*[^0-9]*\b\([0-9][0-9]*\) passed.*/\1/p')
    bad=$(echo "$summary" | grep -oE '[0-9]+ (failed|error)' | awk '{n += $1} END {print n + 0}')
    [ -n "$good" ] || { good=0; bad=$((bad + 1)); }
    count "Python" "$good" "$bad"
}

check_parts() { # parts…
    for part in "$@"; do
        case $part in
            cpp | fuzz | threads | python) ;;
            tests/*) [ -e "$part" ] || { echo "error: there are no tests in '$part'" >&2; exit 2; } ;;
            *) echo "error: no part of the tests is called '$part': $test_parts, or a folder such as tests/cli" >&2; exit 2 ;;
        esac
    done
}

run_part() { # name, or a folder of Python tests
    case $1 in
        cpp) ctest_suite asan ;;
        fuzz) fuzz_suite ;;
        threads)
            ctest_suite tsan network_threads_test topology_threads_test nwtopo_threads_test nwtopo_programs driver_test shm_test combined_test \
                progress_test acp_programs play_over_puts_test ;;
        python) pytest_suite ;;
        tests/*) pytest_suite "$1" ;;
    esac
}

run_tests() { # parts…; all without
    # shellcheck disable=SC2086
    [ $# -gt 0 ] || set -- $test_parts
    for part in "$@"; do run_part "$part"; done
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
