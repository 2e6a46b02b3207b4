/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel column on CPUs: NAME:SIZE of a built-in kernel, spin:US, sleep:US. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/backend/backends.h"
#include "exec/backend/kernel/kernel.h"
#include "exec/machine/limits.h"
#include "exec/error_text.h"
#include "support/clock.h"

typedef struct cpu_body cpu_body;

struct cpu_worker {
    hs_backend_worker base;
    int               verify;
    hsi_space         space;
};

struct cpu_body {
    hs_body base;
    hs_outcome (*run)(const cpu_body *body, struct cpu_worker *worker, hs_attempt *attempt);
    int64_t                 ns;    /* duration of a spin or sleep */
    const hsi_kernel_entry *entry; /* built-in kernel; NULL: spin or sleep */
    hsi_kernel_size         size;
};

static hs_outcome run_nothing(const cpu_body *body, struct cpu_worker *worker, hs_attempt *attempt)
{
    (void)body;
    (void)worker;
    (void)attempt;
    return HS_OUTCOME_DONE;
}

static hs_outcome run_spin(const cpu_body *body, struct cpu_worker *worker, hs_attempt *attempt)
{
    int64_t end = hsi_clock_ns() + body->ns;

    (void)worker;
    do
        if (hs_attempt_cancelled(attempt))
            return HS_OUTCOME_ABORTED;
    while (hsi_clock_ns() < end);
    return HS_OUTCOME_DONE;
}

static hs_outcome run_sleep(const cpu_body *body, struct cpu_worker *worker, hs_attempt *attempt)
{
    (void)worker;
    return hsi_wait_until(attempt, hsi_clock_ns() + body->ns) ? HS_OUTCOME_ABORTED
                                                              : HS_OUTCOME_DONE;
}

/* Return the number behind the colon of a kernel, without a number of parts. */
static long long size_of(const cpu_body *body)
{
    if (body->entry->kernel == &hsi_kernel_copy)
        return body->size.columns * (long long)(HSI_COPY_ROWS * sizeof(double));
    return body->size.n;
}

static hs_outcome why_stopped(const hsi_job *job, const cpu_body *body, hs_attempt *attempt)
{
    const char *name = body->entry->name;

    if (job->no_memory)
        return hsi_attempt_fail(attempt, "%s:%lld: out of memory", name, size_of(body));
    if (job->info)
        return hsi_attempt_fail(attempt, "%s:%lld: LAPACK gave up (info %d)", name, size_of(body),
                                job->info);
    return HS_OUTCOME_ABORTED;
}

static hs_outcome run_kernel(const cpu_body *body, struct cpu_worker *worker, hs_attempt *attempt)
{
    hsi_job   job;
    uint64_t  seed;
    hsi_shape shape =
        hsi_kernel_shape_of_task(&body->size, attempt->instance, attempt->task, &seed);
    double residual = 0;

    hsi_job_begin(&job, body->entry->kernel, shape, seed, attempt, &worker->space);
    if (worker->verify)
        hsi_job_predict_product(&job);
    hsi_job_compute(&job);
    if (worker->verify)
        residual = hsi_job_residual(&job);
    if (job.stopped)
        return why_stopped(&job, body, attempt);
    attempt->verification = worker->verify ? HS_VERIFICATION_PASSED : HS_VERIFICATION_SKIPPED;
    return hsi_job_outcome_by_residual(residual, body->entry->name, size_of(body), attempt);
}

/* Parse a decimal number, in any locale. Return -1 for other text and above `most`. */
static double read_number(const char *text, double most)
{
    double value = 0, unit = 1;
    int    digits = 0, point = 0;

    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = 1;
            continue;
        }
        value = 10 * value + (*text - '0');
        unit *= point ? 10 : 1;
        digits++;
    }
    return *text || !digits || digits > 15 || value / unit > most ? -1 : value / unit;
}

static void list_kernels(char *list, size_t size)
{
    const hsi_kernel_entry *entry;
    size_t                  used = 0, i;

    list[0] = '\0';
    for (i = 0; (entry = hsi_kernel_at(i)) && used < size; i++)
        used += (size_t)snprintf(list + used, size - used, "%s:%s, ", entry->name,
                                 entry->needs ? "N" : "BYTES");
}

static hs_status unknown(const char *text, hs_error *error)
{
    char list[HS_WHY / 2];

    list_kernels(list, sizeof list);
    return hsi_error_set(error, HS_EINVAL,
                         "there is no kernel '%.64s'; there are %sspin:US, sleep:US and "
                         "plugin:FILE.so:SYMBOL",
                         text, list);
}

/* Parse a duration in microseconds, at most a year. */
static hs_status read_time(const char *text, const char *number, cpu_body *body, hs_error *error)
{
    double us = read_number(number, 3.2e13);

    if (us < 0)
        return hsi_error_set(error, HS_EINVAL,
                             "kernel '%.64s': expected a number of microseconds behind the colon, "
                             "such as spin:1000",
                             text);
    body->ns = (int64_t)(us * 1000 + 0.5);
    return HS_OK;
}

/* Check that the job fits into memory. Reading the limits is slow with a hundred thousand rows, so
 * small jobs are not checked. */
static hs_status fits(const char *text, const cpu_body *body, hs_error *error)
{
    double needed =
        hsi_kernel_bytes(body->entry->kernel, hsi_kernel_largest_shape(&body->size));
    double memory;

    if (needed < 0x1p28)
        return HS_OK;
    memory = hsi_memory_limit();
    if (memory == 0 || needed <= memory)
        return HS_OK;
    return hsi_error_set(
        error, HS_ERESOURCE,
        "kernel '%.64s' needs %.1f GiB of memory on each worker, and there are %.1f", text,
        needed / 0x1p30, memory / 0x1p30);
}

static hs_status read_kernel(const char *text, const char *colon, cpu_body *body, hs_error *error)
{
    body->entry = hsi_kernel_find(text, colon ? (size_t)(colon - text) : strlen(text));
    if (!body->entry)
        return unknown(text, error);
    if (!body->entry->kernel)
        return hsi_error_set(error, HS_EUNSUPPORTED,
                             "kernel '%.64s' needs %s, which this build is without", text,
                             body->entry->needs);
    if (!colon || !hsi_kernel_read_size(body->entry, colon + 1, &body->size))
        return hsi_kernel_describe_bad_size(text, body->entry, error);
    body->run = run_kernel;
    return fits(text, body, error);
}

static hs_status read_body(const char *text, cpu_body *body, hs_error *error)
{
    bool      spins = strncmp(text, "spin:", 5) == 0, sleeps = strncmp(text, "sleep:", 6) == 0;
    hs_status st;

    if (!spins && !sleeps)
        return read_kernel(text, strchr(text, ':'), body, error);
    st = read_time(text, strchr(text, ':') + 1, body, error);
    body->run = sleeps ? run_sleep : body->ns ? run_spin : run_nothing;
    return st;
}

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    cpu_body  body = {.base = {&hsi_backend_cpu}};
    hs_status st;

    *out = NULL;
    if (type != HS_CPU || !hsi_row_runs_kernel(options, row, type))
        return HS_OK;
    st = read_body(row->kernel, &body, error);
    if (st == HS_OK && body.entry && body.entry->needs && !options->dry_run)
        st = hsi_blas_open(error);
    return st == HS_OK ? hsi_body_copy_to_heap(&body, sizeof body, out) : st;
}

static hs_status worker_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                             hs_backend_worker **out, hs_error *error)
{
    struct cpu_worker *worker = calloc(1, sizeof *worker);

    (void)info;
    (void)error->why;
    if (!worker)
        return HS_ENOMEM;
    worker->base.backend = &hsi_backend_cpu;
    worker->verify = options->verify;
    hsi_blas_one_thread();
    *out = &worker->base;
    return HS_OK;
}

/* Return the whole of a worker or body, of which the public part is the first member. */
static struct cpu_worker *own_worker(hs_backend_worker *worker)
{
    return (struct cpu_worker *)(void *)worker;
}

static const cpu_body *own_body(const hs_body *body)
{
    return (const cpu_body *)(const void *)body;
}

double hsi_cpu_body_bytes(const hs_body *body)
{
    const cpu_body *own = own_body(body);

    if (own->run != run_kernel)
        return 0;
    return hsi_kernel_bytes(own->entry->kernel, hsi_kernel_largest_shape(&own->size));
}

static void worker_close(hs_backend_worker *worker)
{
    if (!worker)
        return;
    hsi_space_free(&own_worker(worker)->space);
    free(worker);
}

static hs_outcome run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    return own_body(body)->run(own_body(body), own_worker(worker), attempt);
}

const hs_backend hsi_backend_cpu = {
    .struct_size = sizeof(hs_backend),
    .name = "cpu",
    .body_create = body_create,
    .body_free = hsi_body_free,
    .worker_open = worker_open,
    .worker_close = worker_close,
    .run = run,
};
