/* SPDX-License-Identifier: BSD-3-Clause */
/* Prove a case, or choose a split of the case. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/divisible.h"
#include "core/order.h"
#include "config.h"
#include "bound/proof/prove.h"
#ifdef HAVE_GLPK
#include "bound/configuration/configuration.h"
#endif

enum { FEW_NODES = 1 << 12, MOST_NODES = 1 << 22 }; /* limits on the nodes of a packing search */

/* Split at the kind that the area LP cuts: in the order of p/q, the kind with which the CPUs would
 * exceed their share. Choose no kind if the forced tasks of one type outweigh all free tasks. */
static hs_status split_at_pivot(const hsi_prover *pr, hsi_case *c)
{
    const hsi_problem *rows = &pr->classes;
    uint32_t          *order = malloc((rows->n + 1) * sizeof *order);
    hs_status          st = order ? hsi_order_by_rho(rows, HSI_RHO_UP, order) : HS_ENOMEM;
    double             cpu = 0, gpu = 0;
    size_t             i;

    if (st != HS_OK)
        goto out;

    for (i = 0; i < rows->n; i++) {
        if (rows->q[i] >= pr->target)
            cpu += hsi_row_count(rows, i) * rows->p[i];
        else
            gpu += hsi_row_count(rows, i) * rows->q[i];
    }
    for (i = 0; i < rows->n; i++) {
        uint32_t row = order[i];
        double   p = rows->p[row], q = rows->q[row], count = hsi_row_count(rows, row);

        if (p >= pr->target || q >= pr->target)
            continue;
        if ((cpu + count * p) * rows->k >= (gpu - count * q) * rows->m) {
            double part = (gpu * rows->m - cpu * rows->k) / (p * rows->k + q * rows->m);

            hsi_prover_split_at(pr, c, pr->row_kind[row], pr->low[pr->row_kind[row]] + part);
            break;
        }
        cpu += count * p;
        gpu -= count * q;
    }
out:
    free(order);
    return st;
}

static hs_status by_multipliers(hsi_prover *pr, hsi_case *c)
{
    hsi_proof_node proof = {.step = HSI_STEP_MULTIPLIERS};
    hsi_divisible  d;
    double         proved;
    hs_status      st = hsi_divisible_open(&d, &pr->classes);

    if (st == HS_OK) {
        proved = hsi_divisible_multipliers(&d, nextafter(pr->target, 0), proof.multiplier);
        hsi_case_store_proof(c, &proof, hsi_prover_round_bound_up(pr, proved));
    }
    hsi_divisible_close(&d);
    return st == HS_OK && c->own < pr->goal ? split_at_pivot(pr, c) : st;
}

#ifdef HAVE_GLPK
static const double whole = 1e-4; /* smaller parts of a share count as whole */

static hs_status keep_configuration(const hsi_prover *pr, const hsi_configuration *cf, hsi_case *c)
{
    hsi_configuration_proof found;
    hsi_proof_node          proof = {.step = HSI_STEP_CONFIGURATION};
    double                  proved;
    size_t                  row;

    if (!hsi_configuration_get_proof(cf, &found))
        return HS_OK;
    proved = hsi_prover_round_bound_up(pr, found.bound);
    if (!(proved > c->own))
        return HS_OK;
    proof.grid = found.grid;
    proof.capacity = found.capacity;
    memcpy(proof.most, found.most, sizeof proof.most);
    proof.worth = calloc(HSI_CLASSES * pr->kinds.n, sizeof *proof.worth);
    if (!proof.worth)
        return HS_ENOMEM;
    for (row = 0; row < pr->classes.n; row++)
        proof.worth[HSI_CLASSES * pr->row_kind[row] + pr->row_class[row]] =
            hsi_configuration_row_multiplier(cf, row);
    hsi_case_store_proof(c, &proof, proved);
    return HS_OK;
}

/* Keep the worths of the tasks for the children: a class that is new in a child starts with the
 * worth of free tasks. */
static hs_status keep_worth(const hsi_prover *pr, const hsi_configuration *cf, hsi_case *c)
{
    size_t row, cells = HSI_CLASSES * pr->kinds.n, i;

    c->worth = malloc((cells + 1) * sizeof *c->worth);
    if (!c->worth)
        return HS_ENOMEM;
    for (i = 0; i < cells; i++)
        c->worth[i] = -1;
    for (row = 0; row < pr->classes.n; row++)
        c->worth[HSI_CLASSES * pr->row_kind[row] + pr->row_class[row]] =
            hsi_configuration_row_worth(cf, row);
    for (i = 0; i < cells; i++)
        if (c->worth[i] < 0)
            c->worth[i] = fmax(0, c->worth[i - i % HSI_CLASSES + HSI_FREE_TASKS]);
    return HS_OK;
}

static hs_status begin_as(const hsi_prover *pr, const double *worth, hsi_configuration *cf)
{
    double *of_row = malloc((pr->classes.n + 1) * sizeof *of_row);
    size_t  row;

    if (!of_row)
        return HS_ENOMEM;
    for (row = 0; row < pr->classes.n; row++)
        of_row[row] = worth[HSI_CLASSES * pr->row_kind[row] + pr->row_class[row]];
    hsi_configuration_set_multipliers(cf, of_row, pr->classes.n);
    free(of_row);
    return HS_OK;
}

/* Choose the kind whose number of tasks on CPUs is furthest from whole. Return false if all are
 * whole. */
static bool split_at_share(const hsi_prover *pr, const hsi_configuration *cf, hsi_case *c,
                           double *share)
{
    double best = whole;
    size_t row;

    hsi_configuration_cpu_shares(cf, share);
    for (row = 0; row < pr->classes.n; row++) {
        double on_cpu, far;

        if (pr->row_class[row] != HSI_FREE_TASKS || !hsi_prover_is_free(pr, pr->row_kind[row]))
            continue;
        on_cpu = hsi_row_count(&pr->classes, row) * share[hsi_configuration_kind_of_row(cf, row)];
        far = fmin(on_cpu - floor(on_cpu), ceil(on_cpu) - on_cpu);
        if (far > best) {
            best = far;
            hsi_prover_split_at(pr, c, pr->row_kind[row], pr->low[pr->row_kind[row]] + on_cpu);
        }
    }
    return best > whole;
}

/* Bound the case by the configuration bound. *cut: 1 if the LP cuts a kind, at which the case is to
 * be split. */
static hs_status by_configuration(hsi_prover *pr, hsi_case *c, int *cut)
{
    hsi_configuration *cf = NULL;
    const double      *worth = NULL;
    double            *share = malloc((pr->classes.n + 1) * sizeof *share);
    hs_status          st = share ? HS_OK : HS_ENOMEM;

    if (st == HS_OK)
        st = hsi_configuration_open_exact(&pr->classes, c->bound, pr->target, &cf);
    *cut = 0;
    if (c->parent != HS_NONE)
        worth = hsi_case_at(pr, c->parent)->worth;
    if (st == HS_OK && worth)
        st = begin_as(pr, worth, cf);
    if (st == HS_OK) {
        hsi_configuration_set_sufficient_bound(cf, nextafter(pr->target, INFINITY));
        st = hsi_configuration_improve_bound(cf, pr->stop);
    }
    if (st == HS_OK)
        st = keep_configuration(pr, cf, c);
    if (st == HS_OK && c->own < pr->goal) {
        *cut = split_at_share(pr, cf, c, share);
        st = keep_worth(pr, cf, c);
    }
    hsi_configuration_close(cf);
    free(share);
    return st == HS_ETOOBIG ? HS_OK : st;
}
#else
static hs_status by_configuration(hsi_prover *pr, hsi_case *c, int *cut)
{
    (void)pr;
    (void)c;
    *cut = 0;
    return HS_OK;
}
#endif

/* Split the case at the free kind whose shorter time is the longest: either the least number of its
 * tasks is on CPUs, or more. Return false if no kind is free. */
static bool split_at_longest(const hsi_prover *pr, hsi_case *c)
{
    double longest = 0;
    size_t kind;

    for (kind = 0; kind < pr->kinds.n; kind++) {
        double time = fmin(pr->kinds.p[kind], pr->kinds.q[kind]);

        if (hsi_prover_is_free(pr, kind) && time > longest) {
            longest = time;
            hsi_prover_split_at(pr, c, kind, pr->low[kind]);
        }
    }
    return longest > 0;
}

static hs_status bound_deeply(hsi_prover *pr, hsi_case *c)
{
    int       cut = 0;
    hs_status st = hsi_prover_bound_by_task_count(pr, c);

    if (st == HS_OK && c->own < pr->goal)
        st = by_configuration(pr, c, &cut);
    if (st != HS_OK || c->own >= pr->goal)
        return st;
    if (cut || split_at_longest(pr, c))
        return hsi_prover_pack_type_tasks(pr, c, FEW_NODES);
    c->proof.kind = HS_NONE;
    return hsi_prover_pack_type_tasks(pr, c, MOST_NODES);
}

hs_status hsi_prover_bound_case(hsi_prover *pr, hsi_case *c)
{
    hs_status st;

    c->proof.kind = HS_NONE;
    st = by_multipliers(pr, c);
    if (st == HS_OK && pr->deep && c->own < pr->goal)
        st = bound_deeply(pr, c);
    c->state = HSI_CASE_OPEN;
    if (c->own >= pr->goal)
        c->state = HSI_CASE_PROVED;
    else if (c->proof.kind == HS_NONE)
        c->state = HSI_CASE_STUCK;
    return st;
}
