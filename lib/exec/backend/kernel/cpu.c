/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel column on CPUs: NAME:SIZE of a built-in kernel, spin:US, sleep:US. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec/backend/backends.h"
#include "exec/backend/kernel/kernel.h"
#include "exec/machine/limits.h"

typedef struct cpu_body cpu_body;

struct cpu_worker {
    hs_backend_worker base;
    int               verify;
    hsi_space         space;
};

struct cpu_body {
    hs_body base;
    hs_outcome (*run)(const cpu_body *body, struct cpu_worker *worker, hs_attempt *attempt);
    int64_t                 ns;    /* to spin or to sleep */
    const hsi_kernel_entry *entry; /* else */
    int                     n;
};

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static hs_outcome run_nothing(const cpu_body *body, struct cpu_worker *worker, hs_attempt *attempt)
{
    (void)body;
    (void)worker;
    (void)attempt;
    return HS_OUTCOME_DONE;
}

static hs_outcome run_spin(const cpu_body *body, struct cpu_worker *worker, hs_attempt *attempt)
{
    int64_t end = now_ns() + body->ns;

    (void)worker;
    do
        if (hs_attempt_cancelled(attempt))
            return HS_OUTCOME_ABORTED;
    while (now_ns() < end);
    return HS_OUTCOME_DONE;
}

static hs_outcome run_sleep(const cpu_body *body, struct cpu_worker *worker, hs_attempt *attempt)
{
    (void)worker;
    return hsi_wait_until(attempt, now_ns() + body->ns) ? HS_OUTCOME_ABORTED : HS_OUTCOME_DONE;
}

#ifdef HAVE_OPENBLAS
static hs_outcome why_stopped(const hsi_job *job, const cpu_body *body, hs_attempt *attempt)
{
    const char *name = body->entry->name;

    if (job->no_memory)
        snprintf(attempt->why, HS_WHY, "%s:%d: out of memory", name, body->n);
    else if (job->info)
        snprintf(attempt->why, HS_WHY, "%s:%d: LAPACK gave up (info %d)", name, body->n, job->info);
    else
        return HS_OUTCOME_ABORTED;
    return HS_OUTCOME_FAILED;
}

static hs_outcome run_kernel(const cpu_body *body, struct cpu_worker *worker, hs_attempt *attempt)
{
    hsi_job job;
    double  residual = 0;

    hsi_job_begin(&job, body->entry->kernel, body->n,
                  hsi_job_seed(attempt->instance, attempt->task), attempt, &worker->space);
    if (worker->verify)
        hsi_job_predict(&job);
    hsi_job_compute(&job);
    if (worker->verify)
        residual = hsi_job_residual(&job);
    if (job.stopped)
        return why_stopped(&job, body, attempt);
    if (residual <= HSI_RESIDUAL_MOST)
        return HS_OUTCOME_DONE;
    snprintf(attempt->why, HS_WHY, "%s:%d: wrong result: residual %.3g, above %g",
             body->entry->name, body->n, residual, HSI_RESIDUAL_MOST);
    return HS_OUTCOME_FAILED;
}

static void use_one_thread(void)
{
    hsi_blas_one_thread();
}

static void free_space(hsi_space *space)
{
    hsi_space_free(space);
}

static double bytes_needed(const cpu_body *body)
{
    return hsi_kernel_bytes(body->entry->kernel, body->n);
}
#else
static hs_outcome run_kernel(const cpu_body *body, struct cpu_worker *worker, hs_attempt *attempt)
{
    return run_nothing(body, worker, attempt); /* never: no such body is made */
}

static void use_one_thread(void)
{
}

static void free_space(hsi_space *space)
{
    (void)space;
}

static double bytes_needed(const cpu_body *body)
{
    (void)body;
    return 0;
}
#endif

/* A decimal number, whatever the locale; -1 if it is none, or above `most`. */
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
        used += (size_t)snprintf(list + used, size - used, "%s:N, ", entry->name);
}

static hs_status unknown(const char *text, char why[HS_WHY])
{
    char list[HS_WHY / 2];

    list_kernels(list, sizeof list);
    snprintf(why, HS_WHY,
             "there is no kernel '%.64s'; there are %sspin:US, sleep:US and "
             "plugin:FILE.so:SYMBOL",
             text, list);
    return HS_EINVAL;
}

/* Microseconds, at most a year. */
static hs_status read_time(const char *text, const char *number, cpu_body *body, char why[HS_WHY])
{
    double us = read_number(number, 3.2e13);

    if (us < 0) {
        snprintf(why, HS_WHY,
                 "kernel '%.64s': expected a number of microseconds behind the "
                 "colon, such as spin:1000",
                 text);
        return HS_EINVAL;
    }
    body->ns = (int64_t)(us * 1000 + 0.5);
    return HS_OK;
}

/* To look is slow, with a hundred thousand rows; so not where there is no need. */
static hs_status fits(const char *text, const cpu_body *body, char why[HS_WHY])
{
    double needed = bytes_needed(body), memory;

    if (needed < 0x1p28)
        return HS_OK;
    memory = hsi_limit_memory();
    if (memory == 0 || needed <= memory)
        return HS_OK;
    snprintf(why, HS_WHY,
             "kernel '%.64s' needs %.1f GiB of memory on each worker, and there are "
             "%.1f",
             text, needed / 0x1p30, memory / 0x1p30);
    return HS_ERESOURCE;
}

static hs_status read_kernel(const char *text, const char *colon, cpu_body *body, char why[HS_WHY])
{
    double n = colon ? read_number(colon + 1, HSI_KERNEL_MOST) : -1;

    body->entry = hsi_kernel_find(text, colon ? (size_t)(colon - text) : strlen(text));
    if (!body->entry)
        return unknown(text, why);
    body->n = (int)n;
    if (n < 1 || n != body->n) {
        snprintf(why, HS_WHY,
                 "kernel '%.64s': expected a size from 1 to %d behind a colon, "
                 "such as %s:960",
                 text, HSI_KERNEL_MOST, body->entry->name);
        return HS_EINVAL;
    }
    if (!body->entry->kernel) {
        snprintf(why, HS_WHY, "kernel '%.64s' needs %s, which this build is without", text,
                 body->entry->needs);
        return HS_ERESOURCE;
    }
    body->run = run_kernel;
    use_one_thread();
    return fits(text, body, why);
}

static hs_status read_body(const char *text, cpu_body *body, char why[HS_WHY])
{
    const char *colon = strchr(text, ':');
    hs_status   st;

    if (strncmp(text, "spin:", 5) == 0) {
        st = read_time(text, colon + 1, body, why);
        body->run = body->ns ? run_spin : run_nothing;
        return st;
    }
    if (strncmp(text, "sleep:", 6) == 0) {
        st = read_time(text, colon + 1, body, why);
        body->run = run_sleep;
        return st;
    }
    return read_kernel(text, colon, body, why);
}

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, char why[HS_WHY])
{
    cpu_body  body = {.base = {&hsi_backend_cpu}};
    hs_status st;

    *out = NULL;
    if (type != HS_CPU || !hsi_kernel_is_meant(options, row, type))
        return HS_OK;
    st = read_body(row->kernel, &body, why);
    return st == HS_OK ? hsi_body_keep(&body, sizeof body, out, why) : st;
}

static void body_free(hs_body *body)
{
    free(body);
}

static hs_status worker_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                             hs_backend_worker **out, char why[HS_WHY])
{
    struct cpu_worker *worker = calloc(1, sizeof *worker);

    (void)info;
    if (!worker) {
        snprintf(why, HS_WHY, "out of memory");
        return HS_ENOMEM;
    }
    worker->base.backend = &hsi_backend_cpu;
    worker->verify = options->verify;
    use_one_thread();
    *out = &worker->base;
    return HS_OK;
}

/* Both begin with what is public of them. */
static struct cpu_worker *own_worker(hs_backend_worker *worker)
{
    return (struct cpu_worker *)(void *)worker;
}

static const cpu_body *own_body(const hs_body *body)
{
    return (const cpu_body *)(const void *)body;
}

static void worker_close(hs_backend_worker *worker)
{
    if (!worker)
        return;
    free_space(&own_worker(worker)->space);
    free(worker);
}

static hs_outcome run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    return own_body(body)->run(own_body(body), own_worker(worker), attempt);
}

const hs_backend hsi_backend_cpu = {
    .abi = HS_BACKEND_ABI,
    .name = "cpu",
    .body_create = body_create,
    .body_free = body_free,
    .worker_open = worker_open,
    .worker_close = worker_close,
    .run = run,
};
