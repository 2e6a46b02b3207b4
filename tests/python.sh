#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run the tests of the Python package on the libraries and tools of the build folder.
#
#   tests/python.sh [NAME...]     all tests, or some: test_solve, test_solve.Solve.test_ranks

[ -f python/package/stamp ] || { echo "skipped: this build has no Python package"; exit 77; }
case " ${CC:-} ${CFLAGS:-} " in
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
if [ $# -gt 0 ]; then
    exec "$PYTHON" -m unittest "$@"
fi
exec "$PYTHON" -m unittest discover
