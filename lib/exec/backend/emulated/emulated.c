/* SPDX-License-Identifier: BSD-3-Clause */
/* Backend of emulated workers, where a task takes its planned time. */
#include "core/error.h"
#include "exec/backend/backends.h"
#include "support/clock.h"

static hs_body the_body = {&hsi_backend_emulated}; /* shared by all emulated tasks */

static bool has(const char *text)
{
    return text && *text;
}

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    bool real = type == HS_CPU && !options->emulate[type];

    *out = NULL;
    if (real && (has(row->kernel) || has(row->cpu_command)))
        return HS_OK;
    if (real && has(row->gpu_command))
        return hsi_error_set(error, HS_EINVAL,
                             "a task with a gpu_command alone has nothing to run here");
    *out = &the_body;
    return HS_OK;
}

static hs_outcome run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    /* a time that the clock cannot represent lasts for ever */
    int64_t end =
        attempt->seconds < 9e9 ? hsi_clock_ns() + (int64_t)(attempt->seconds * 1e9) : INT64_MAX;

    (void)worker;
    (void)body;
    return hsi_wait_until(attempt, end) ? HS_OUTCOME_ABORTED : HS_OUTCOME_DONE;
}

const hs_backend hsi_backend_emulated = {
    .struct_size = sizeof(hs_backend),
    .name = "emulated",
    .body_create = body_create,
    .run = run,
};
