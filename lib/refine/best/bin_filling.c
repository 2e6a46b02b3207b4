/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `best` for instances that one type runs alone, with few tasks per worker and times on a grid: bin
 * completion (completion.h) tests makespans between bound and schedule, the least first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "bound/task_count.h"
#include "refine/best/best.h"
#include "refine/completion.h"
#include "refine/regroup.h"

enum {
    MOST_EACH = 12, /* limit of tasks per worker; beyond, annealing does as well */
    FIRST_STEPS = 1 << 17,
    MOST_STEPS = 1 << 24,
    ITERATION = 8 /* steps of a bin completion */
};

/* Shares of the time or iterations: before the first annealing, and later of the elapsed time. */
static const double first_part = 0.05, part = 0.4;

/* State of bin completion. */
struct hsi_bin_completion {
    hsi_completion *completion; /* bin completion for all workers; NULL: too many tasks */
    hs_type         type;
    unsigned        workers;
    double          grid;
    int64_t        *weight; /* time of each task, in multiples of `grid` */
    int64_t        *load;   /* load of each worker; scratch memory of regrouping */
    hsi_random      random;
    uint32_t       *worker; /* worker of each task, counted from the type's first one */

    int64_t  at; /* next capacity to try */
    uint64_t steps;
    unsigned round;
    double   seconds; /* seconds spent on bin completion so far */
    uint64_t iterations;
};

/* Return true if all tasks run on the same type alone, and set *type. */
static bool is_for_one(const hsi_problem *pb, hs_type *type)
{
    int    may[2] = {pb->m > 0, pb->k > 0};
    size_t i;

    for (i = 0; i < pb->n; i++) {
        may[HS_CPU] &= isinf(pb->q[i]) != 0;
        may[HS_GPU] &= isinf(pb->p[i]) != 0;
    }
    *type = may[HS_CPU] ? HS_CPU : HS_GPU;
    return may[HS_CPU] || may[HS_GPU];
}

void hsi_bin_completion_close(hsi_bin_completion *f)
{
    if (!f)
        return;
    hsi_completion_close(f->completion);
    free(f->worker);
    free(f->weight);
    free(f->load);
    free(f);
}

static const double *times_of(const hsi_problem *pb, hs_type type)
{
    return type == HS_CPU ? pb->p : pb->q;
}

/* Create the completion unless tasks are too many; regrouping works without it. */
static hs_status open_completion(const hsi_best *best, hsi_bin_completion *f)
{
    hs_status st = HS_ETOOBIG;

    if (best->pb.n / f->workers <= MOST_EACH)
        st = hsi_completion_open(best->pb.n, f->weight, f->workers, &f->completion);
    return st == HS_ETOOBIG ? HS_OK : st;
}

static hs_status open_filling(hsi_best *best, hs_type type)
{
    const hsi_problem *pb = &best->pb;
    hsi_bin_completion       *f = calloc(1, sizeof *f);
    size_t             i;

    if (!f)
        return HS_ENOMEM;
    best->filling = f;
    f->type = type;
    f->workers = type == HS_CPU ? pb->m : pb->k;
    f->grid = hsi_bounds_makespan_grid(best);
    f->steps = FIRST_STEPS;
    hsi_random_seed(&f->random, best->settings->seed, UINT64_MAX);
    f->worker = malloc((pb->n + 1) * sizeof *f->worker);
    f->weight = malloc((pb->n + 1) * sizeof *f->weight);
    f->load = malloc((f->workers + (size_t)1) * sizeof *f->load);
    if (!f->worker || !f->weight || !f->load)
        return HS_ENOMEM;
    for (i = 0; i < pb->n; i++)
        f->weight[i] = (int64_t)(times_of(pb, type)[i] / f->grid);
    return open_completion(best, f);
}

/* Raise the bound by the least number of tasks that some workers must run. */
static hs_status raise_by_crowd(hsi_best *best, hs_type type)
{
    hsi_task_count_bound crowd;
    hs_status            st =
        hsi_task_count_bound_find(best->pb.n, times_of(&best->pb, type),
                                  type == HS_CPU ? best->pb.m : best->pb.k, &best->token, &crowd);

    if (st == HS_OK)
        hsi_bounds_raise_to(best, hsi_task_count_bound_value(&crowd), hsi_alg_exact.about.name);
    return st;
}

static uint32_t first_worker_of(const hsi_best *best, const hsi_bin_completion *f)
{
    return f->type == HS_CPU ? 0 : best->pb.m;
}

/* Copy the workers of the best schedule to f->worker. */
static void read_best(const hsi_best *best, hsi_bin_completion *f)
{
    size_t i;

    for (i = 0; i < best->pb.n; i++)
        f->worker[i] = best->worker[i] - first_worker_of(best, f);
}

/* Offer f->worker as a schedule. */
static hs_status offer_filling(hsi_best *best, hsi_bin_completion *f)
{
    size_t i;

    for (i = 0; i < best->pb.n; i++)
        f->worker[i] += first_worker_of(best, f);
    return hsi_best_offer_assignment(best, f->worker);
}

static void count_steps(hsi_best *best, hsi_bin_completion *f, uint64_t steps)
{
    best->report->iterations += steps / ITERATION + 1;
    f->iterations += steps / ITERATION + 1;
}

/* Run bin completion for capacity f->at over all workers, within `steps`. */
static hsi_verdict run_completion(hsi_best *best, hsi_bin_completion *f, uint64_t steps)
{
    static const unsigned sparing[] = {0, 4, 16, 16};
    hsi_completion_query  query = {.capacity = f->at,
                                   .most_steps = steps,
                                   .sparing = sparing[f->round % 4],
                                   .random = &f->random,
                                   .worker = f->worker};
    hsi_verdict           verdict;

    if (!f->completion)
        return HSI_STOPPED;
    verdict = hsi_completion_search(f->completion, &query, &best->stop);
    count_steps(best, f, query.steps);
    if (verdict == HSI_REFUTED)
        hsi_bounds_raise_by_refutation(best, (double)f->at * f->grid);
    return verdict;
}

/* Regroup a few workers at a time, starting from the best schedule. */
static hs_status run_regrouping(hsi_best *best, hsi_bin_completion *f, uint64_t steps,
                                hsi_verdict *verdict)
{
    hsi_regroup r = {.n = best->pb.n,
                     .weight = f->weight,
                     .workers = f->workers,
                     .worker = f->worker,
                     .load = f->load,
                     .random = &f->random};
    int         done;
    hs_status   st;
    size_t      i;

    memset(f->load, 0, r.workers * sizeof *f->load);
    read_best(best, f);
    for (i = 0; i < r.n; i++)
        f->load[f->worker[i]] += f->weight[i];
    st = hsi_regroup_search(&r, f->at, steps, &best->stop, &done);
    count_steps(best, f, r.steps);
    if (done)
        *verdict = HSI_FOUND;
    return st;
}

/*
 * Test the next capacity: the bound first; after a failure, half way to the best schedule. When the
 * schedule is reached, start again, with random omissions in three rounds of four, and with more
 * steps every fourth round.
 */
static hs_status test_next_capacity(hsi_best *best, hsi_bin_completion *f, uint64_t most_steps)
{
    int64_t     known = (int64_t)(best->makespan / f->grid);
    int64_t     low = (int64_t)ceil(best->bound / f->grid);
    uint64_t    steps = f->steps / ITERATION < most_steps ? f->steps : most_steps * ITERATION;
    hsi_verdict verdict;
    hs_status   st = HS_OK;

    if (f->at >= known) {
        f->at = 0;
        if (f->round++ % 4 == 3 && f->steps < MOST_STEPS)
            f->steps *= 4;
    }
    f->at = f->at > low ? f->at : low;
    verdict = run_completion(best, f, steps);
    if (verdict == HSI_STOPPED)
        st = run_regrouping(best, f, steps, &verdict);
    if (st == HS_OK && verdict == HSI_FOUND)
        return offer_filling(best, f);
    f->at += verdict == HSI_REFUTED || known - f->at < 2 ? 1 : (known - f->at) / 2;
    return st;
}

/* Return the time limit in seconds, at most 20. */
static double time_limit(const hsi_best *best)
{
    const double most = 20; /* limit in seconds, also for a search without a time limit */

    return fmin(best->stop.end - best->stop.begin, most);
}

/* Return true if completion has time, or iterations if counted, left of its share. */
static bool may_go_on(const hsi_best *best, const hsi_bin_completion *f)
{
    double spent = best->counted ? (double)f->iterations : f->seconds;
    double passed =
        best->counted ? (double)best->report->iterations : hsi_stop_seconds_elapsed(&best->stop);
    double all = best->counted ? (double)best->settings->iterations : time_limit(best);

    return spent < first_part * all + part * passed;
}

hs_status hsi_bin_completion_run_slice(hsi_best *best)
{
    hsi_bin_completion *f = best->filling;
    hs_status    st = HS_OK;

    while (st == HS_OK && f && may_go_on(best, f) && hsi_best_may_continue(best)) {
        double   begin = hsi_clock_seconds();
        uint64_t left = best->counted ? best->settings->iterations - best->report->iterations
                                      : UINT64_MAX / ITERATION;

        best->phase = "bin completion";
        st = left ? test_next_capacity(best, f, left) : HS_OK;
        f->seconds += hsi_clock_seconds() - begin;
        if (left == 0)
            break;
    }
    return st;
}

hs_status hsi_bin_completion_open(hsi_best *best)
{
    const hsi_problem *pb = &best->pb;
    hs_type            type;
    hs_status          st;

    if (!is_for_one(pb, &type))
        return HS_OK;
    st = raise_by_crowd(best, type);
    if (st != HS_OK || hsi_bounds_makespan_grid(best) == 0)
        return st;
    st = open_filling(best, type);
    return st == HS_OK ? hsi_bin_completion_run_slice(best) : st;
}
