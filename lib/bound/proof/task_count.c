/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prove a case by the number of tasks that workers of one type must run (bound/task_count.h). The
 * result is a proof by knapsacks. Let C be the capacity, and let some workers run more than a of
 * the tasks that count, the longest of which weighs r. A task of weight w is worth
 *
 *     min(w, r) - d, or 0 if that is less,     d = C - a r.
 *
 * Up to a tasks are worth at most a (r - d). More tasks, a + 1 at least, weigh at most C and are
 * worth at most C - (a + 1) d, which is the same. If the tasks of the argument weigh more than C
 * for each worker, all tasks are worth more than all workers can run. (If d < 0, the loads alone
 * exceed the capacity.)
 */
#include <math.h>
#include <stdlib.h>

#include "bound/task_count.h"
#include "bound/proof/prove.h"

enum { MOST_TASKS = 1 << 20 }; /* with more tasks the bound hardly exceeds the load */

/* Tasks that a case assigns to a single type of worker. */
typedef struct share {
    hs_type       type;
    unsigned      workers;
    const double *time, *elsewhere; /* times of the rows, on the crowded type and on the other
                                       type */
    double              *task;      /* times of all tasks that must run on the type */
    size_t               tasks;
    hsi_task_count_bound found;
} share;

static hs_status list_tasks(const hsi_prover *pr, share *s)
{
    size_t row, count = 0;

    for (row = 0; row < pr->classes.n; row++)
        if (s->elsewhere[row] >= pr->target)
            count += pr->classes.count[row];
    s->task = count > 0 && count <= MOST_TASKS ? malloc(count * sizeof *s->task) : NULL;
    if (!s->task)
        return count > 0 && count <= MOST_TASKS ? HS_ENOMEM : HS_OK;
    for (row = 0; row < pr->classes.n; row++)
        for (count = pr->classes.count[row]; s->elsewhere[row] >= pr->target && count > 0; count--)
            s->task[s->tasks++] = s->time[row];
    return HS_OK;
}

/* Return the weight in cells, or a weight above the capacity. The weight is rounded down before the
 * comparison, as the checker does. */
static int64_t weight_of(double time, int grid, int64_t capacity)
{
    double cells = ldexp(time, -grid);

    return cells < 0x1p62 && (int64_t)cells <= capacity ? (int64_t)cells : capacity + 1;
}

/* Set the worths of the tasks. Return true if all tasks are worth more than the workers can run. */
static bool value_rows(const hsi_prover *pr, const share *s, hsi_proof_node *proof)
{
    const hsi_task_count_bound *found = &s->found;
    int64_t                     taken = proof->capacity - found->each * found->longest;
    __int128_t                  all = 0;
    size_t                      row;

    if (taken < 0)
        return false;
    proof->most[s->type] = found->each * (found->longest - taken);
    for (row = 0; row < pr->classes.n; row++) {
        int64_t weight = weight_of(s->time[row], found->cell_exponent, proof->capacity);
        int64_t worth = (weight < found->longest ? weight : found->longest) - taken;
        size_t  place = HSI_CLASSES * pr->row_kind[row] + pr->row_class[row];

        if (worth <= 0 ||
            weight_of(s->elsewhere[row], found->cell_exponent, proof->capacity) <= proof->capacity)
            continue; /* only tasks for this type alone have a worth */
        proof->worth[place] = worth;
        all += (__int128_t)worth * pr->classes.count[row];
    }
    return all > (__int128_t)proof->most[s->type] * s->workers;
}

/* Keep a proof of the target, or of the crowd's bound if that is less. */
static hs_status keep_crowd(const hsi_prover *pr, const share *s, hsi_case *c)
{
    hsi_proof_node proof = {.step = HSI_STEP_CONFIGURATION, .grid = s->found.cell_exponent};
    double         proved = fmin(pr->target, hsi_task_count_bound_value(&s->found));

    if (!(proved > c->own))
        return HS_OK;
    proof.capacity = (int64_t)ceil(ldexp(proved, -proof.grid)) - 1;
    proof.worth = calloc(HSI_CLASSES * pr->kinds.n, sizeof *proof.worth);
    if (!proof.worth)
        return HS_ENOMEM;
    if (value_rows(pr, s, &proof))
        hsi_case_store_proof(c, &proof, proved);
    else
        free(proof.worth);
    return HS_OK;
}

static hs_status prove_type(const hsi_prover *pr, hsi_case *c, hs_type type)
{
    const hsi_problem *rows = &pr->classes;
    share              s = {.type = type,
                            .workers = type == HS_CPU ? rows->m : rows->k,
                            .time = type == HS_CPU ? rows->p : rows->q,
                            .elsewhere = type == HS_CPU ? rows->q : rows->p};
    hs_status          st = list_tasks(pr, &s);

    if (st == HS_OK && s.tasks > s.workers)
        st = hsi_task_count_bound_find(s.tasks, s.task, s.workers, NULL, &s.found);
    if (st == HS_OK && s.found.bound > 0)
        st = keep_crowd(pr, &s, c);
    free(s.task);
    return st;
}

hs_status hsi_prover_bound_by_task_count(hsi_prover *pr, hsi_case *c)
{
    hs_status st = prove_type(pr, c, HS_CPU);

    return st == HS_OK && c->own < pr->goal ? prove_type(pr, c, HS_GPU) : st;
}
