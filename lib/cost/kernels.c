/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include <hybridsched/generate.h>

/*
 * Mean times of measured kernels in double precision: microseconds with two decimals in StarPU's
 * performance models, converted to ms here. INFINITY: no measured GPU implementation.
 */

static const hs_kernel mirage[] = {
    {"cholesky", "potrf", "dpotrf:960", 33.62389, 17.01730},
    {"cholesky", "trsm", "dtrsm:960", 89.19371, 7.92157},
    {"cholesky", "syrk", "dsyrk:960", 96.88974, 3.69525},
    {"cholesky", "gemm", "dgemm:960", 172.93240, 5.98023},
    {"lu", "getrf", "dgetrf:960", 232.19710, 83.83953},
    {"lu", "trsm-right", "dtrsm:960", 91.43755, 7.04804},
    {"lu", "trsm-below", "dtrsm:960", 90.68591, 6.93278},
    {"lu", "gemm", "dgemm:960", 174.75560, 5.85023},
};

/*
 * Cholesky's times come from another measurement campaign than LU's and QR's. No GPU times of
 * getrf, geqrt and tpqrt are published: the table assumes 11.97731 / 11.14621 of their CPU times,
 * as for potrf. dormqr was not measured: the table has sormqr times dtpmqrt over stpmqrt.
 */
static const hs_kernel k40m[] = {
    {"cholesky", "potrf", "dpotrf:960", 11.14621, 11.97731},
    {"cholesky", "trsm", "dtrsm:960", 39.30876, 3.19442},
    {"cholesky", "syrk", "dsyrk:960", 37.50924, 1.24304},
    {"cholesky", "gemm", "dgemm:960", 92.14389, 1.68910},
    {"lu", "getrf", "dgetrf:960", 24.11727, 25.91554},
    {"lu", "trsm", "dtrsm:960", 52.24320, 3.11935},
    {"lu", "gemm", "dgemm:960", 103.56250, 1.71289},
    {"qr", "geqrt", "dgeqrf:960", 50.84598, 54.63723},
    {"qr", "ormqr", "dormqr:960", 157.65326, 6.62713},
    {"qr", "tpqrt", "dtpqrt:960", 80.35258, 86.34395},
    {"qr", "tpmqrt", "dtpmqrt:960", 395.26620, 12.14662},
};

/* dgeqrt was not measured: 108.68360 (sgeqrt) * 234.58180 (dtpqrt) / 135.43610 (stpqrt). */
static const hs_kernel v100[] = {
    {"", "potrf", "dpotrf:1600", 32.10279, INFINITY},
    {"", "trsm", "dtrsm:1600", 85.62359, 1.97135},
    {"", "syrk", "dsyrk:1600", 89.26816, 1.09271},
    {"", "gemm", "dgemm:1600", 184.44290, 1.24169},
    {"", "getrf", "dgetrf:1600", 193.95030, INFINITY},
    {"", "geqrt", "dgeqrf:1600", 188.24520, INFINITY},
    {"", "ormqr", "dormqr:1600", 460.73670, 4.83207},
    {"", "tpqrt", "dtpqrt:1600", 234.58180, INFINITY},
    {"", "tpmqrt", "dtpmqrt:1600", 1052.55400, 8.00550},
};

#define KERNELS(array) sizeof(array) / sizeof *(array), (array)

static const hs_kernel_table tables[] = {
    {"mirage-960",
     "StarPU performance models of the machine mirage (Tesla M2070; f64, tiles of 960): Cholesky "
     "from its Chameleon kernels (dpotrf is flagged as noisy), LU from its starpu_dlu_lu_model "
     "kernels",
     9, 3, HS_MILLISECONDS, KERNELS(mirage)},
    {"v100-1600",
     "StarPU performance models of the machine sirocco-v100 (Tesla V100; f64, tiles of 1600): "
     "its Chameleon kernels (dgetrf: dgetrf_nopiv; dgeqrt was not measured and is estimated as "
     "sgeqrt * dtpqrt / stpqrt); a kernel without a GPU time is CPU-only",
     38, 2, HS_MILLISECONDS, KERNELS(v100)},
    {"k40m-960",
     "StarPU performance models of the machine sirocco (Tesla K40m; f64, tiles of 960): its "
     "Chameleon kernels (dgetrf: dgetrf_nopiv). Estimated: the GPU times of getrf, geqrt and tpqrt, "
     "at potrf's ratio, and ormqr as sormqr * dtpmqrt / stpmqrt",
     20, 4, HS_MILLISECONDS, KERNELS(k40m)},
};

const hs_kernel_table *hs_kernel_table_at(size_t index)
{
    return index < sizeof tables / sizeof *tables ? &tables[index] : NULL;
}

const hs_kernel_table *hs_kernel_table_find(const char *name)
{
    size_t i;

    for (i = 0; name && i < sizeof tables / sizeof *tables; i++)
        if (strcmp(tables[i].name, name) == 0)
            return &tables[i];
    return NULL;
}
