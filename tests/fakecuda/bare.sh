#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check bench/bench_gpu_bare.c, bench_gpu_factor.c and bench_gpu_pages.c, the loops compared with
# GPU tasks: they run on the fake CUDA, and fail if results are wrong or data does not arrive.
set -u

[ -x fake_bare ] || exit 77 # no BLAS, no fake
wrong=0
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

check() { # what, expected status, command...
    what=$1
    expected=$2
    shift 2
    "$@" >"$out" 2>&1
    status=$?
    if [ "$status" -eq "$expected" ]; then
        echo "ok: $what"
    else
        echo "WRONG: $what: exit status $status, not $expected"
        cat "$out"
        wrong=1
    fi
}

# Check that a program prints each row once with figures, and that the fake reports no misuse.
rows() { # name...
    for name in "$@"; do
        [ "$(grep -c "^$name,.*[1-9]" "$out")" -eq 1 ] || {
            echo "WRONG: $what: there is not one row '$name'"
            cat "$out"
            wrong=1
        }
    done
    if grep -q -i misuse "$out"; then
        echo "WRONG: $what"
        cat "$out"
        wrong=1
    fi
}

export FAKECUDA=""
check "bare loops" 0 ./fake_bare 18 70 64
rows dgemm dgemm-streams dgemm-streams-copy dgemm-streams-moved copies copies-in copies-out tiny \
    tiny-streams tiny-graph
all="potrf:100 getrf:100 getrf-unpivoted:100 geqrf:100"
check "factorisations" 0 ./fake_factor -t 32 $all
rows potrf,100 potrf-copied,100 potrf-copied-lower,100 getrf,100 getrf-copied,100 \
    getrf-unpivoted,100 getrf-unpivoted-copied,100 geqrf,100 geqrf-copied,100
check "one tile, and tiles of one element" 0 ./fake_factor -t 1 potrf:1 potrf:5
check "pages" 0 ./fake_pages 4 100
for way in alloc small huge; do
    rows "$way-obtain" "$way-in" "$way-out" "$way-read" "$way-release"
done

for skip in 1 2 32; do # no copy there, none home, no kernel
    for kernel in $all; do
        FAKECUDA="skip=$skip" check "$kernel, skip=$skip" 1 ./fake_factor $kernel
    done
done
FAKECUDA="skip=2" check "pages, no copy home" 1 ./fake_pages 4 100
FAKECUDA="skip=1" check "pages, no copy there" 1 ./fake_pages 4 100

FAKECUDA="devices=0"
for program in "fake_bare" "fake_factor potrf:10" "fake_pages"; do
    check "$program: no GPU" 3 ./$program
done
for program in "fake_bare 0" "fake_bare 1 1 4096" "fake_factor" "fake_factor potrf" "fake_factor gesvd:10" \
    "fake_factor potrf:0" "fake_factor potrf:46341" "fake_factor -t 0 potrf:10" "fake_pages 1" \
    "fake_pages 4 0" "fake_pages 4 2048"; do
    check "$program: wrong usage" 2 ./$program
done
exit $wrong
