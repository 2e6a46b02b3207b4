/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of flops of kernels, for a fake GPU of given speed. */
#include <string.h>

#include <cublas_v2.h>

#include "state.h"

double fake_flops(const fake_operation *operation)
{
    const fake_kernel *kernel = &operation->kernel;
    const char        *name = operation->name;
    double             m = kernel->m, n = kernel->n, k = kernel->k;

    if (strstr(name, "gemm"))
        return 2 * m * n * k;
    if (strstr(name, "syrk"))
        return n * n * k;
    if (strstr(name, "trsm") || strstr(name, "trmm"))
        return m * n * (kernel->side == CUBLAS_SIDE_LEFT ? m : n);
    if (strstr(name, "potrf"))
        return n * n * n / 3;
    if (strstr(name, "getrf"))
        return n * n * (m - n / 3);
    if (strstr(name, "geqrf"))
        return 2 * n * n * (m - n / 3);
    if (strstr(name, "ormqr"))
        return 2 * n * k * (2 * m - k);
    return 0;
}
