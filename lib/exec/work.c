/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/work.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/order.h"
#include "support/sized.h"

void hs_exec_settings_init_sized(hs_exec_settings *settings, size_t size)
{
    memset(settings, 0, size);
    settings->struct_size = size;
    if (size >= offsetof(hs_exec_settings, run.verify) + sizeof settings->run.verify)
        settings->run.verify = 1;
}

static hs_status copy(hs_exec_settings *full, const hs_exec_settings *given)
{
    hs_exec_settings_init(full);
    return !given || hsi_take_sized(full, sizeof *full, given) ? HS_OK : HS_EINVAL;
}

static bool is_span(double seconds)
{
    return seconds >= 0 && isfinite(seconds);
}

static const char *complaint(const hs_exec_settings *s, const hs_schedule *plan)
{
    if (!s->decide.policy)
        return "there is no such policy";
    if (hs_policy_needs_plan(s->decide.policy) && !plan)
        return "the policy needs a plan";
    if (s->decide.rank != HS_RANK_DEFAULT &&
        (!hs_rank_name(s->decide.rank) || !(hs_policy_supported_ranks(s->decide.policy) >> s->decide.rank & 1)))
        return "the policy does not take that rank";
    if (!is_span(s->decide.parameters.band) || !is_span(s->decide.parameters.leave))
        return "the band, or what GPUs leave, is not a positive number";
    if (!is_span(s->run.time_scale))
        return "the time scale is not a positive number";
    if (!isfinite(s->decide.tolerance))
        return "the tolerance is not a number";
    if (!hsi_is_cell_width(s->decide.parameters.ratio_tolerance))
        return "the ratio_tolerance is neither 0 nor from 1e-12 to 1";
    if (!is_span(s->fail.timeout) || !is_span(s->fail.timeout_factor))
        return "the timeout is not a positive number";
    if (s->place.cores[HS_CPU] > HSI_MOST_CORES || s->place.cores[HS_GPU] > HSI_MOST_CORES)
        return "a worker has too many cores";
    if (!(s->place.process_memory >= 0))
        return "the memory is not a positive number";
    if (!is_span(s->gpu.tile_memory))
        return "the memory of GPUs is not a positive number";
    if (!(s->gpu.tile_share >= 0 && s->gpu.tile_share <= 1))
        return "the share of a GPU's memory is not between 0 and 1";
    if (!is_span(s->fail.grace) || !is_span(s->report.progress_interval))
        return "a time is not a positive number";
    if (!(s->fail.retry_delay <= 1e9))
        return "the delay before a retry is too long";
    if (s->fail.halt != HS_HALT_SOON && s->fail.halt != HS_HALT_NOW &&
        s->fail.halt != HS_HALT_NEVER)
        return "there is no such way to halt";
    if (s->keep.resume != HS_RESUME_NOT && s->keep.resume != HS_RESUME_REST &&
        s->keep.resume != HS_RESUME_FAILED)
        return "there is no such way to resume";
    if (s->keep.resume && !s->keep.journal)
        return "without a journal there is nothing to resume";
    if (s->gpu.mode != HS_GPU_STREAMS && s->gpu.mode != HS_GPU_GRAPH)
        return "there is no such way to drive a GPU";
    if (s->place.unbound && s->place.os_cpus)
        return "workers are either bound to given processors or to none";
    if (s->place.os_cpus && (s->place.cores[HS_CPU] > 1 || s->place.cores[HS_GPU] > 1))
        return "a worker of several cores is not bound to one given processor";
    if (s->run.backend_count && !s->run.backends)
        return "the backends are missing";
    return NULL;
}

/* Replace 0 by the default, and a negative tolerance or delay by 0. */
static void fill_defaults(hs_exec_settings *s)
{
    if (s->run.time_scale == 0)
        s->run.time_scale = 1;
    if (s->place.cores[HS_CPU] == 0)
        s->place.cores[HS_CPU] = 1;
    if (s->place.cores[HS_GPU] == 0)
        s->place.cores[HS_GPU] = 1;
    if (s->decide.tolerance == 0)
        s->decide.tolerance = 0.02;
    else if (s->decide.tolerance < 0)
        s->decide.tolerance = 0;
    if (s->fail.retry_delay == 0)
        s->fail.retry_delay = 0.1;
    else if (s->fail.retry_delay < 0)
        s->fail.retry_delay = 0;
    if (s->fail.retire_after == 0)
        s->fail.retire_after = 5;
    if (s->fail.grace == 0)
        s->fail.grace = 2;
    if (s->report.progress_interval == 0)
        s->report.progress_interval = 0.2;
    s->keep.separate_errors |= s->report.line != NULL;
    if (s->fail.retries > UINT16_MAX - 1) /* attempts are counted in 16 bits */
        s->fail.retries = UINT16_MAX - 1;
}

static hs_status resolve(hs_exec_settings *full, const hs_exec_settings *given,
                         const hs_schedule *plan, hs_error *error)
{
    const char *wrong = "the settings were not initialised";

    if (copy(full, given) == HS_OK) {
        if (!full->decide.policy)
            full->decide.policy = hs_policy_find("plan");
        wrong = complaint(full, plan);
    }
    if (wrong)
        return hsi_error_set(error, HS_EINVAL, "%s", wrong);
    fill_defaults(full);
    return HS_OK;
}

/* Check and copy the path of the folder for logs, before any other file is made. */
static hs_status keep_folder(hsi_work *work, hs_error *error)
{
    const char *logs = work->settings.keep.log_folder;
    struct stat folder;

    if (!logs)
        return HS_OK;
    if (stat(logs, &folder) != 0 || (!S_ISDIR(folder.st_mode) && (errno = ENOTDIR)) ||
        access(logs, W_OK | X_OK) != 0)
        return hsi_error_set(error, HS_EINVAL, "%.200s: no folder to write logs in: %s", logs,
                             strerror(errno));
    work->logs = strdup(logs);
    return work->logs ? HS_OK : HS_ENOMEM;
}

static hs_status check_plan(const hsi_work *work, hs_error *error)
{
    hs_error  fault;
    hs_status st = work->plan ? hs_schedule_check(work->in, work->plan, &fault) : HS_OK;

    return st == HS_ESCHEDULE ? hsi_error_set(error, st, "the plan is not valid: %s", fault.why)
                              : st;
}

/* Find out which types have tasks, and whether attempts have deadlines. */
static void look_at_rows(hsi_work *work)
{
    size_t  rows = hs_instance_rows(work->in), i;
    hs_task row;

    work->timed = work->settings.fail.timeout > 0 || work->settings.fail.timeout_factor > 0;
    work->unused[HS_CPU] = work->unused[HS_GPU] = 1;
    for (i = 0; i < rows; i++) {
        hs_instance_row(work->in, i, &row);
        work->timed |= isfinite(row.timeout);
        work->unused[HS_CPU] &= isinf(row.cpu);
        work->unused[HS_GPU] &= isinf(row.gpu);
    }
}

hs_status hsi_work_set(hsi_work *work, const hs_instance *in, const hs_schedule *plan,
                       const hs_exec_settings *given, hs_error *error)
{
    hs_exec_settings *s = &work->settings;
    hs_status         st = resolve(s, given, plan, error);

    if (st != HS_OK)
        return st;
    if (hs_instance_has_graph(in) && !hs_policy_supports_graphs(s->decide.policy))
        return hsi_error_set(error, HS_EDEPENDENT,
                          "the policy '%s' does not know tasks that depend on each other",
                          hs_policy_name(s->decide.policy));
    work->in = in;
    work->plan = plan;
    work->cpus = hs_instance_cpus(in);
    work->gpus = hs_instance_gpus(in);
    work->workers = work->cpus + work->gpus;
    work->seconds_per_unit = hs_unit_seconds(hs_instance_unit(in)) * s->run.time_scale;
    look_at_rows(work);
    st = check_plan(work, error);
    return st == HS_OK ? keep_folder(work, error) : st;
}

void hsi_work_free(hsi_work *work)
{
    free(work->logs);
}
