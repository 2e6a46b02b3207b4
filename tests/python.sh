#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run the tests of the Python package on the libraries and tools of the build folder.
#
#   tests/python.sh [NAME...]     all tests, or some: test_solve, test_solve.Solve.test_ranks

[ -f python/package/stamp ] || { echo "skipped: this build has no Python package"; exit 77; }

# Python is not built with the address sanitizer, so its runtime is loaded before Python. The tools contain
# the runtime and would refuse a second one, so tests that run them are left out, and those of memory.
case " ${CC:-} ${CFLAGS:-} " in
*-fsanitize=address*)
    case $($CC --version) in
    *clang*) runtime=libclang_rt.asan-$(uname -m).so ;;
    *) runtime=libasan.so ;;
    esac
    runtime=$($CC -print-file-name="$runtime")
    [ -f "$runtime" ] || { echo "skipped: the compiler has no shared $runtime"; exit 77; }
    ASAN_OPTIONS=${ASAN_OPTIONS:-}${ASAN_OPTIONS:+:}detect_leaks=0 # Python keeps memory until its end
    PYTHONMALLOC=malloc
    export ASAN_OPTIONS PYTHONMALLOC
    [ $# -gt 0 ] || set -- test_frame test_functions test_graph test_instance test_queue test_run \
        test_schedule test_process.Forks test_process.Signals
    ;;
*-fsanitize=*) echo "skipped: Python itself is not built with this sanitizer"; exit 77 ;;
esac

: "${PYTHON:=$(sed -n 's/^PYTHON = //p' Makefile)}"
srcdir=$(cd "${srcdir:-.}" && pwd) || exit 99
build=$(pwd)
PATH=$build:$PATH
LD_LIBRARY_PATH=$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
PYTHONPATH=$build/python/package${PYTHONPATH:+:$PYTHONPATH}
PYTHONDONTWRITEBYTECODE=1
export srcdir PATH LD_LIBRARY_PATH PYTHONPATH PYTHONDONTWRITEBYTECODE

cd "$srcdir/python/tests" || exit 99
[ -z "${runtime:-}" ] || export LD_PRELOAD="$runtime"
if [ $# -gt 0 ]; then
    exec "$PYTHON" -m unittest "$@"
fi
exec "$PYTHON" -m unittest discover
