/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums, triangles and diagonals of matrices in single precision. */
#define FAKE_SINGLE
#include "matrix.c"
