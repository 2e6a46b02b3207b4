/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/report.h"

#include <string.h>

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

double hsi_certified_makespan(const hs_instance *in, const hs_schedule *s, const double *available,
                              hsi_asker *asker)
{
    unsigned w, cpus = hs_schedule_cpus(s), workers = cpus + hs_schedule_gpus(s);
    double   makespan = 0;

    if (hs_instance_has_graph(in)) /* tasks wait for others */
        return hs_schedule_makespan(s);
    for (w = 0; w < workers; w++) {
        size_t          count, i;
        const hs_entry *entries = hs_schedule_entries(s, w, &count);
        hsi_sum         sum = {0, 0, 0};

        for (i = 0; i < count; i++) {
            hsi_ask_after(asker, 1);
            if (entries[i].state == HS_RUN)
                hsi_sum_add(&sum,
                            hs_instance_time(in, entries[i].task, w < cpus ? HS_CPU : HS_GPU));
        }
        if (available && sum.high > 0)
            hsi_sum_add(&sum, available[w]);
        makespan = fmax(makespan, hsi_sum_round_up(&sum));
    }
    return makespan;
}
