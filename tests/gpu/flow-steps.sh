#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check that each step of tests/gpu/step runs separately on the fake CUDA, from the root of a
# project that has the archive in one of its folders. Called by flow.sh.
#
# Usage: flow-steps.sh ARCHIVE.tar.xz FAKE; srcdir is the source
set -u

work=$(mktemp -d "${TMPDIR:-/tmp}/gpu-steps.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
root=$work/project
fake=$2
mkdir -p "$root/tests/gpu" "$root/build" "$work/tmp" "$work/sanitizer" || exit 1
cp "$srcdir/tests/gpu/step" "$root/tests/gpu" && cp "${1%.xz}.gz" "$root/build" || exit 1
export TMPDIR="$work/tmp"

. "$srcdir/tests/gpu/flow-check.sh"

# Run a step from the project's root, with an empty folder for its results.
step() { # expected status, letter, argument...
    expected=$1
    letter=$2
    shift 2
    rm -rf "$work/out" "$work/raw"
    mkdir "$work/out"
    (cd "$root" && OUT=$work/out sh tests/gpu/step "$letter" "$@" --fake "$fake" --quick) \
        >"$work/summary" 2>"$work/err"
    status=$?
    tar -C "$work" -xzf "$work/out/gpu-step-$letter.tar.gz" || return 1
    is_status "$expected" "$status" "$work/summary" "$work/err" "$work/raw/run.log"
}

# Check that a step leaves a single file and prints at most 30 lines.
leaves() { # letter, a row
    [ "$(ls "$work/out")" = "gpu-step-$1.tar.gz" ] && [ "$(wc -l <"$work/summary")" -le 30 ] &&
        grep -q '^- versions: cuBLAS .*; cuSOLVER .*; driver .*; MemTotal ' "$work/summary" &&
        grep -q -F "$2" "$work/raw/table.md" && ! grep -q -F '**failed**' "$work/raw/table.md" &&
        [ -z "$(ls "$work/tmp")" ] && [ "$(ls "$root")" = "$(printf 'build\ntests')" ]
}

step_is_right() { # letter, a row
    step 0 "$1" && leaves "$1" "$2"
}

check "step a" step_is_right a '| stream that waits; event never recorded before | waits | waits | met |'
check "step b" step_is_right b '| dgeqrf, sizes from 32 to 200 | 4 verified, 12 of 12 right |'
check "step c" step_is_right c '| with copies, graph |'
check "step d" step_is_right d '| cholesky, by its plan, n = 384 |'
check "step e" step_is_right e '| qr, by its plan, as graphs, n = 128 |'
check "step g" step_is_right g '| from the GPU to CPUs |'
check "step h" step_is_right h '| lu: GPU only |'
check "step i" step_is_right i '| qr, by its plan, a quarter of them, n = 128 |'
check "step i has host memory" grep -q '^| huge pages, registered | obtained at ' "$work/raw/table.md"
check "step i names a matrix that is too large" grep -q -F "larger than the GPU's memory | not possible: 262 by 262 tiles" "$work/raw/table.md"
FAKECUDA="memory=6e7"
export FAKECUDA
check "step i, a small GPU" step_is_right i "| cholesky, larger than the GPU's memory, GPU only, n = 5"
unset FAKECUDA

# Make a fake compute-sanitizer that finds no fault, or a fault in hsched-exec.
sanitizer() { # exit status for hsched-exec
    printf '#!/bin/sh\nshift 2\n"$@" || exit\necho "$@" >>%s\ncase $1 in *hsched-exec) exit %d ;; esac\n' \
        "$work/sanitized" "$1" >"$work/sanitizer/compute-sanitizer"
    chmod +x "$work/sanitizer/compute-sanitizer"
}
sanitizer 0
path=$PATH
PATH=$work/sanitizer:$PATH
check "step f" step_is_right f '| kernels: errors | 0 | 0 | met |'
check "step f has tiles" grep -q -F '| shared tiles, as graphs: errors | 0 | 0 | met |' "$work/raw/table.md"
check "step f runs under the sanitizer" [ "$(wc -l <"$work/sanitized")" -eq 3 ]
sanitizer 9
check "step f with an error: 1" step 1 f
grep '^[a-z]' "$work/summary" | head -n 1 >"$work/first"
check "the error is first in the summary" grep -q '^shared tiles | [*][*]failed[*][*]' "$work/first"
check "the rest is there" grep -q '^kernels: errors | 0 ' "$work/summary"
PATH=$path

# Kernels that take a second each.
FAKECUDA="kernel=1 compute=0"
export FAKECUDA
check "a step that takes too long: 1" step 1 b -t 6
check "it names what was not run" grep -q -F '| dtpmqrt, sizes from 32 to 200 | **not run**' "$work/raw/table.md"
unset FAKECUDA

rm "$root"/build/*
no_archive() {
    (cd "$root" && sh tests/gpu/step a >"$work/summary" 2>"$work/err")
    [ $? -eq 2 ] && grep -q 'make gpu-bundle' "$work/err"
}
check "no archive: 2" no_archive
exit $wrong
