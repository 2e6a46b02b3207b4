/* SPDX-License-Identifier: BSD-3-Clause */
/* A run on several ranks, in the caller's thread: it alone talks to the other ranks. */
#include "exec/run/run.h"

#include <string.h>

#include "exec/run/control.h"
#include "exec/run/dispatcher/dispatcher.h"
#include "support/clock.h"
#include "support/hash.h"
#include "support/sized.h"

int64_t hsi_run_serve_ranks(hs_exec *exec)
{
    enum { PAUSE = 20000 }; /* ns without an event; then MPI is asked again */
    const uint32_t *tasks;
    size_t          count;
    hs_error        error = {0};
    hs_status       st;

    if (!exec->exchange)
        return HSI_FAR;
    st = hsi_exchange_poll(exec->exchange, &tasks, &count, &error);
    if (count > 0 || st != HS_OK) {
        hsi_lock(exec->control);
        if (count > 0)
            hsi_release_after_others(exec, tasks, count, hsi_clock_ns());
        if (st != HS_OK)
            hsi_fail_run(exec, st, error.why);
        hsi_unlock(exec->control);
    }
    return hsi_clock_ns() + PAUSE;
}

/* Return a digest of what all ranks must agree on: the tasks, the policy, the plan, and whether
 * tiles go to rank 0 at the end. */
static uint64_t digest(const hsi_run_spec *spec)
{
    const hs_exec_settings *s = &spec->settings;
    const char             *policy = hs_policy_name(s->decide.policy);
    const char              at_the_end[] = {s->run.verify != 0, s->run.collect_factors != 0};
    uint64_t                sum = hs_instance_digest(spec->in);

    sum = hsi_hash(policy, strlen(policy), sum);
    sum = hsi_hash(at_the_end, sizeof at_the_end, sum);
    for (unsigned w = 0; spec->plan && w < spec->workers; w++) {
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(spec->plan, w, &count);

        for (; count > 0; count--, entry++)
            sum = hsi_hash((const char *)&entry->task, sizeof entry->task, sum);
    }
    return sum;
}

hs_status hsi_run_begin_ranks(hs_exec *exec, hs_error *error)
{
    return exec->exchange ? hsi_exchange_begin(exec->exchange, digest(&exec->spec), error) : HS_OK;
}

hs_status hsi_run_end_ranks(hs_exec *exec, const hs_exec_report *report, hs_error *error)
{
    const hs_exec_rank mine = {.struct_size = sizeof mine,
                               .tasks = report->done,
                               .seconds = report->seconds,
                               .busy = report->busy};

    return exec->exchange ? hsi_exchange_finish(exec->exchange, &mine, error) : HS_OK;
}

int hs_exec_rank_at(const hs_exec *exec, unsigned rank, hs_exec_rank *out)
{
    const hs_exec_rank *found =
        exec && exec->exchange ? hsi_exchange_rank(exec->exchange, rank) : NULL;

    if (!found)
        return 0;
    hsi_sized_copy_out(out, found, sizeof *found);
    return 1;
}
