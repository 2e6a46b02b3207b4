/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_KERNEL_BLAS_H
#define HSI_EXEC_BACKEND_KERNEL_BLAS_H

/*
 * The functions of OpenBLAS and LAPACKE that kernels call. The libraries are loaded by
 * hsi_blas_open(), when a kernel needs them, and never unloaded: a program without kernels is
 * spared their threads and 200 MiB of address space.
 */
#include "config.h"

#include <cblas.h>
#ifdef HAVE_LAPACKE
#include <lapacke.h>
#endif

/* X(member, the function's name in the library) */
#define HSI_CBLAS_MAP(X)                                                                           \
    X(get_num_threads, openblas_get_num_threads)                                                   \
    X(set_num_threads, openblas_set_num_threads)                                                   \
    X(daxpy, cblas_daxpy)                                                                          \
    X(ddot, cblas_ddot)                                                                            \
    X(dgemm, cblas_dgemm)                                                                          \
    X(dgemv, cblas_dgemv)                                                                          \
    X(dger, cblas_dger)                                                                            \
    X(dscal, cblas_dscal)                                                                          \
    X(dsymv, cblas_dsymv)                                                                          \
    X(dsyrk, cblas_dsyrk)                                                                          \
    X(dtrmv, cblas_dtrmv)                                                                          \
    X(dtrsm, cblas_dtrsm)                                                                          \
    X(saxpy, cblas_saxpy)                                                                          \
    X(sdot, cblas_sdot)                                                                            \
    X(sgemm, cblas_sgemm)                                                                          \
    X(sgemv, cblas_sgemv)                                                                          \
    X(sger, cblas_sger)                                                                            \
    X(sscal, cblas_sscal)                                                                          \
    X(ssymv, cblas_ssymv)                                                                          \
    X(ssyrk, cblas_ssyrk)                                                                          \
    X(strmv, cblas_strmv)                                                                          \
    X(strsm, cblas_strsm)

#ifdef HAVE_LAPACKE
#define HSI_LAPACKE_MAP(X)                                                                         \
    X(dgemqrt, LAPACKE_dgemqrt_work)                                                               \
    X(dgeqrt, LAPACKE_dgeqrt_work)                                                                 \
    X(dgetrf, LAPACKE_dgetrf_work)                                                                 \
    X(dlarfb, LAPACKE_dlarfb_work)                                                                 \
    X(dlaswp, LAPACKE_dlaswp_work)                                                                 \
    X(dpotrf, LAPACKE_dpotrf_work)                                                                 \
    X(dtpmqrt, LAPACKE_dtpmqrt_work)                                                               \
    X(dtpqrt, LAPACKE_dtpqrt_work)                                                                 \
    X(dtrtri, LAPACKE_dtrtri_work)                                                                 \
    X(sgemqrt, LAPACKE_sgemqrt_work)                                                               \
    X(sgeqrt, LAPACKE_sgeqrt_work)                                                                 \
    X(sgetrf, LAPACKE_sgetrf_work)                                                                 \
    X(slarfb, LAPACKE_slarfb_work)                                                                 \
    X(slaswp, LAPACKE_slaswp_work)                                                                 \
    X(spotrf, LAPACKE_spotrf_work)                                                                 \
    X(stpmqrt, LAPACKE_stpmqrt_work)                                                               \
    X(stpqrt, LAPACKE_stpqrt_work)                                                                 \
    X(strtri, LAPACKE_strtri_work)
#else
#define HSI_LAPACKE_MAP(X)
#endif

typedef struct hsi_blas_functions {
#define X(member, name) __typeof__(name) *member;
    HSI_CBLAS_MAP(X)
    HSI_LAPACKE_MAP(X)
#undef X
} hsi_blas_functions;

/* Set once, by the first hsi_blas_open() that returns HS_OK. */
extern hsi_blas_functions hsi_blas;

/* Call the function of that name in the precision of the job's kernel; numbers and pointers are
 * converted to what it takes. */
#define HSI_BLAS(job, name, ...)                                                                   \
    ((job)->kernel->single ? hsi_blas.s##name(__VA_ARGS__) : hsi_blas.d##name(__VA_ARGS__))

#endif
