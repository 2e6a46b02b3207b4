/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of the fake's cuBLAS in single precision. */
#define FAKE_SINGLE
#include "blas_kernels.c"
