/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/dispatcher.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void hs_exec_settings_init_sized(hs_exec_settings *settings, size_t size)
{
    memset(settings, 0, size);
    settings->struct_size = size;
    if (size >= offsetof(hs_exec_settings, verify) + sizeof settings->verify)
        settings->verify = 1;
}

static hs_status copy(hs_exec_settings *full, const hs_exec_settings *given)
{
    hs_exec_settings_init(full);
    if (!given)
        return HS_OK;
    if (given->struct_size < sizeof given->struct_size)
        return HS_EINVAL;
    memcpy(full, given, given->struct_size < sizeof *full ? given->struct_size : sizeof *full);
    full->struct_size = sizeof *full;
    return HS_OK;
}

static int is_span(double seconds)
{
    return seconds >= 0 && isfinite(seconds);
}

static const char *complaint(const hs_exec_settings *s, const hs_schedule *plan)
{
    if (!s->policy)
        return "there is no such policy";
    if (hs_policy_needs_plan(s->policy) && !plan)
        return "the policy needs a plan";
    if (!is_span(s->time_scale))
        return "the time scale is not a positive number";
    if (!isfinite(s->tolerance))
        return "the tolerance is not a number";
    if (!is_span(s->timeout) || !is_span(s->timeout_factor))
        return "the timeout is not a positive number";
    if (!is_span(s->grace) || !is_span(s->progress_interval))
        return "a time is not a positive number";
    if (s->halt != HS_HALT_SOON && s->halt != HS_HALT_NOW && s->halt != HS_HALT_NEVER)
        return "there is no such way to halt";
    if (s->resume && !s->journal)
        return "without a journal there is nothing to resume";
    if (s->gpu_mode != HS_GPU_STREAMS && s->gpu_mode != HS_GPU_GRAPH)
        return "there is no such way to drive a GPU";
    if (s->backend_count && !s->backends)
        return "the backends are missing";
    return NULL;
}

/* What 0 stands for, and a negative tolerance. */
static void fill_defaults(hs_exec_settings *s)
{
    if (s->time_scale == 0)
        s->time_scale = 1;
    if (s->tolerance == 0)
        s->tolerance = 0.02;
    else if (s->tolerance < 0)
        s->tolerance = 0;
    if (s->grace == 0)
        s->grace = 2;
    if (s->progress_interval == 0)
        s->progress_interval = 0.2;
    if (s->retries > UINT16_MAX - 1) /* attempts are counted in 16 bits */
        s->retries = UINT16_MAX - 1;
}

hs_status hsi_exec_settings_resolve(hs_exec_settings *full, const hs_exec_settings *given,
                                    const hs_schedule *plan, char why[HS_WHY])
{
    const char *wrong = "the settings were not initialised";

    if (copy(full, given) == HS_OK) {
        if (!full->policy)
            full->policy = hs_policy_find("plan");
        wrong = complaint(full, plan);
    }
    if (wrong) {
        snprintf(why, HS_WHY, "%s", wrong);
        return HS_EINVAL;
    }
    fill_defaults(full);
    return HS_OK;
}
