# The parts of `./run test`, in the order in which it runs them. The last line adds them up.

test_parts="cpp fuzz threads python"

# `all` adds the long sweeps, and fuzzes longer. The same inputs each time, as far as the time goes; FUZZ_SEED=0 tries
# others.
sweeps=
fuzz_seconds=${FUZZ_SECONDS:-1}
fuzz_seed=${FUZZ_SEED:-1}

cores=$(nproc)
passed=0
failed=0
times_file=build/test-times.txt   # of each test: seconds, suite, name
suites_file=build/test-suites.txt # of each suite: processor time in user mode and in the kernel, elapsed time, name

processor_seconds() { # of all ended children of this shell: "user system"
    # In this shell, since a subshell has children of its own.
    times >build/times
    sed -n '2s/\([0-9]*\)m\([0-9.]*\)s \([0-9]*\)m\([0-9.]*\)s/\1 \2 \3 \4/p' build/times |
        awk '{print $1 * 60 + $2, $3 * 60 + $4}' >build/processor-seconds
}

begin_suite() {
    began=$(date +%s)
    processor_seconds
    read -r began_user began_system <build/processor-seconds
}

end_suite() { # name
    processor_seconds
    read -r user system <build/processor-seconds
    elapsed=$(($(date +%s) - began))
    echo "$user $began_user $system $began_system $elapsed $1" |
        awk '{printf "%8.0f %8.0f %8d  ", $1 - $2, $3 - $4, $5; $1 = $2 = $3 = $4 = $5 = ""; sub(/^ +/, ""); print}' >>"$suites_file"
}

count() { # suite, passed, failed
    end_suite "$1"
    echo "== $1: $2 passed, $3 failed ($elapsed s)"
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

build_benches() { # which no usual test compiles
    cmake -DAYATORI_BENCH=ON build/release >/dev/null
    watched "building the benchmarks" build/bench.log cmake --build build/release || exit 1
}

# What a log of ctest has: the tests of GoogleTest programs one by one, any other program as one test. A program that
# ends badly without a failed test has failed. Prints "passed failed"; the time of each test goes to a file.
read_ctest_log() { # log, suite, file for times
    awk -v suite="$2" -v times="$3" '
        / Testing: / { name = $NF; ours = wrong = missing = 0 }
        /^Command: ""$/ { missing = 1 } # a program that is not there, of which ctest writes that it passed
        /^\[       OK \] .* \([0-9]+ ms\)$/ { ++ours; ++good; ms = $(NF - 1); sub(/\(/, "", ms); print ms / 1000, suite, $4 >>times }
        /^\[  FAILED  \] .* \([0-9]+ ms\)$/ { ++wrong; ++bad }
        /^Test time = / { seconds = $4 }
        /^Test (Passed|Failed)/ {
            is_good = $2 ~ /Passed/ && !missing
            if (!is_good && !wrong) ++bad
            if (!ours && !wrong) { good += is_good; print seconds, suite, name >>times }
        }
        END { print good + 0, bad + 0 }' "$1"
}

ctest_suite() { # preset, targets…
    build_preset "$@"
    preset=$1
    log="build/$preset/ctest.log"
    ended_well=1
    failure_is_expected=1 watched "testing $preset" "$log" \
        ctest --test-dir "build/$preset" -j"$cores" --no-tests=error --output-on-failure || {
        ended_well=
        grep -vE ' Passed |^ *Start ' "$log"
    }
    counts=$(read_ctest_log "build/$preset/Testing/Temporary/LastTest.log" "$preset" "$times_file")
    good=${counts% *}
    bad=${counts#* }
    # ctest may see what its log does not show, and what it did not start.
    [ -n "$ended_well" ] || [ "$bad" != 0 ] || bad=1
    count "C++ ($preset)" "$good" "$bad"
}

fuzz_one() { # program
    name=$(basename "$1" _fuzz)
    scratch="build/fuzz/$name"
    mkdir -p "$scratch"
    echo "fuzzing $name"
    "$1" -seed="$fuzz_seed" -max_total_time="$fuzz_seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$scratch-" \
        "$scratch" src/*/fuzz/corpus/"$name" >"$scratch.log" 2>&1 || touch "$scratch.failed"
}

fuzz_all() { # programs…; one a core at a time
    running=0
    for program in "$@"; do
        fuzz_one "$program" &
        running=$((running + 1))
        [ $((running % cores)) = 0 ] && wait
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
    # shellcheck disable=SC2086
    failure_is_expected=1 watched "testing Python" "$log" \
        .venv/bin/python -m pytest -n 2 --dist loadgroup --durations=30 -p no:cacheprovider ${sweeps:+--all} "$@" || cat "$log"
    sed -n 's/^ *\([0-9.]*\)s \(call\|setup\|teardown\) *\(.*\)/\1 python \3 \2/p' "$log" | sed 's/ call$//' >>"$times_file"
    summary=$(tail -n 1 "$log")
    good=$(echo "$summary" | sed -n 's/.*[^0-9]*\b\([0-9][0-9]*\) passed.*/\1/p')
    bad=$(echo "$summary" | grep -oE '[0-9]+ (failed|error)' | awk '{n += $1} END {print n + 0}')
    [ -n "$good" ] || { good=0; bad=$((bad + 1)); }
    count "Python" "$good" "$bad"
}

check_parts() { # parts…
    [ "${1:-}" != all ] || shift
    for part in "$@"; do
        case $part in
            cpp | fuzz | threads | python | mpis) ;;
            tests/*) [ -e "$part" ] || { echo "error: there are no tests in '$part'" >&2; exit 2; } ;;
            *) echo "error: no part of the tests is called '$part': $test_parts mpis, or a folder such as tests/cli" >&2; exit 2 ;;
        esac
    done
}

run_part() { # name, or a folder of Python tests
    begin_suite
    case $1 in
        cpp) ctest_suite asan ;;
        fuzz) fuzz_suite ;;
        threads) ctest_suite tsan thread_tests ;;
        python) pytest_suite ;;
        mpis) sweeps=1 pytest_suite tests/mpi/test_mpis.py ;; # `python` has the newest ones, and all with `all`
        tests/*) pytest_suite "$1" ;;
    esac
}

say_what_took_long() {
    echo "== the slowest tests, in seconds"
    sort -rn "$times_file" | head -n 30
    echo "== processor time in user mode and in the kernel, and elapsed time, in seconds"
    cat "$suites_file"
}

build_for_tests() {
    mkdir -p build
    : >"$suites_file"
    begin_suite
    # shellcheck disable=SC2086
    need_packages $build_packages $lab_packages $test_packages
    end_suite "installing packages"
    begin_suite
    build_with_tests
    end_suite "building the Python package"
}

run_tests() { # parts…; all without
    if [ "${1:-}" = all ]; then
        sweeps=1
        export ALL_TESTS=1 # for unit tests
        fuzz_seconds=${FUZZ_SECONDS:-30}
        shift
        build_benches
    fi
    # shellcheck disable=SC2086
    [ $# -gt 0 ] || set -- $test_parts
    : >"$times_file"
    for part in "$@"; do run_part "$part"; done
    say_what_took_long
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
