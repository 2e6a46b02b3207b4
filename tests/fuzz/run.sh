#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Build the targets of tests/fuzz with libFuzzer and sanitizers, and run each for a while. Run by
# `make fuzz` in a build folder, which gives srcdir. FUZZ_SECONDS: seconds for each target (60);
# FUZZ_TARGETS: names of targets (all); FUZZ_JOBS: targets at once (all processors); FUZZ_CC,
# FUZZ_CXX: compilers (clang, clang++). The inputs of fuzz/inputs are kept for the next run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cc=${FUZZ_CC:-clang}
seconds=${FUZZ_SECONDS:-60}
jobs=${FUZZ_JOBS:-$(nproc 2>/dev/null || echo 1)}

# start_corpus TARGET: copy the inputs to start from.
start_corpus() {
    mkdir -p "fuzz/inputs/$1"
    for file in "$here/corpus/$1"/*; do
        ! [ -f "$file" ] || cp "$file" "fuzz/inputs/$1/"
    done
    case $1 in certificate | solve) return ;; esac
    for folder in "$top"/tests/reader/cases/*; do
        [ "$(wc -c <"$folder/input.csv")" -gt 4096 ] ||
            cp "$folder/input.csv" "fuzz/inputs/$1/${folder##*/}"
    done
    cp "$top"/tests/cli/data/* "fuzz/inputs/$1/"
}

# fuzz_target TARGET: run the target, and print one line.
fuzz_target() {
    start_corpus "$1"
    status=0
    HS_FUZZ=$1 ASAN_OPTIONS=detect_leaks=1 HWLOC_PLUGINS_PATH=/nonexistent \
        fuzz/build/fuzz_libfuzzer -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 \
        -max_len=4096 -print_final_stats=1 -artifact_prefix="fuzz/found/$1-" "fuzz/inputs/$1" \
        >"fuzz/logs/$1.log" 2>&1 || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "fuzz/logs/$1.log")
    if [ $status = 0 ]; then
        echo "fuzz: $1: ${runs:-?} inputs, no fault"
    else
        echo "fuzz: $1: FAULT, see fuzz/logs/$1.log and fuzz/found/$1-*"
    fi
    return $status
}

if [ $# = 2 ] && [ "$1" = --one ]; then
    fuzz_target "$2"
    exit
fi

mkdir -p fuzz/build fuzz/found fuzz/logs
cat >fuzz/trial.c <<'END'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return data && size > 1 << 30; }
END
if ! "$cc" -fsanitize=fuzzer,address,undefined fuzz/trial.c -o fuzz/trial 2>fuzz/trial.log; then
    echo "fuzz: skipped: '$cc' is missing or has no libFuzzer (see fuzz/trial.log; packages clang, libclang-rt-dev)"
    exit 0
fi

if ! [ -e fuzz/build/Makefile ]; then
    (cd fuzz/build && "$top/configure" --disable-static --without-python CC="$cc" CXX="${FUZZ_CXX:-clang++}" \
        CFLAGS="-O1 -g1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all") \
        >fuzz/configure.log 2>&1 || { tail fuzz/configure.log; exit 1; }
fi
make -C fuzz/build -s -j"$jobs" fuzz_libfuzzer fuzz_corpora >fuzz/build.log 2>&1 || { tail -n 40 fuzz/build.log; exit 1; }

# shellcheck disable=SC2086
targets=${FUZZ_TARGETS:-$(fuzz/build/fuzz_corpora --list)}
status=0
printf '%s\n' $targets | xargs -P "$jobs" -I TARGET sh "$0" --one TARGET || status=1
exit $status
