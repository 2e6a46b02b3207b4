#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check StarPU's own Cholesky factorisation with examples/starpu as scheduler. A StarPU that was built
# with SimGrid simulates the factorisation on the machine mirage, and examples/starpu is compared with
# StarPU's best scheduler; STARPU_PERF_MODEL_DIR is the folder tools/perfmodels/sampling of StarPU's
# sources, which StarPU does not install. Exit 77: skipped.
set -eu

case "${CFLAGS-}" in *-fsanitize*) echo "skipped: StarPU is not sanitized"; exit 77 ;; esac
scheduler=$(pwd)/.libs/hybridsched_starpu.so
[ -f "$scheduler" ] || { echo "skipped: this build has no StarPU"; exit 77; }
libdir=$(pkg-config --variable=libdir starpu-1.3) || true
program=
for place in "$libdir" /usr/lib/* /usr/local/lib; do
    [ -n "$program" ] || [ ! -x "$place/starpu/examples/cholesky_implicit" ] ||
        program=$place/starpu/examples/cholesky_implicit
done
[ -n "$program" ] || { echo "skipped: StarPU's examples are not installed"; exit 77; }

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export STARPU_HOME="$home" STARPU_SILENT=1 STARPU_NOPENCL=0

# factorise TILES ORDER ARGUMENTS...: factorise with examples/starpu, and count the tasks
factorise() {
    tiles=$1 order=$2
    shift 2
    HYBRIDSCHED_STARPU_STATS=1 LD_PRELOAD=$scheduler LD_LIBRARY_PATH=$(pwd)/.libs:$libdir \
        "$program" -size "$order" -nblocks "$tiles" "$@" >"$home/out" 2>"$home/err" || {
        cat "$home/out" "$home/err"
        echo "starpu: $program -nblocks $tiles failed"
        exit 1
    }
    tasks=$((tiles * (tiles + 1) * (tiles + 2) / 6))
    scheduled=$(sed -n 's/^hybridsched: \([0-9]*\) tasks on CPUs, \([0-9]*\) on GPUs, priorities .* to [1-9].*/\1 + \2/p' "$home/err")
    [ "$((${scheduled:-0}))" = "$tasks" ] || {
        cat "$home/err"
        echo "starpu: $tasks tasks of $tiles x $tiles tiles were not all scheduled with priorities"
        exit 1
    }
}

# Print the milliseconds of the last run.
milliseconds() { sed -n '$s/^[0-9]*[[:space:]]*\([0-9]*\).*/\1/p' "$home/out"; }

# compare TILES PERCENT: simulate both schedulers; examples/starpu may take PERCENT of the other's time
compare() {
    STARPU_SCHED=dmdas "$program" -size $((960 * $1)) -nblocks "$1" >"$home/out" 2>"$home/err"
    theirs=$(milliseconds)
    factorise "$1" $((960 * $1))
    ours=$(milliseconds)
    echo "starpu: $1 x $1 tiles: $ours ms, dmdas $theirs ms"
    [ $((100 * ours)) -le $(($2 * theirs)) ] || { echo "starpu: more than $2%"; exit 1; }
}

if pkg-config --libs --static starpu-1.3 | grep -q -- -lsimgrid; then
    [ -d "${STARPU_PERF_MODEL_DIR-}" ] || { echo "skipped: STARPU_PERF_MODEL_DIR is not set"; exit 77; }
    export STARPU_HOSTNAME=mirage
    compare 10 106
    compare 20 100
    compare 30 100
else
    export STARPU_NCPU=2 STARPU_NCUDA=0
    factorise 1 64 -check
    factorise 8 512 -check
fi
