#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check StarPU's own Cholesky factorisation with examples/starpu as scheduler. Exit 77: skipped.
set -eu

case "${CFLAGS-}" in *-fsanitize*) echo "skipped: StarPU is not sanitized"; exit 77 ;; esac
scheduler=$(pwd)/.libs/hybridsched_starpu.so
[ -f "$scheduler" ] || { echo "skipped: this build has no StarPU"; exit 77; }
program=
for place in "$(pkg-config --variable=libdir starpu-1.3)" /usr/lib/* /usr/local/lib; do
    [ -n "$program" ] || [ ! -x "$place/starpu/examples/cholesky_implicit" ] ||
        program=$place/starpu/examples/cholesky_implicit
done
[ -n "$program" ] || { echo "skipped: StarPU's examples are not installed"; exit 77; }

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
for tiles in 1 8; do
    HYBRIDSCHED_STARPU_STATS=1 STARPU_HOME=$home STARPU_SILENT=1 STARPU_NCPU=2 STARPU_NCUDA=0 \
        STARPU_NOPENCL=0 LD_PRELOAD=$scheduler LD_LIBRARY_PATH=$(pwd)/.libs \
        "$program" -size $((tiles * 64)) -nblocks $tiles -check >"$home/out" 2>"$home/err" || {
        cat "$home/out" "$home/err"
        echo "starpu: $program -nblocks $tiles failed"
        exit 1
    }
    tasks=$((tiles * (tiles + 1) * (tiles + 2) / 6))
    grep -q "^hybridsched: $tasks tasks on CPUs, 0 on GPUs, priorities .* to [1-9]" "$home/err" || {
        cat "$home/err"
        echo "starpu: $tasks tasks of $tiles x $tiles tiles were not all scheduled with priorities"
        exit 1
    }
done
