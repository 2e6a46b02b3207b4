/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include <time.h>

#include "exec/backend/backends.h"

/* Nothing differs from task to task, or from worker to worker. */
static hs_body           the_body = {&hsi_backend_emulated};
static hs_backend_worker the_worker = {&hsi_backend_emulated};

static int has(const char *text)
{
    return text && *text;
}

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, char why[HS_WHY])
{
    int own =
        type == HS_GPU || options->emulate[type] || (!has(row->kernel) && !has(row->cpu_command));

    (void)why;
    *out = own ? &the_body : NULL;
    return HS_OK;
}

static void body_free(hs_body *body)
{
    (void)body;
}

static hs_status worker_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                             hs_backend_worker **out, char why[HS_WHY])
{
    (void)options;
    (void)info;
    (void)why;
    *out = &the_worker;
    return HS_OK;
}

static void worker_close(hs_backend_worker *worker)
{
    (void)worker;
}

static hs_outcome run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    struct timespec start;
    int64_t         ns;

    (void)worker;
    (void)body;
    clock_gettime(CLOCK_MONOTONIC, &start);
    ns = (int64_t)start.tv_sec * 1000000000 + start.tv_nsec;
    /* A time that a clock cannot tell is as good as for ever. */
    ns = attempt->seconds < 9e9 ? ns + (int64_t)(attempt->seconds * 1e9) : INT64_MAX;
    return hsi_wait_until(attempt, ns) ? HS_OUTCOME_ABORTED : HS_OUTCOME_DONE;
}

const hs_backend hsi_backend_emulated = {
    .abi = HS_BACKEND_ABI,
    .name = "emulated",
    .body_create = body_create,
    .body_free = body_free,
    .worker_open = worker_open,
    .worker_close = worker_close,
    .run = run,
};
