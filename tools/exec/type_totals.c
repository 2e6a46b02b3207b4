/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: totals over the workers of a type. */
#include <math.h>

#include "exec/exec.h"

exec_total exec_total_of(const exec_measured *m, hs_type type)
{
    unsigned   from = type == HS_CPU ? 0 : m->cpus;
    exec_total t = {.workers = type == HS_CPU ? m->cpus : m->gpus};
    double     all = m->achieved * t.workers;

    if (!(all > 0))
        all = 1;
    for (unsigned w = from; w < from + t.workers; w++) {
        const exec_worker *worker = &m->workers[w];

        t.tasks += worker->tasks;
        t.busy += worker->busy / all;
        t.lost += worker->lost / all;
        t.no_task += worker->no_task / all;
        t.victims += worker->victims / all;
        t.data += worker->data / all;
        t.other += worker->other / all;
    }
    t.idle = fmax(0, m->achieved * t.workers / all - t.busy - t.lost);
    return t;
}
