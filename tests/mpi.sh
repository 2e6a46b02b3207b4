#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Factorise matrices with hsched-exec --mpi on a real MPI, with 1 to 4 ranks on this machine. The tiles that
# each rank sends are compared with the structure of the factorisation. A rank is killed, and a task fails.
# HS_MPI_ALL=1 runs every policy with every number of ranks. Run it in a build folder.

srcdir=$(cd "${srcdir:-.}" && pwd) || exit 99
build=$(pwd)
[ -f .libs/hybridsched-mpi.so ] || { echo "mpi: skipped: configure found no MPI (see --with-mpi)"; exit 77; }
mpirun=$(sed -n 's/^MPIEXEC = //p' Makefile)
[ -x "$mpirun" ] || { echo "mpi: skipped: there is no mpirun"; exit 77; }
case "${CFLAGS:-} $(sed -n 's/^CFLAGS = //p' Makefile)" in
*-fsanitize=thread*) echo "mpi: skipped: the thread sanitizer does not know MPI"; exit 77 ;;
esac
LD_LIBRARY_PATH=$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
PATH=$build/.libs:$PATH
LC_ALL=C
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # MPI leaks
# Open MPI in a container, as root, without ssh, with fewer cores than ranks
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_plm_rsh_agent=false OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
HS_MPI_TEST=$$
export LD_LIBRARY_PATH PATH LC_ALL ASAN_OPTIONS OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM \
    OMPI_MCA_plm_rsh_agent OMPI_MCA_mpi_yield_when_idle OMPI_MCA_btl_vader_single_copy_mechanism HS_MPI_TEST
if "$mpirun" --version 2>&1 | grep -qi 'open.*mpi'; then
    options="--oversubscribe --bind-to none"
else
    options=
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/mpi.XXXXXX") || exit 99
# Print the ids of the processes of this test that are ranks.
ranks()
{
    for folder in /proc/[0-9]*; do
        [ "$(readlink "$folder/exe" 2>/dev/null)" = "$build/.libs/hsched-exec" ] || continue
        { tr '\0' '\n' <"$folder/environ"; } 2>/dev/null | grep -qx "HS_MPI_TEST=$$" && echo "${folder#/proc/}"
    done
}
finish()
{
    status=$?
    # shellcheck disable=SC2046
    kill -9 $(ranks) 2>/dev/null
    rm -rf "$scratch"
    exit $status
}
trap finish EXIT
trap 'exit 1' INT TERM HUP
cd "$scratch" || exit 99

wrong() # what
{
    echo "mpi: WRONG: $1"
    cat out err 2>/dev/null
    exit 1
}

on() # ranks command...
{
    count=$1
    shift
    # shellcheck disable=SC2086
    "$mpirun" -n "$count" $options "$@" >out 2>err
}

# Print the tiles that each rank sends: kind tiles ranks.
tiles_sent()
{
    awk -v kind="$1" -v t="$2" -v n="$3" '
    function owner(i, j) { return (i % p) * (n / p) + j % (n / p) }
    function add(i, j) { to[owner(i, j)] = 1 }
    function count(i, j, weight,   r) { for (r in to) if (r != owner(i, j)) sent[owner(i, j)] += weight; delete to }
    BEGIN {
        for (p = 1; p * p <= n; p++) if (n % p == 0) best = p
        p = best
        for (k = 0; k < t; k++) {
            if (kind != "qr") {
                for (i = k + 1; i < t; i++) { add(i, k); if (kind == "lu") add(k, i) }
                count(k, k, 1)
            }
            for (i = k + (kind != "qr"); i < t; i++) {
                for (j = k + 1; j < t; j++) if (kind != "cholesky" || j <= i) add(i, j)
                if (kind == "cholesky") for (j = i; j < t; j++) add(j, i)
                count(i, k, kind == "qr" ? 2 : 1)
                if (kind == "lu") { for (j = k + 1; j < t; j++) add(j, i); count(k, i, 1) }
                if (kind == "qr" && i + 1 < t) for (j = k; j < t; j++) { add(i + 1, j); count(i, j, 1) }
            }
        }
        for (r = 0; r < n; r++) printf "%d ", sent[r]
    }'
}

# Print one value of the report for each line that has the key.
values() { sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p" report.json; }

tiles=5
for kind in cholesky lu qr; do
    hsched-gen $kind $tiles --graph -m 1 -k 0 | sed -E 's/:(960|1600),/:16,/' >$kind.csv
    hsched-solve $kind.csv -a heft -o $kind.plan >/dev/null || wrong "no plan of $kind"
done

check() # ranks kind policy
{
    file=$2.csv
    case $3 in plan*) file=$2.plan ;; esac
    on "$1" hsched-exec --mpi --oversubscribe --policy="$3" --report=report.json "$file" ||
        wrong "$2 by $3 on $1 ranks"
    [ "$(values verified)" = true ] || wrong "$2 by $3 on $1 ranks: not verified"
    values relative_residual | awk '{ exit !($1 < 1e-8) }' || wrong "$2 by $3 on $1 ranks: residual"
    found=$(values tiles_sent | tr '\n' ' ')
    [ "$found" = "$(tiles_sent "$2" $tiles "$1")" ] ||
        wrong "$2 by $3 on $1 ranks sent $found, not $(tiles_sent "$2" $tiles "$1")"
    [ "$(grep -c 'hsched-exec: rank' err)" = 0 ] || wrong "$2 by $3 on $1 ranks: messages"
}

policies="plan heteroprio dmda plan+steal dualhp dynamic explore heteroprio-ns hp-sp hp-corrected h-ratio d-rank"
for count in 1 2 3 4; do
    for kind in cholesky lu qr; do
        if [ "${HS_MPI_ALL:-}" ]; then
            for policy in $policies; do check $count $kind "$policy"; done
        else
            check $count $kind "${policies%% *}"
            policies="${policies#* } ${policies%% *}"
        fi
    done
done

# Factors at rank 0 are those of one process.
for kind in cholesky lu qr; do
    on 3 hsched-exec --mpi --oversubscribe -q --policy=heteroprio --output=A=several $kind.csv || wrong "$kind: no factors"
    hsched-exec --oversubscribe -q --policy=heteroprio --output=A=one $kind.csv >out 2>err || wrong "$kind: no factors of one process"
    cmp several one || wrong "$kind: other factors than one process"
done

# Each rank refuses a file that does not exist, and a plan made for one rank alone.
! on 2 hsched-exec --mpi missing.plan || wrong "a missing file"
grep -q "^hsched-exec: rank 1: cannot read 'missing.plan'" err || wrong "a missing file: no message of rank 1"
! on 2 hsched-exec --mpi lu.csv || wrong "an instance without a plan"
grep -q "^hsched-exec: rank 0: lu.csv: --mpi needs a plan" err || wrong "an instance without a plan: no message"

# The zero matrix has no Cholesky factors: the rank of the task says so, and all end.
head -c $((8 * 16 * tiles * 16 * tiles)) /dev/zero >zero
! on 4 hsched-exec --mpi --oversubscribe --policy=heteroprio --input=A=zero cholesky.csv || wrong "a failed task"
grep -q "^hsched-exec: rank 0: .*not positive definite" err || wrong "a failed task: no message of rank 0"

# A rank is killed while emulated GPUs compute for a long time: mpirun ends all others.
hsched-gen cholesky $tiles --graph -m 0 -k 1 | sed 's/:960,/:16,/' >long.csv
# shellcheck disable=SC2086
"$mpirun" -n 3 $options hsched-exec --mpi --emulate-gpus --time-scale=1e6 --policy=heteroprio long.csv >out 2>err &
launcher=$!
while [ "$(ranks | wc -l)" -lt 3 ] && kill -0 $launcher 2>/dev/null; do sleep 0.1; done
# shellcheck disable=SC2046
set -- $(ranks)
[ $# = 3 ] || wrong "3 ranks have not started"
kill -9 "$2"
! wait $launcher || wrong "a killed rank: the others have done all tasks"
while [ "$(ranks | wc -l)" -gt 0 ]; do sleep 0.1; done

# Without --mpi each process would run all tasks.
on 2 hsched-exec --oversubscribe -q --policy=heteroprio lu.csv || wrong "two processes without --mpi"
[ "$(grep -c 'this is one of 2 processes of MPI' err)" = 1 ] || wrong "no warning without --mpi"
[ $# = 3 ] && echo "mpi: all checks passed"
