/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A case that is searched through. Whoever verifies it searches by himself, against
 * the same worth of the tasks, so only what took few nodes is left to him; and only
 * times that are whole numbers of cells of 2^-80 of the target, which he counts in.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/proof/prove.h"
#include "bound/proof/refute.h"

#define SUM_OF_WORTH 0x1p40

enum { CELL_BITS = 80 };

enum { MOST_SEARCHED = 1 << 22 }; /* nodes, in all searches of a proof */

static int counts_in_cells(double time, double target)
{
    int    exponent;
    double cells;

    frexp(target, &exponent);
    if (time >= target)
        return 1;
    cells = ldexp(time, CELL_BITS - exponent);
    return cells >= 1 && floor(cells) == cells;
}

static int may_search(const hsi_prover *pr)
{
    uint64_t tasks = 0;
    size_t   i;

    for (i = 0; i < pr->kinds.n; i++) {
        tasks += pr->kinds.count[i];
        if (!counts_in_cells(pr->kinds.p[i], pr->target) ||
            !counts_in_cells(pr->kinds.q[i], pr->target))
            return 0;
    }
    return tasks <= HSI_REFUTE_MOST_TASKS && pr->searched < MOST_SEARCHED;
}

/* The multipliers say what a task of a class is worth, or the area LP's do. */
static double value_of(const hsi_prover *pr, const hsi_case *c, size_t row)
{
    const double *u = c->proof.multiplier;
    double        value;

    if (c->worth)
        return c->worth[HSI_CLASSES * pr->row_kind[row] + pr->row_class[row]];
    if (c->proof.step != HSI_STEP_MULTIPLIERS || !(u[HS_CPU] > 0) || !(u[HS_GPU] > 0))
        return fmin(pr->classes.p[row], pr->classes.q[row]);
    value = fmin(u[HS_CPU] * pr->classes.p[row], u[HS_GPU] * pr->classes.q[row]);
    return isfinite(value) ? value : 0;
}

/* Of the tasks that are not left out: at least 1. `out` is left to be the class without them. */
static hs_status find_worth(const hsi_prover *pr, const hsi_case *c, hsi_class out, int64_t **made)
{
    int64_t *worth = calloc(HSI_CLASSES * pr->kinds.n, sizeof *worth);
    double   sum = 0, scale;
    size_t   row;

    if (!worth)
        return HS_ENOMEM;
    for (row = 0; row < pr->classes.n; row++)
        sum += hsi_count(&pr->classes, row) * value_of(pr, c, row);
    scale = sum > 0 && isfinite(sum) ? SUM_OF_WORTH * (1 - 0x1p-20) / sum : 0;
    for (row = 0; row < pr->classes.n; row++)
        if (pr->row_class[row] != out)
            worth[HSI_CLASSES * pr->row_kind[row] + pr->row_class[row]] =
                1 + (isfinite(scale) ? (int64_t)(value_of(pr, c, row) * scale) : 0);
    *made = worth;
    return HS_OK;
}

/* The classes' tasks, one by one, but those that are left out, which are worth nothing. */
typedef struct task_list {
    hsi_problem pb;
    uint64_t   *worth;
    uint32_t   *worker;
} task_list;

static hs_status list_tasks(const hsi_prover *pr, const int64_t *worth, task_list *list)
{
    hsi_problem *pb = &list->pb;
    double      *p, *q;
    size_t       row;

    *pb = (hsi_problem){.m = pr->kinds.m, .k = pr->kinds.k};
    pb->p = p = hsi_arena_take(&pb->own, HSI_REFUTE_MOST_TASKS, sizeof *p);
    pb->q = q = hsi_arena_take(&pb->own, HSI_REFUTE_MOST_TASKS, sizeof *q);
    list->worth = malloc(HSI_REFUTE_MOST_TASKS * sizeof *list->worth);
    list->worker = malloc(HSI_REFUTE_MOST_TASKS * sizeof *list->worker);
    if (!p || !q || !list->worth || !list->worker)
        return HS_ENOMEM;
    for (row = 0; row < pr->classes.n; row++) {
        int64_t  of_each = worth[HSI_CLASSES * pr->row_kind[row] + pr->row_class[row]];
        uint32_t count = of_each ? hsi_count(&pr->classes, row) : 0;

        for (; count > 0; count--, list->pb.n++) {
            p[list->pb.n] = pr->classes.p[row];
            q[list->pb.n] = pr->classes.q[row];
            list->worth[list->pb.n] = (uint64_t)of_each;
        }
    }
    return HS_OK;
}

static void free_tasks(task_list *list)
{
    hsi_problem_close(&list->pb);
    free(list->worth);
    free(list->worker);
}

/*
 * Is no schedule `target` long or shorter? If one is found it may be exactly that long,
 * and is looked for again in the last bit below, which gives that bit up.
 */
static hs_status refute(hsi_prover *pr, task_list *list, uint64_t most_nodes, double *proved,
                        uint64_t *nodes)
{
    double    target = pr->unit > 0 ? hsi_prover_round(pr, pr->target) - pr->unit : pr->target;
    int       turn;
    hs_status st = HS_OK;

    *proved = 0;
    for (turn = 0; turn < 2 && target > 0; turn++) {
        hsi_refutation r = {.pb = &list->pb,
                            .target = target,
                            .worth = list->worth,
                            .most_nodes = most_nodes,
                            .worker = list->worker};
        hsi_verdict    verdict = HSI_STOPPED;

        st = hsi_refute(&r, pr->stop, &verdict);
        pr->searched += r.nodes;
        *nodes = r.nodes;
        if (st == HS_OK && verdict == HSI_REFUTED)
            *proved = turn ? target : pr->target;
        if (st != HS_OK || verdict != HSI_FOUND || pr->unit > 0)
            break;
        target = nextafter(target, 0);
    }
    return st;
}

/* Without the tasks of a class: if the others need as long, then all do. */
static hs_status search_without(hsi_prover *pr, hsi_case *c, hsi_class out, uint64_t most_nodes)
{
    hsi_proof_node proof = {.step = HSI_STEP_SEARCH};
    task_list      list = {.worth = NULL};
    double         proved = 0;
    hs_status      st = find_worth(pr, c, out, &proof.worth);

    if (st == HS_OK)
        st = list_tasks(pr, proof.worth, &list);
    if (st == HS_OK && list.pb.n > 0)
        st = refute(pr, &list, most_nodes, &proved, &proof.nodes);
    if (st == HS_OK)
        hsi_case_keep(c, &proof, proved);
    else
        free(proof.worth);
    free_tasks(&list);
    return st;
}

/* Where all is settled, each type is a matter of its own. */
hs_status hsi_prover_search(hsi_prover *pr, hsi_case *c, uint64_t most_nodes)
{
    hs_status st = HS_OK;
    size_t    row, free_rows = 0;

    if (!may_search(pr))
        return HS_OK;
    for (row = 0; row < pr->classes.n; row++)
        free_rows += pr->row_class[row] == HSI_FREE_TASKS && pr->classes.p[row] < pr->target &&
                     pr->classes.q[row] < pr->target;
    if (free_rows)
        return search_without(pr, c, HSI_CLASSES, most_nodes);
    st = search_without(pr, c, HSI_CPU_TASKS, most_nodes);
    if (st == HS_OK && c->own < pr->goal)
        st = search_without(pr, c, HSI_GPU_TASKS, most_nodes);
    return st == HS_OK && c->own < pr->goal ? search_without(pr, c, HSI_CLASSES, most_nodes) : st;
}
