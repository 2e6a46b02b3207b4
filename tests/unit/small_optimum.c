/* SPDX-License-Identifier: BSD-3-Clause */

#include "small_optimum.h"

#include <math.h>

#include "suite.h"

static void place(const hsi_problem *pb, size_t task, double load[OPTIMUM_WORKERS],
                  double makespan, double *optimum)
{
    unsigned w;

    if (makespan >= *optimum)
        return;
    if (task == pb->n) {
        *optimum = makespan;
        return;
    }
    for (w = 0; w < pb->m + pb->k; w++) {
        double time = w < pb->m ? pb->p[task] : pb->q[task], before = load[w];
        bool   first_of_type = w == 0 || w == pb->m;

        if (isinf(time) || (!first_of_type && load[w - 1] == load[w]))
            continue; /* this worker has the load of the previous one: the result would be the
                         same */
        load[w] += time;
        place(pb, task + 1, load, fmax(makespan, load[w]), optimum);
        load[w] = before;
    }
}

double optimum_of(const hsi_problem *pb)
{
    double load[OPTIMUM_WORKERS] = {0}, optimum = INFINITY;

    ck_assert_uint_le(pb->m + pb->k, OPTIMUM_WORKERS);
    place(pb, 0, load, 0, &optimum);
    return optimum;
}

double makespan_of(const hsi_problem *pb, const uint32_t *worker)
{
    double load[OPTIMUM_WORKERS] = {0}, makespan = 0;
    size_t i;

    for (i = 0; i < pb->n; i++) {
        ck_assert_uint_lt(worker[i], pb->m + pb->k);
        load[worker[i]] += worker[i] < pb->m ? pb->p[i] : pb->q[i];
        makespan = fmax(makespan, load[worker[i]]);
    }
    return makespan;
}
