#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check tests/gpu/probe.c, storm.c and spoliations.c on the fake CUDA: they give their results, and
# fail if no task was stopped.
set -u

module=tests/fakecuda/.libs/hybridsched-cuda.so
[ -x fake_storm ] || exit 77 # no BLAS, no fake
wrong=0
if [ "${HS_TEST_ROUNDS:-100}" -lt 100 ]; then
    size=200 runs=150 spoliations=10
else
    size=400 runs=500 spoliations=40
fi
unlimited=1e6 # seconds: no test depends on the speed of the machine
out=$(mktemp) || exit 1
trap 'rm -f "$out" "$out".*' EXIT

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

export FAKECUDA="kernel=1e-3"
check "a storm" 0 ./fake_storm -M "$module" -n $size -t $unlimited $runs
cp "$out" "$out.storm"
check "the storm stopped tasks and completed tasks" 0 \
    awk -F, -v least=$((runs / 10)) 'END { exit !($2 >= least && $3 >= least) }' "$out.storm"
FAKECUDA="fail-operation=900"
check "a storm on a GPU that breaks" 1 ./fake_storm -M "$module" -n $size -t $unlimited $runs
FAKECUDA=""
check "a storm on a fast GPU continues until the first stop" 0 \
    ./fake_storm -M "$module" -n $size -t $unlimited 1
check "a storm without time to stop a task" 1 ./fake_storm -M "$module" -n 1 -t 1e-9 3
FAKECUDA="devices=0"
check "a storm without a GPU" 3 ./fake_storm -M "$module" 10
check "a probe without a GPU" 3 ./fake_probe
FAKECUDA="fail-operation=3"
check "a probe of a GPU that breaks" 1 ./fake_probe 64
# The probe looks while kernels run: a busy machine needs longer kernels.
all_right() { awk -F, 'NR > 1 && $3 == $4 { right++ } END { exit right != 12 }' "$out.probe"; }
for kernel in 1e-3 0.2 2; do
    FAKECUDA="compute=0 kernel=$kernel"
    check "a probe" 0 ./fake_probe 64
    cp "$out" "$out.probe"
    ! all_right || break
done
check "the probe finds each property that the module needs" 0 all_right
FAKECUDA="compute=0 kernel=1e-3 late=1"
check "a probe of a GPU with late events" 0 ./fake_probe 64
cp "$out" "$out.late"
check "the probe reports late events" 1 awk -F, 'NR > 1 && $3 == $4 { right++ } END { exit right != 12 }' "$out.late"
check "the probe prints versions" 0 ./fake_probe -v
cp "$out" "$out.versions"
check "the probe prints the version of each library" 0 awk '/^(cuBLAS|cuSOLVER) [0-9]+[.]/ { found++ } END { exit found != 2 }' "$out.versions"

FAKECUDA="devices=4 queue=24 kernel=1e-4"
check "a measurement of waits for the lock of shared tiles" 0 ./fake_waits 1 8 96 4 2
cp "$out" "$out.waits"
check "both kinds of launches have waits" 0 awk -F, 'NR > 1 && $2 > 0 { ways++ } END { exit ways != 2 }' "$out.waits"
FAKECUDA="kernel=1e-3"
check "spoliations" 0 ./fake_spoliations -M "$module" -m 3 -n 320 -t $unlimited $spoliations
check "spoliations continue until the first from the GPU" 0 \
    ./fake_spoliations -M "$module" -m 3 -n 320 -t $unlimited 1
# Each of ten steps has one run; status 1 if none of them spoliated a task of the GPU.
./fake_spoliations -M "$module" -m 3 -n 320 -t 1e-9 1000000 >"$out" 2>&1
cp "$out" "$out.late"
check "spoliations end when the time is up" 0 \
    awk -F, '/^[0-9]+,/ { ended = $3 == 10 } END { exit !ended }' "$out.late"
exit $wrong
