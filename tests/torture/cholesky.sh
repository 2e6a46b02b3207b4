#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Verify tiled Cholesky factorisations of several sizes under every policy for graphs, on two CPUs
# and an emulated GPU, with different inputs. Print the number of correct runs of each policy.
#
#   tests/torture/cholesky.sh [-t TILES] [-b SIZES] [-s SEEDS] [POLICY...]
#
# TILES: tiles in a row; SIZES: sizes of a tile; SEEDS: inputs of each size. Default: small.
set -u

tiles="4 6"
sizes="64"
seeds="1"
while getopts t:b:s: option; do
    case $option in
    t) tiles=$OPTARG ;;
    b) sizes=$OPTARG ;;
    s) seeds=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
./hsched-calibrate --kernels dpotrf:8 --repeats 1 -j 1 >/dev/null 2>&1 || exit 77 # without LAPACK

scratch=$(mktemp -d "${TMPDIR:-/tmp}/hsched-cholesky.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT

policies()
{
    ./hsched-exec --help | sed -n '/^Policies:/,$ s/^  \([a-z][^ ]*\).*/\1/p'
}

# Assume 20 GFLOP/s for a core and five times that for a GPU.
kernels() # size of a tile
{
    printf '# hybridsched kernels 1\n# cpus 2\n# gpus 1\n# unit us\nkernel,cpu,gpu\n'
    awk -v b="$1" 'BEGIN {
        split("dpotrf dtrsm dsyrk dgemm", name)
        split("3 1 1 .5", part)
        for (i = 1; i <= 4; i++) {
            us = b ^ 3 / part[i] / 20e3
            printf "%s:%d,%.17g,%.17g\n", name[i], b, us, us / 5
        }
    }'
}

make_plan() # tiles, size
{
    kernels "$2" >"$scratch/kernels"
    ./hsched-gen cholesky "$1" --graph --kernels="$scratch/kernels" -o "$scratch/in.csv" &&
        ./hsched-solve "$scratch/in.csv" -a heft -o "$scratch/plan-$1-$2.csv" >"$scratch/out" || exit 99
}

run_one() # policy, tiles, size, seed
{
    ./hsched-exec "$scratch/plan-$2-$3.csv" --policy="$1" --seed="$4" --emulate-gpus --oversubscribe \
        >"$scratch/out" 2>&1 && grep -q '^  result  *verified' "$scratch/out" && return
    echo "$1, $2 x $2 tiles of $3, seed $4: exit status $?"
    cat "$scratch/out"
    return 1
}

run_all() # policy
{
    right=0
    runs=0
    for t in $tiles; do
        for b in $sizes; do
            for s in $seeds; do
                runs=$((runs + 1))
                run_one "$1" "$t" "$b" "$s" && right=$((right + 1))
            done
        done
    done
    echo "$1: $right of $runs"
    [ "$right" -eq "$runs" ]
}

for t in $tiles; do
    for b in $sizes; do
        make_plan "$t" "$b"
    done
done
wrong=0
for policy in ${*:-$(policies)}; do
    run_all "$policy" || wrong=1
done
exit $wrong
