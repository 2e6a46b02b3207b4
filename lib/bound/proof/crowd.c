/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tasks that one type has to run may be so many that some of its workers have more of them
 * than a makespan has room for (bound/crowd.h). That is a proof by knapsacks: with C the capacity,
 * and some workers having more than a of the tasks that count, the longest of which weighs r, a
 * task of weight w is worth
 *
 *     min(w, r) - d, or 0 if that is less,     d = C - a r.
 *
 * Up to a tasks are then worth a (r - d) at most, and a + 1 or more, which weigh C at most,
 * C - (a + 1) d, which is the same. But if what makes the argument weighs more than C a worker, all
 * tasks are worth more than all workers. (Where d < 0 the loads alone are too much.)
 */
#include <math.h>
#include <stdlib.h>

#include "bound/crowd.h"
#include "bound/proof/prove.h"

enum { MOST_TASKS = 1 << 20 }; /* beyond them it is hardly more than the load */

/* What workers of one type have to run. */
typedef struct share {
    hs_type       type;
    unsigned      workers;
    const double *time, *elsewhere; /* of a row of the case */
    double       *task;             /* the times of all that only they can run */
    size_t        tasks;
    hsi_crowd     crowd;
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

/* In cells, rounded down; or more than the capacity. */
static int64_t weight_of(double time, int grid, int64_t capacity)
{
    double cells = ldexp(time, -grid);

    return cells <= (double)capacity ? (int64_t)cells : capacity + 1;
}

/* Makes the tasks worth something: more than the workers can be? */
static int value_rows(const hsi_prover *pr, const share *s, hsi_proof_node *proof)
{
    const hsi_crowd *crowd = &s->crowd;
    int64_t          taken = proof->capacity - crowd->each * crowd->longest;
    __int128_t       all = 0;
    size_t           row;

    if (taken < 0)
        return 0;
    proof->most[s->type] = crowd->each * (crowd->longest - taken);
    for (row = 0; row < pr->classes.n; row++) {
        int64_t weight = weight_of(s->time[row], crowd->grid, proof->capacity);
        int64_t worth = (weight < crowd->longest ? weight : crowd->longest) - taken;
        size_t  place = HSI_CLASSES * pr->row_kind[row] + pr->row_class[row];

        if (worth <= 0 ||
            weight_of(s->elsewhere[row], crowd->grid, proof->capacity) <= proof->capacity)
            continue; /* else it is for this type alone */
        proof->worth[place] = worth;
        all += (__int128_t)worth * pr->classes.count[row];
    }
    return all > (__int128_t)proof->most[s->type] * s->workers;
}

/* The target itself, or as much as the argument says. */
static hs_status keep_crowd(const hsi_prover *pr, const share *s, hsi_case *c)
{
    hsi_proof_node proof = {.step = HSI_STEP_CONFIGURATION, .grid = s->crowd.grid};
    double         proved = fmin(pr->target, hsi_crowd_value(&s->crowd));

    if (!(proved > c->own))
        return HS_OK;
    proof.capacity = (int64_t)ceil(ldexp(proved, -proof.grid)) - 1;
    proof.worth = calloc(HSI_CLASSES * pr->kinds.n, sizeof *proof.worth);
    if (!proof.worth)
        return HS_ENOMEM;
    if (value_rows(pr, s, &proof))
        hsi_case_keep(c, &proof, proved);
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
        st = hsi_crowd_find(s.tasks, s.task, s.workers, NULL, &s.crowd);
    if (st == HS_OK && s.crowd.bound > 0)
        st = keep_crowd(pr, &s, c);
    free(s.task);
    return st;
}

hs_status hsi_prover_crowd(hsi_prover *pr, hsi_case *c)
{
    hs_status st = prove_type(pr, c, HS_CPU);

    return st == HS_OK && c->own < pr->goal ? prove_type(pr, c, HS_GPU) : st;
}
