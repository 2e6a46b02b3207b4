/* SPDX-License-Identifier: BSD-3-Clause */
#include "check/task_kinds.h"

#include <math.h>
#include <stdlib.h>

#include "common/checked_memory.h"

static int by_times(const void *a, const void *b)
{
    const task_kind *x = a, *y = b;

    if (x->time[0] != y->time[0])
        return x->time[0] < y->time[0] ? -1 : 1;
    return (x->time[1] > y->time[1]) - (x->time[1] < y->time[1]);
}

task_kind *group_tasks_by_times(const hs_instance *in, size_t *kinds)
{
    size_t     rows = hs_instance_rows(in), count = 0;
    task_kind *kind = checked_calloc(rows + 1, sizeof *kind);

    for (size_t i = 0; i < rows; i++) {
        hs_task row;

        hs_instance_row(in, i, &row);
        kind[i].time[0] = hs_instance_cpus(in) ? row.cpu : INFINITY;
        kind[i].time[1] = hs_instance_gpus(in) ? row.gpu : INFINITY;
        kind[i].count = row.count ? row.count : 1;
    }
    qsort(kind, rows, sizeof *kind, by_times);
    for (size_t i = 0; i < rows; i++)
        if (count > 0 && by_times(&kind[count - 1], &kind[i]) == 0)
            kind[count - 1].count += kind[i].count;
        else
            kind[count++] = kind[i];
    *kinds = count;
    return kind;
}
