#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check that the archive of `make gpu-bundle` is complete and that its script works, on the fake
# CUDA and away from the build folder. Called by `make gpu-bundle-check`.
#
# Usage: flow.sh ARCHIVE.tar.xz; srcdir is the source, the build is here
set -u

archive=$1
build=$(pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/gpu-flow.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

. "$srcdir/tests/gpu/flow-check.sh"

tar -C "$work" -xf "$archive" || exit 1
root=$(echo "$work"/*)

same_in_gz() {
    mkdir "$work.gz" && tar -C "$work.gz" -xzf "${archive%.xz}.gz" && diff -r "$root" "$work.gz"/*
    status=$?
    rm -rf "$work.gz"
    return $status
}
check "the .tar.gz has the same" same_in_gz
check "it is at most 60 MiB, too" [ "$(wc -c <"${archive%.xz}.gz")" -le $((60 * 1024 * 1024)) ]
unset LD_LIBRARY_PATH

# contents of the archive

objects() {
    for object in "$root"/bin/* "$root"/lib/*.so* "$root"/lib/*/*.so*; do
        [ ! -f "$object" ] || echo "$object"
    done
}

# Every library but the C library and CUDA's comes from the archive.
strangers() {
    objects | while read -r object; do
        LD_LIBRARY_PATH=$root/lib:$root/lib/base ldd "$object" 2>/dev/null |
            awk -v root="$root/" '$2 == "=>" && index($3, root) != 1 { print $1, $3 }'
    done | sort -u | grep -v -E '^(libc|libm|libdl|libpthread|librt|libresolv|libutil)\.so\.' |
        grep -v -E '^lib(cu(da|dart|blas|blasLt|solver|sparse)|nv[A-Za-z0-9_-]*)\.so\.' || :
}

check_strangers() {
    found=$(strangers)
    [ -z "$found" ] || { echo "$found" && return 1; }
}

check "at most 60 MiB" [ "$(wc -c <"$archive")" -le $((60 * 1024 * 1024)) ]
check "what it needs is in it" check_strangers

# NVIDIA's driver brings the last.
check_opened() {
    for name in $(grep -a -o -h 'lib[a-z-]*[.]so[.][0-9]*' "$root"/lib/libhybridsched-exec.so.* \
        "$root/lib/hybridsched/hybridsched-cuda.so" | sort -u | grep -E '^lib(openblas|lapacke|blas|lapack)'); do
        opened=$name
        [ -e "$root/lib/$name" ] || { echo "$name" && return 1; }
    done
    [ -n "${opened:-}" ]
}
check "the libraries that it opens at run time are in it" check_opened

# run without a GPU

status_of() { # expected, command...
    expected=$1
    shift
    "$@" >"$work/out" 2>"$work/err"
    is_status "$expected" $? "$work/out" "$work/err"
}

if [ ! -e /dev/nvidia0 ] && [ ! -e /dev/nvidiactl ]; then
    check "no GPU: 77" status_of 77 "$root/run"
    check "and it says so" grep -q '^no GPU: ' "$work/err"
fi

# Libraries of wrong versions are reported by name, with a status different from a missing GPU.
sed 's/^\(libcublas[.]so\)[.].*/\1.99/' "$root/cuda-libraries" >"$work/cuda-libraries"
mv "$root/cuda-libraries" "$work/cuda-libraries.right"
mv "$work/cuda-libraries" "$root/cuda-libraries"
mkdir "$work/toolkit"
: >"$work/toolkit/libcublas.so.12.1"
check "CUDA's libraries of another version: 78" status_of 78 env CUDA_LIBS="/nowhere:$work/toolkit" "$root/run"
check "and it names the versions" grep -q "libcublas.so.99: found .*$work/toolkit/libcublas.so.12.1 " "$work/err"
mv "$work/cuda-libraries.right" "$root/cuda-libraries"

# run with the fake

sh "$srcdir/tests/fakecuda/stand-in" "$build" "$work/fake" "$root/lib/hybridsched/hybridsched-cuda.so" \
    "$root/bin/bench_gpu_bare" "$root/bin/bench_gpu_factor" "$root/bin/bench_gpu_pages" "$root/bin/gpu_probe" "$root/bin/gpu_spoliations" "$root/bin/gpu_storm" || exit 1

check "no device: 77" status_of 77 env FAKECUDA="devices=0" "$root/run" --fake "$work/fake" --quick
check "and it says so" grep -q '^no GPU: ' "$work/err"

# A card that does not work must not be reported as missing.
ill() { # what FAKECUDA says, what it says
    status_of 1 env FAKECUDA="$1" "$root/run" --fake "$work/fake" --quick --only throughput \
        -o "$work/ill.md"
    grep -q -F "$2" "$work/err" "$work/ill.md" || { cat "$work/err" "$work/ill.md" && return 1; }
}
check "a device that does not answer: 1" ill "fail-call=1 error=3 sticky=1" "it does not work"
check "a bare benchmark that fails: 1" ill "memory=3e7" "bench_gpu_bare"

whole_table() {
    status_of 0 "$root/run" --fake "$work/fake" --quick -k "$work/kept" -o "$work/table.md" &&
        grep -q '^\*\*Not figures' "$work/table.md"
}
check "everything runs, and the table has no figures" whole_table
for text in '| query; event never recorded before | pending |' '| dtpmqrt, sizes from 1 to 31 | 12 verified, 36 of 36 right' \
    '| dtpmqrt, sizes from 32 to 200 | 4 verified, 12 of 12 right' '| resident, graph |' '| with copies, streams |' \
    '| cholesky, streams: over the plan' '| lu: GPU only |' '| qr: GPU only |' '| from the GPU to CPUs |' '| graph | ' \
    '| cuSOLVER alone: potrf, n = 384 | resident ' ', copied without its upper half ' '| cuSOLVER alone: getrf, n = 256 | resident ' \
    '| cuSOLVER alone: getrf-unpivoted, n = 256 | resident ' '| cuSOLVER alone: geqrf, n = 256 | resident ' \
    ' x potrf-copied-lower of cuSOLVER, ' ' x getrf-unpivoted-copied of cuSOLVER, ' ' x geqrf-copied of cuSOLVER, ' \
    '| cholesky, by its plan, n = 256 ' ' home; right: ' '| bare: dgemm-streams-copy ' ' % of four bare streams with the same copy; ' \
    '| cudaHostAlloc | obtained at ' '| lu, GPU only, a quarter of them, n = 128 ' \
    '| cholesky, CPUs only, n = 256 ' '| lu, heteroprio:min, n = ' '| qr, GPU only, n = ' '| cholesky, by its plan, as graphs, n = 256 ' \
    '| lu, GPU only, as graphs, n = ' '| from the word to stop'; do
    check "the table has '$text'" grep -q -F "$text" "$work/table.md"
done
check "nothing of it failed" sh -c "! grep -F '**failed**' '$work/table.md'"

for file in bare.csv gpu.csv probe.csv kernels-dgemm-1.csv kernels-here.csv cholesky.csv lu-1-1.plan table.md \
    spoliations.csv storm.csv factor.csv pages.csv kernels-tiles.csv qr--by-its-plan-128.json; do
    check "$file is kept" [ -s "$work/kept/$file" ]
done

# With kernels of a second each, every part is cut short and has reported its measurements so far.
in_time() {
    begun=$(date +%s)
    status_of 1 env FAKECUDA="kernel=1 compute=0" "$root/run" --fake "$work/fake" --quick -t 20 \
        -o "$work/short.md"
    [ $(($(date +%s) - begun)) -le 60 ] && grep -q -F 'cut short' "$work/short.md" &&
        grep -q -F '## Kernels' "$work/short.md" && grep -q -F '## A storm' "$work/short.md"
}
check "what takes too long is cut short" in_time
check "and what was not run is named" grep -q -F '| **not run**' "$work/short.md"
check "of a program's rows, too" grep -q -F 'bench_gpu: tiny, graph | **not run**' "$work/short.md"

# A core with two hardware threads counts as one core, unlike with nproc.
check "cores are not threads" status_of 0 env HWLOC_SYNTHETIC="core:1 pu:2" HWLOC_THISSYSTEM=1 \
    "$root/run" --fake "$work/fake" --quick --only hybrid -o "$work/cores.md"
check "and the hybrid families are there" sh -c "! grep -F '**' '$work/cores.md' | grep -v figures"

# With kernels of 2 ms, partly concurrent, a further kernel adds at least 0.1 ms to a list.
calibrated() {
    status_of 0 env FAKECUDA="kernel=2e-3" LD_LIBRARY_PATH="$work/fake:$root/lib:$root/lib/hybridsched:$root/lib/base" \
        "$root/bin/hsched-calibrate" --table --gpu -j 1 -m 1 -k 1 --no-verify --repeats 12 \
        --kernels dgemm:64,dsyrk:64,dtrsm:64,dpotrf:64 -o "$work/table.csv" &&
        awk -F, '/^[a-z0-9]+:/ && $3 < 0.1 { print; bad = 1 } END { exit bad }' "$work/table.csv"
}
check "GPU times are calibrated" calibrated

check "results that are wrong are seen" status_of 1 env FAKECUDA="compute=0" \
    "$root/run" --fake "$work/fake" --quick --only kernels -o "$work/wrong.md"
check "in the table" grep -q 'right: .*missed' "$work/wrong.md"

check "the steps of a borrowed GPU" sh "$srcdir/tests/gpu/flow-steps.sh" "$archive" "$work/fake"

exit $wrong
