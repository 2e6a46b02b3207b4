/* SPDX-License-Identifier: BSD-3-Clause */
/* The split: in the order of increasing p/q, CPUs take the tasks before a cut, GPUs those after it,
 * and LPT distributes each side. Cuts are tried outwards from the balance of average loads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/lpt.h"
#include "refine/refine.h"

/* Return about how many tasks the CPUs take at equal average loads, and set *pivot. */
static size_t balanced_cut(const hsi_problem *pb, const uint32_t *order, double *pivot)
{
    double cpu = 0, gpu = 0;
    size_t front = 0, back = pb->n;

    *pivot = 1;
    while (front < back) { /* give the task to the side with the smaller load */
        double p = pb->p[order[front]], q = pb->q[order[back - 1]];

        hsi_poll_at_iteration(pb->token, back - front);
        if (isinf(q) || (isfinite(p) && (cpu + p) * pb->k <= (gpu + q) * pb->m)) {
            cpu += p;
            *pivot = p / pb->q[order[front++]];
        } else {
            gpu += q;
            *pivot = pb->p[order[--back]] / q;
        }
    }
    if (!(*pivot > 0x1p-60)) /* the last task can run on one type only */
        *pivot = 0x1p-60;
    if (!(*pivot < 0x1p60))
        *pivot = 0x1p60;
    return front;
}

/* Return the range *low .. *high of cuts at which each task can run on its side. */
static void cut_limits(const hsi_problem *pb, const uint32_t *order, size_t *low, size_t *high)
{
    *low = 0;
    *high = pb->n;
    while (*low < pb->n && isinf(pb->q[order[*low]]))
        ++*low;
    while (*high > 0 && isinf(pb->p[order[*high - 1]]))
        --*high;
}

static double run_cut(hsi_lpt *lpt, const uint32_t *order, size_t cut, unsigned char *type,
                      hsi_recorder *recorder)
{
    size_t i;

    for (i = 0; i < lpt->pb->n; i++) {
        hsi_poll_at_iteration(lpt->pb->token, i);
        type[order[i]] = i < cut ? HS_CPU : HS_GPU;
    }
    return hsi_lpt_run(lpt, type, recorder);
}

/* Return the cut of a step outwards from the middle: offsets 0, 1, -1, 2, -2, ... */
static size_t cut_at(size_t middle, size_t step, size_t low, size_t high)
{
    size_t far = (step + 1) / 2;

    if (step % 2)
        return far > high - middle ? high : middle + far;
    return far > middle - low ? low : middle - far;
}

static size_t best_cut(hsi_lpt *lpt, const uint32_t *order, size_t middle, unsigned places,
                       const hsi_interrupt *interrupt, unsigned char *type)
{
    size_t low, high, best = middle, step;
    double least = INFINITY;

    cut_limits(lpt->pb, order, &low, &high);
    for (step = 0; step < places; step++) {
        size_t cut = cut_at(middle, step, low, high);
        double makespan;

        if (step && hsi_interrupted(interrupt))
            break;
        makespan = run_cut(lpt, order, cut, type, NULL);
        if (makespan < least) {
            least = makespan;
            best = cut;
        }
    }
    return best;
}

hs_status hsi_split_by_ratio(const hsi_problem *pb, const uint32_t *order, unsigned most_places,
                             const hsi_interrupt *interrupt, uint32_t *assignment, double *pivot)
{
    hsi_lpt        lpt = {0};
    hsi_recorder   recorder = {0};
    unsigned char *type = NULL;
    hs_status      st;
    size_t         middle = balanced_cut(pb, order, pivot), i;

    if (!assignment)
        return HS_OK;
    st = hsi_lpt_open(&lpt, pb);
    if (st != HS_OK)
        return st;
    st = hsi_recorder_open(&recorder, pb, 0);
    if (st != HS_OK)
        goto close_lpt;
    type = malloc(pb->n + 1);
    if (!type) {
        st = HS_ENOMEM;
        goto close_log;
    }
    run_cut(&lpt, order, best_cut(&lpt, order, middle, most_places, interrupt, type), type,
            &recorder);
    if (hsi_poll(pb->token))
        st = HS_ECANCELED;
    for (i = 0; i < recorder.size && st == HS_OK; i++)
        assignment[recorder.task[i]] = recorder.worker[i];
    free(type);
close_log:
    hsi_recorder_close(&recorder);
close_lpt:
    hsi_lpt_close(&lpt);
    return st;
}

void hsi_worths_of_pivot(const hsi_problem *pb, double pivot, double *worth)
{
    size_t i;

    for (i = 0; i < pb->n; i++)
        worth[i] = fmin(pb->p[i], pivot * pb->q[i]);
}
