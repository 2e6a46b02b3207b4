/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/solve_report.h"

#include <string.h>

#include "core/instance_store.h"
#include "support/exact.h"

void hs_report_init_sized(hs_report *report, size_t size)
{
    memset(report, 0, size);
    report->struct_size = size;
}

double hsi_sum_round_up(const hsi_sum *sum)
{
    double up = sum->high + sum->low;

    for (;;) {
        hsi_sum rest = {up, 0, 0};

        hsi_sum_add(&rest, -sum->high);
        hsi_sum_add(&rest, -sum->low);
        rest.error += sum->error;
        if (hsi_sum_surely_nonnegative(&rest))
            return up;
        up = nextafter(up, INFINITY);
    }
}

/*
 * Sum the times of one worker's tasks, in order. The entries allow a prefetch of the times, which
 * are scattered in memory.
 */
static hsi_sum sum_of_times(const hs_instance *in, const hs_schedule *s, unsigned worker,
                            hsi_token *token)
{
    enum { AHEAD = 16 };
    hs_type         type = worker < hs_schedule_cpus(s) ? HS_CPU : HS_GPU;
    size_t          count, i;
    const hs_entry *entries = hs_schedule_entries(s, worker, &count);
    const double   *time = hsi_store_times(in->store, type == HS_CPU ? HSI_CPU : HSI_GPU);
    hsi_sum         sum = {0, 0, 0};

    for (i = 0; i < count; i++) {
        hsi_poll_after_work(token, 1);
        if (!in->store->first && count - i > AHEAD)
            __builtin_prefetch(&time[entries[i + AHEAD].task]);
        if (entries[i].state == HS_RUN)
            hsi_sum_add(&sum, time[hs_instance_row_of(in, entries[i].task)]);
    }
    return sum;
}

double hsi_certified_makespan(const hs_instance *in, const hs_schedule *s, const double *available,
                              hsi_token *token)
{
    unsigned w, workers = hs_schedule_cpus(s) + hs_schedule_gpus(s);
    double   makespan = 0;

    if (hs_instance_has_graph(in)) /* idle time depends on other workers */
        return hs_schedule_makespan(s);
    for (w = 0; w < workers; w++) {
        hsi_sum sum = sum_of_times(in, s, w, token);

        if (available && sum.high > 0)
            hsi_sum_add(&sum, available[w]);
        makespan = fmax(makespan, hsi_sum_round_up(&sum));
    }
    return makespan;
}
