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
    {"copy", NULL, NULL, &hsi_kernel_copy},
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

/* Read decimal digits up to a number; *end is the character behind them. Return 0 if there are none
 * or the number is larger. */
static int64_t read_digits(const char *text, int64_t most, const char **end)
{
    int64_t number = 0;

    for (; *text >= '0' && *text <= '9' && number <= most; text++)
        number = 10 * number + (*text - '0');
    *end = text;
    return number <= most ? number : 0;
}

bool hsi_kernel_read_size(const hsi_kernel_entry *entry, const char *text, hsi_kernel_size *size)
{
    bool        is_copy = entry->kernel == &hsi_kernel_copy;
    int64_t     page = HSI_COPY_ROWS * (int64_t)sizeof(double);
    const char *end;
    int64_t     number = read_digits(text, is_copy ? HSI_COPY_MOST : HSI_KERNEL_MOST, &end);

    *size = (hsi_kernel_size){.n = (int)number, .columns = (int)number, .parts = 1};
    if (is_copy)
        *size = (hsi_kernel_size){HSI_COPY_ROWS, (int)((number + page - 1) / page), 1};
    if (number > 0 && *end == '/' && entry->kernel && entry->kernel->divisible)
        size->parts = (int)read_digits(end + 1, number, &end);
    return number > 0 && size->parts > 0 && !*end;
}

/* Return columns that block `index` of all parts begins after. */
static int columns_before(const hsi_kernel_size *size, int64_t index)
{
    return (int)(index * size->columns / size->parts);
}

/* Return the number K of a task named ROW#K, and cut the name behind ROW; 1 for other names. */
static unsigned long copy_number(char *name)
{
    char         *mark = strrchr(name, '#');
    const char   *end;
    unsigned long number = mark ? (unsigned long)read_digits(mark + 1, UINT32_MAX, &end) : 0;

    if (number == 0 || *end)
        return 1;
    *mark = '\0';
    return number;
}

hsi_shape hsi_kernel_shape_of_task(const hsi_kernel_size *size, const hs_instance *instance,
                                   uint32_t task, uint64_t *seed)
{
    char          name[HS_MAX_ID + 16];
    unsigned long part = 0;

    hs_instance_name(instance, task, name, sizeof name);
    if (size->parts > 1)
        part = (copy_number(name) - 1) % (unsigned)size->parts;
    *seed = hsi_job_seed(name);
    return (hsi_shape){
        .n = size->n,
        .first = columns_before(size, (int64_t)part),
        .columns = columns_before(size, (int64_t)part + 1) - columns_before(size, (int64_t)part)};
}

hsi_shape hsi_kernel_largest_shape(const hsi_kernel_size *size)
{
    return (hsi_shape){.n = size->n, .columns = (size->columns + size->parts - 1) / size->parts};
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
    if (entry->kernel == &hsi_kernel_copy)
        return hsi_error_set(error, HS_EINVAL,
                             "kernel '%.64s': expected a number of bytes from 1 to %lld behind a "
                             "colon, such as copy:64000000",
                             text, (long long)HSI_COPY_MOST);
    return hsi_error_set(
        error, HS_EINVAL,
        "kernel '%.64s': expected a size N from 1 to %d behind a colon%s, such as %s:960", text,
        HSI_KERNEL_MOST,
        entry->kernel && entry->kernel->divisible ? ", or N/PARTS with 1 to N parts" : "",
        entry->name);
}

hs_outcome hsi_job_outcome_by_residual(double residual, const char *kernel, long long size,
                                       hs_attempt *attempt)
{
    if (residual <= HSI_RESIDUAL_MOST)
        return HS_OUTCOME_DONE;
    return hsi_attempt_fail(attempt, "%s:%lld: wrong result: residual %.3g, above %g", kernel, size,
                            residual, HSI_RESIDUAL_MOST);
}
