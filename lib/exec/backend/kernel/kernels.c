/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/backend/kernel/kernel.h"

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

/* The second names are those of tile algorithms for what is the same work here. */
static const hsi_kernel_entry entries[] = {
    {"dgemm", NULL, BLAS(dgemm)},         {"sgemm", NULL, BLAS(sgemm)},
    {"dsyrk", NULL, BLAS(dsyrk)},         {"dtrsm", NULL, BLAS(dtrsm)},
    {"dpotrf", NULL, LAPACK(dpotrf)},     {"dgetrf", "dgetrf_nopiv", LAPACK(dgetrf)},
    {"dgeqrf", "dgeqrt", LAPACK(dgeqrf)}, {"dormqr", "dgemqrt", LAPACK(dormqr)},
    {"dtpqrt", "dtsqrt", LAPACK(dtpqrt)}, {"dtpmqrt", "dtsmqr", LAPACK(dtpmqrt)},
};

const hsi_kernel_entry *hsi_kernel_at(size_t index)
{
    return index < sizeof entries / sizeof *entries ? &entries[index] : NULL;
}

static int is_named(const char *known, const char *name, size_t length)
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

int hsi_kernel_is_meant(const hs_backend_options *options, const hs_task *row, hs_type type)
{
    const char *command = type == HS_CPU ? row->cpu_command : row->gpu_command;

    return !options->emulate[type] && row->kernel && *row->kernel && !(command && *command) &&
           strncmp(row->kernel, "plugin:", 7) != 0;
}

hs_status hsi_body_keep(const void *read, size_t size, hs_body **out, char why[HS_WHY])
{
    hs_body *kept = malloc(size);

    if (!kept) {
        snprintf(why, HS_WHY, "out of memory");
        return HS_ENOMEM;
    }
    memcpy(kept, read, size);
    *out = kept;
    return HS_OK;
}
