#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check that gpu_kernels and hsched-exec fail for each kernel on a fake GPU that skips kernels,
# copies to the host or copies to the GPU, and that they pass on a fake that works.
set -u

module=tests/fakecuda/.libs/hybridsched-cuda.so
[ -x fake_kernels ] || exit 77 # no BLAS, no fake
wrong=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

complain() { # what
    echo "WRONG: $1"
    cat "$work/out" "$work/errors"
    wrong=1
}

# hsched-exec without libtool's script, which would put the module for real GPUs first.
executor() {
    LD_LIBRARY_PATH="$PWD/tests/fakecuda/.libs:$PWD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
        .libs/hsched-exec --oversubscribe --no-reserve "$@"
}

kernels="dgemm sgemm dsyrk dtrsm dpotrf dgetrf dgeqrf dormqr dtpqrt dtpmqrt \
    ssyrk strsm spotrf sgetrf sgeqrf sormqr stpqrt stpmqrt"
for kernel in $kernels; do
    printf '# hybridsched instance 1\n# cpus 1\n# gpus 1\n# unit ms\nid,cpu,gpu,kernel,count\n%s\n' \
        "t,inf,1,$kernel:200,40" >"$work/$kernel.csv"
done

# Columns: the fake's settings; the exit status of both programs; the number of right kernels.
check() {
    export FAKECUDA="$1"
    ./fake_kernels -M "$module" 200 >"$work/out" 2>"$work/errors"
    status=$?
    [ "$status" -eq "$2" ] || complain "gpu_kernels, '$1': exit status $status, not $2"
    right=$(awk -F, 'NR > 1 && $2 == $3 && $4 >= 16' "$work/out" | wc -l)
    [ "$right" -eq "$3" ] || complain "gpu_kernels, '$1': $right kernels are right, not $3"
    for kernel in $kernels; do
        executor "$work/$kernel.csv" >"$work/out" 2>"$work/errors"
        status=$?
        [ "$status" -eq "$2" ] || complain "$kernel, '$1': exit status $status, not $2"
        [ "$2" -ne 0 ] || grep -q 'results verified  *3 of 40 tasks' "$work/out" ||
            complain "$kernel: the summary does not say how many results were verified"
    done
}

check "" 0 18
check "skip=32" 1 0                # no kernel
check "skip=2" 1 0                 # no copy to the host
check "skip=2 skip-from=100000" 1 0 # no large one
check "skip=1" 1 0                 # no copy to the GPU
check "skip=35" 1 0                # none of these
exit $wrong
