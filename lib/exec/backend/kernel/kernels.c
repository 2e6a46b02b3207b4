/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include <string.h>

#include "core/error.h"
#include "exec/backend/kernel/kernel.h"
#include "exec/error_text.h"

#ifdef HAVE_OPENBLAS
#define BLAS(kernel) "OpenBLAS", &hsi_kernel_##kernel
#else
#define BLAS(kernel) "OpenBLAS", NULL
#endif

#if defined HAVE_OPENBLAS && defined HAVE_LAPACKE
#define LAPACK(kernel) "OpenBLAS and LAPACKE", &hsi_kernel_##kernel
#else
#define LAPACK(kernel) "OpenBLAS and LAPACKE", NULL
#endif

/* Kernels by name, with the name of the kernel of tile algorithms for the same work. */
static const hsi_kernel_entry entries[] = {
    {"dgemm", NULL, BLAS(dgemm)},
    {"dsyrk", NULL, BLAS(dsyrk)},
    {"dtrsm", NULL, BLAS(dtrsm)},
    {"dpotrf", NULL, LAPACK(dpotrf)},
    {"dgetrf", "dgetrf_nopiv", LAPACK(dgetrf)},
    {"dgeqrf", "dgeqrt", LAPACK(dgeqrf)},
    {"dormqr", "dgemqrt", LAPACK(dormqr)},
    {"dtpqrt", "dtsqrt", LAPACK(dtpqrt)},
    {"dtpmqrt", "dtsmqr", LAPACK(dtpmqrt)},
    {"sgemm", NULL, BLAS(sgemm)},
    {"ssyrk", NULL, BLAS(ssyrk)},
    {"strsm", NULL, BLAS(strsm)},
    {"spotrf", NULL, LAPACK(spotrf)},
    {"sgetrf", "sgetrf_nopiv", LAPACK(sgetrf)},
    {"sgeqrf", "sgeqrt", LAPACK(sgeqrf)},
    {"sormqr", "sgemqrt", LAPACK(sormqr)},
    {"stpqrt", "stsqrt", LAPACK(stpqrt)},
    {"stpmqrt", "stsmqr", LAPACK(stpmqrt)},
};

const hsi_kernel_entry *hsi_kernel_at(size_t index)
{
    return index < sizeof entries / sizeof *entries ? &entries[index] : NULL;
}

static bool is_named(const char *known, const char *name, size_t length)
{
    return known && strlen(known) == length && memcmp(known, name, length) == 0;
}

const hsi_kernel_entry *hsi_kernel_find(const char *name, size_t length)
{
    const hsi_kernel_entry *entry;
    size_t                  i;

    for (i = 0; (entry = hsi_kernel_at(i)); i++)
        if (is_named(entry->name, name, length) || is_named(entry->alias, name, length))
            return entry;
    return NULL;
}

bool hsi_row_runs_kernel(const hs_backend_options *options, const hs_task *row, hs_type type)
{
    const char *command = type == HS_CPU ? row->cpu_command : row->gpu_command;

    return !options->emulate[type] && row->kernel && *row->kernel && !(command && *command) &&
           strncmp(row->kernel, "plugin:", 7) != 0;
}

hs_status hsi_kernel_describe_bad_size(const char *text, const hsi_kernel_entry *entry,
                                       hs_error *error)
{
    return hsi_error_set(
        error, HS_EINVAL,
        "kernel '%.64s': expected a size from 1 to %d behind a colon, such as %s:960", text,
        HSI_KERNEL_MOST, entry->name);
}

hs_outcome hsi_job_outcome_by_residual(double residual, const char *kernel, int n,
                                       hs_attempt *attempt)
{
    if (residual <= HSI_RESIDUAL_MOST)
        return HS_OUTCOME_DONE;
    return hsi_attempt_fail(attempt, "%s:%d: wrong result: residual %.3g, above %g", kernel, n,
                            residual, HSI_RESIDUAL_MOST);
}
