/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversions between assignments and schedules. Loads are summed in a fixed order, which makes the
 * makespans equal. */
#include <math.h>
#include <stdlib.h>

#include "core/recorder.h"
#include "refine/refine.h"

/* Start all loads at 0, or when each worker becomes available. */
static void begin_loads(const hsi_problem *pb, double *load)
{
    for (size_t w = 0; w < (size_t)pb->m + pb->k; w++)
        load[w] = pb->available ? pb->available[w] : 0;
}

double hsi_assignment_makespan(const hsi_problem *pb, const uint32_t *assignment, double *load)
{
    size_t i;
    double makespan = 0;

    begin_loads(pb, load);
    for (i = 0; i < pb->n; i++) {
        hsi_poll_at_iteration(pb->token, i);
        load[assignment[i]] += hsi_time_on(pb, i, assignment[i]);
    }
    for (i = 0; i < pb->n && pb->available; i++)
        makespan = fmax(makespan, load[assignment[i]]); /* workers without tasks do not count */
    for (i = 0; i < (size_t)pb->m + pb->k && !pb->available; i++)
        makespan = fmax(makespan, load[i]);
    return makespan;
}

hs_status hsi_assignment_schedule(const hsi_problem *pb, const uint32_t *assignment,
                                  hs_schedule **out)
{
    double   *load = malloc(((size_t)pb->m + pb->k) * sizeof *load);
    hsi_recorder recorder = {0};
    hs_status    st = load ? hsi_recorder_open(&recorder, pb, 0) : HS_ENOMEM;
    size_t    i;

    if (st != HS_OK)
        goto out;
    begin_loads(pb, load);
    for (i = 0; i < pb->n && !hsi_poll_at_iteration(pb->token, i); i++) {
        load[assignment[i]] += hsi_time_on(pb, i, assignment[i]);
        hsi_record_run(&recorder, (uint32_t)i, assignment[i], load[assignment[i]]);
    }
    st = i < pb->n ? HS_ECANCELED : hsi_recorder_build_schedule(&recorder, pb, out);
    hsi_recorder_close(&recorder);
out:
    free(load);
    return st;
}

void hsi_assignment_of(const hs_schedule *s, hsi_token *token, uint32_t *assignment)
{
    unsigned workers = hs_schedule_cpus(s) + hs_schedule_gpus(s), w;

    for (w = 0; w < workers; w++) {
        size_t          count, i;
        const hs_entry *entries = hs_schedule_entries(s, w, &count);

        for (i = 0; i < count; i++) {
            hsi_poll_after_work(token, 16);
            if (entries[i].state == HS_RUN)
                assignment[entries[i].task] = w;
        }
    }
}
