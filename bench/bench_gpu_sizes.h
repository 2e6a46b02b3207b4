/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_GPU_SIZES_H
#define BENCH_GPU_SIZES_H

#include <stddef.h>

/* The matrix products of all measurements of GPUs. */

enum { GEMM_TASKS = 2016, GEMM_SIZES = 18, TINY_TASKS = 10000, TINY_SIZE = 16 };

/* Return a size among 960, 1024, ... 2048; large and small sizes alternate. */
static inline int gemm_size(size_t row)
{
    return 960 + 64 * (int)(7 * row % GEMM_SIZES);
}

static inline double gemm_flops(int n)
{
    return 2.0 * n * n * n;
}

#endif
