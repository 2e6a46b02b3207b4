#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Build and install with the libraries of conda's environment.
set -eu
autoreconf -i
./configure --prefix="$PREFIX" --disable-static --disable-openmp --without-check --without-cuda \
    --without-opencl --without-mpi --with-glpk="$PREFIX" --with-gmp="$PREFIX" --with-hwloc="$PREFIX" \
    --with-openblas="$PREFIX" --with-lapacke="$PREFIX" --with-sqlite="$PREFIX" --with-python="$PYTHON"
make -j"${CPU_COUNT:-1}"
make install pythondir="$SP_DIR"
