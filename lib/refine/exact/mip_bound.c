/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bound `mip`: the optimum itself, by the searches of `exact`, from the deadline bound up.
 * Independent tasks are searched by branch and price, small graphs by branch and bound over partial
 * schedules.
 */
#include <math.h>
#include <string.h>

#include "bound/bound.h"
#include "bound/grid.h"
#include "core/order.h"
#include "core/time_limit.h"
#include "refine/graph/schedule_tree.h"
#include "refine/price_tree/price_tree.h"
#include "refine/refine.h"
#include "refine/target.h"

/* A computation of the bound. */
typedef struct computation {
    const hsi_problem *pb; /* problem with one item per task */
    const hsi_stop    *stop;
    hsi_interrupt      interrupt;
    atomic_int         halt;
    double             grid;     /* grid of makespans (bound/grid.h) */
    double             makespan; /* least makespan found */
    double             bound;
    bool               ended; /* whether the search is complete */
} computation;

static double cutoff_of_gap(const computation *c)
{
    return hsi_useful_makespan_limit(c->makespan, c->stop->settings->gap, c->grid);
}

static void raise_bound(computation *c, double bound)
{
    c->bound = fmax(c->bound, hsi_grid_round_up(fmin(bound, c->makespan), c->grid));
}

static void report_progress(const computation *c, uint64_t nodes)
{
    const hs_settings *settings = c->stop->settings;
    hs_progress        progress = {sizeof progress, hsi_stop_seconds_elapsed(c->stop),
                                   c->makespan,     c->bound,
                                   nodes,           "branch and price"};

    if (settings->progress)
        settings->progress(settings->progress_data, &progress);
}

/* Raise the bound by the allocation bound, which costs little. */
static hs_status raise_by_allocation(computation *c, const hsi_problem *rows)
{
    hs_settings settings = *c->stop->settings;
    double      value = 0;
    hs_status   st;

    settings.time_limit =
        isinf(c->stop->end) ? 1 : fmax(1e-3, 0.1 * hsi_stop_seconds_left(c->stop));
    st = hsi_bound_compute_for_rows(&hsi_bound_allocation, rows, &settings, &value, NULL);
    if (st == HS_OK)
        raise_bound(c, value);
    return st;
}

/* Set the makespan to that of a split (refine.h); `worker` is scratch for all tasks. */
static hs_status find_first_schedule(computation *c, hsi_arena *arena, uint32_t *worker,
                                     double *load)
{
    uint32_t *order = hsi_arena_alloc(arena, c->pb->n, sizeof *order);
    double    pivot;
    hs_status st = order ? hsi_order_by_rho(c->pb, HSI_RHO_UP, order) : HS_ENOMEM;

    if (st == HS_OK)
        st = hsi_split_by_ratio(c->pb, order, 81, &c->interrupt, worker, &pivot);
    if (st == HS_OK)
        c->makespan = hsi_assignment_makespan(c->pb, worker, load);
    return st;
}

static hs_status search_tree(computation *c, hsi_price_tree *tree, double *load)
{
    hs_status st = HS_OK;

    while (st == HS_OK && !hsi_price_tree_ended(tree) && !hsi_stop_is_due(c->stop)) {
        hsi_stop        slice = *c->stop;
        const uint32_t *found;

        slice.end = fmin(slice.end, hsi_clock_seconds() + 0.1);
        report_progress(c, hsi_price_tree_nodes(tree));
        st = hsi_price_tree_continue(tree, cutoff_of_gap(c), &slice);
        if (st != HS_OK)
            break;
        found = hsi_price_tree_found_assignment(tree);
        if (found)
            c->makespan = fmin(c->makespan, hsi_assignment_makespan(c->pb, found, load));
        raise_bound(c, hsi_price_tree_bound(tree));
    }
    c->ended = hsi_price_tree_ended(tree);
    return st;
}

static hs_status bound_independent(computation *c)
{
    const hsi_problem *pb = c->pb;
    hsi_arena          arena = {0};
    uint32_t          *worker = hsi_arena_alloc(&arena, pb->n, sizeof *worker);
    double            *load = hsi_arena_alloc(&arena, (size_t)pb->m + pb->k, sizeof *load);
    hsi_price_tree    *tree = NULL;
    hs_status          st = worker && load ? HS_OK : HS_ENOMEM;

    if (st == HS_OK)
        st = find_first_schedule(c, &arena, worker, load);
    if (st == HS_OK)
        st = hsi_price_tree_open(pb, c->bound, &tree);
    if (st == HS_OK)
        st = search_tree(c, tree, load);
    hsi_price_tree_close(tree);
    hsi_arena_close(&arena);
    return st;
}

/* Return an upper bound of the optimum: run tasks in sequence on their faster types, each task
 * after the transfers of all its inputs. */
static double sequential_makespan(const hsi_arcs *arcs)
{
    const hsi_problem *pb = arcs->pb;
    double             sum = 0;

    for (size_t task = 0; task < pb->n; task++) {
        sum += fmin(pb->p[task], pb->q[task]) + hsi_latest_initial_data(arcs, (uint32_t)task);
        for (size_t i = arcs->after_at[task]; i < arcs->after_at[task + 1]; i++) {
            const hsi_arc *arc = &arcs->after[i];

            sum += fmax(hsi_longest_arc_transfer(arcs, arc, HS_CPU),
                        hsi_longest_arc_transfer(arcs, arc, HS_GPU));
        }
    }
    return 2 * sum; /* factor above the rounding error of any sum */
}

static hs_status search_graph(computation *c, hsi_schedule_tree *search)
{
    hs_status st = HS_OK;

    raise_bound(c, hsi_schedule_tree_bound(search, c->bound, c->makespan));
    while (st == HS_OK && !c->ended && !hsi_stop_is_due(c->stop)) {
        double       below = cutoff_of_gap(c);
        hs_schedule *s = NULL;

        hsi_schedule_tree_continue(search, below, 0, &c->interrupt);
        c->ended = hsi_schedule_tree_ended(search);
        if (c->ended) {
            raise_bound(c, below);
        } else if (hsi_schedule_tree_has_found(search)) {
            st = hsi_schedule_tree_build_found(search, &s);
            c->makespan = st == HS_OK ? hs_schedule_makespan(s) : c->makespan;
            hs_schedule_free(s);
        }
    }
    return st;
}

static hs_status bound_graph(computation *c)
{
    hsi_schedule_tree *search = NULL;
    hsi_arcs           arcs;
    hs_status          st = hsi_arcs_open(c->pb, &arcs);

    if (st == HS_OK)
        st = hsi_schedule_tree_open(&arcs, &search);
    if (st == HS_OK) {
        c->makespan = sequential_makespan(&arcs);
        st = search_graph(c, search);
    }
    hsi_schedule_tree_close(search);
    hsi_arcs_close(&arcs);
    return st;
}

/* Replace each row by one item per task, in the arena. */
static hs_status expand_rows(const hsi_problem *rows, hsi_arena *arena, hsi_problem *pb)
{
    size_t  n = 0, at = 0;
    double *p, *q;

    *pb = *rows;
    if (!rows->count)
        return HS_OK;
    for (size_t i = 0; i < rows->n; i++)
        n += rows->count[i];
    if (n > HSI_PRICE_TREE_MOST_TASKS)
        return HS_ETOOBIG;
    p = hsi_arena_alloc(arena, n, sizeof *p);
    q = hsi_arena_alloc(arena, n, sizeof *q);
    if (!p || !q)
        return HS_ENOMEM;
    for (size_t i = 0; i < rows->n; i++)
        for (uint32_t copy = 0; copy < rows->count[i]; copy++) {
            p[at] = rows->p[i];
            q[at++] = rows->q[i];
        }
    *pb = (hsi_problem){.n = n, .m = rows->m, .k = rows->k, .p = p, .q = q, .token = rows->token};
    return HS_OK;
}

static hs_status compute(const hsi_problem *rows, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    hsi_stop    stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);
    computation c = {.stop = &stop, .makespan = INFINITY};
    hsi_arena   arena = {0};
    hsi_problem pb;
    hs_status   st = hsi_bound_compute_for_rows(&hsi_bound_deadline, rows, settings, value, NULL);

    if (st != HS_OK || rows->n == 0)
        return st;
    atomic_init(&c.halt, 0);
    c.interrupt = (hsi_interrupt){.stop = &stop, .halt = &c.halt, .leads = true};
    c.bound = *value;
    st = expand_rows(rows, &arena, &pb);
    if (st == HS_OK) {
        c.pb = &pb;
        c.grid = rows->graph && rows->links->has[HS_H2D] ? 0 : hsi_grid_of_times(&pb);
        st = rows->graph ? HS_OK : raise_by_allocation(&c, rows);
    }
    if (st == HS_OK)
        st = rows->graph ? bound_graph(&c) : bound_independent(&c);
    hsi_arena_close(&arena);
    if (st == HS_OK && hsi_cancelled(settings))
        st = HS_ECANCELED;
    *value = c.bound;
    report->limit_reached = !c.ended;
    return st;
}

/* Prove the value by knapsacks instead of the search's leaves, since the cases are far fewer. For a
 * graph prove deadline's value. */
static hs_status certify(const hs_bound *bound, const hsi_problem *rows,
                         const hs_settings *settings, hs_certificate *c)
{
    double    value, least = 0;
    hs_status st = hsi_bound_compute_for_rows(bound, rows, settings, &value, NULL);
    hsi_stop  stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);

    if (st == HS_OK && rows->graph)
        st = hsi_bound_compute_for_rows(&hsi_bound_deadline, rows, settings, &least, NULL);
    if (st != HS_OK)
        return st;
    return rows->graph ? hsi_certify_value(rows, least, c)
                       : hsi_certify_by_cases(rows, value, true, &stop, c);
}

const hs_bound hsi_bound_mip = {
    .name = "mip",
    .summary = "the optimum itself, by branch and price or branch and bound, up to the time limit",
    .source = "the search of exact",
    .cost = "exponential; up to 1,000 tasks, stops at the time limit; graphs: up to 64 tasks",
    .graph = true,
    .compute = compute,
    .certify = certify,
};
