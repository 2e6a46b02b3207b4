/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Search for multipliers that refuse makespans. The value is safe, since only refuse_makespan.c
 * proves: the LP and the search only propose multipliers.
 *
 * Speed: a type that runs many tasks on each worker is fluid at first. Its knapsack is nearly the
 * continuous one, and the LP then has patterns of the other type only, which are small. The search
 * starts from the area LP's multipliers (the centre), which refuse almost the same makespans as the
 * deadline bound, and prices 0.3 of the way from the centre to the LP's multipliers: the LP's own
 * jump about as long as patterns are missing. The centre moves to multipliers that refuse more.
 * Each refusal is pushed up as far as its multipliers allow, and the target is set just above, so
 * that patterns stay valid.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/bound.h"
#include "bound/configuration/state.h"
#include "core/order.h"
#include "glpk/error_guard.h"

enum {
    MOST_KINDS = 5000,
    FIRST_TARGET = 16,      /* distance of the first target from the initial bound: 2^-16 */
    TARGET = 20,            /* distance of later targets from the refused makespan: 2^-20 */
    PRICING_NODES = 1000,   /* nodes of a knapsack that prices patterns */
    PROVING_NODES = 3000,   /* nodes of a knapsack that may decide about a refusal */
    THOROUGH_NODES = 10000, /* nodes of a knapsack if the LP would end otherwise */
    FLUID_NODES = 50,       /* nodes of a fluid type's knapsack, which loses little by an early
                               stop */
    MOST_PATTERNS = 64,     /* patterns of a type in a round */
    EXTRA_NODES = 300,      /* nodes of the knapsacks for further patterns in a round */
    SOLID_TASKS = 12,       /* with more tasks on a worker, a type may stay fluid */
    SOLID_KINDS = 40,       /* with fewer kinds, patterns of any size are easy */
    MOST_FAILURES = 3       /* failures of the LP solver after which the search ends */
};

static const double smoothing = 0.7;     /* weight of the centre in the multipliers to be tried */
static const double enough_theta = 1e-9; /* the LP is feasible if theta <= 1, up to rounding */
static const double violation = 1e-8;    /* excess over the LP's price that a pattern needs */

/* Return the area LP's pivot in the order of p/q; set how many tasks the LP puts on a worker. */
static size_t find_pivot(hsi_configuration *cf, const hsi_problem *kinds, const uint32_t *order)
{
    double cpu = 0, gpu = 0, before = 0, all = 0;
    size_t i;

    for (i = 0; i < kinds->n; i++) {
        all += kinds->count[i];
        if (isfinite(kinds->q[i]))
            gpu += kinds->count[i] * kinds->q[i];
    }
    for (i = 0; i < kinds->n; i++) {
        uint32_t kind = order[i];

        if (isinf(kinds->p[kind]))
            break;
        cpu += kinds->count[kind] * kinds->p[kind];
        if (isfinite(kinds->q[kind]))
            gpu -= kinds->count[kind] * kinds->q[kind];
        before += kinds->count[kind];
        if (cpu * kinds->k >= gpu * kinds->m)
            break;
    }
    cf->tasks_on[HS_CPU] = kinds->m ? before / kinds->m : 0;
    cf->tasks_on[HS_GPU] = kinds->k ? (all - before) / kinds->k : 0;
    return i < kinds->n ? i : kinds->n - 1;
}

/* Set the centre to the multipliers that prove the area bound: min(u p, v q) over the types where a
 * task may run. */
static void set_area_multipliers(hsi_configuration *cf, double cpu_multiplier,
                                 double gpu_multiplier)
{
    const hsi_makespan_refusal *r = &cf->refusal;
    size_t                      i;

    for (i = 0; i < r->kinds; i++) {
        double cpu =
            r->weight[HS_CPU][i] <= cf->target ? cpu_multiplier * r->time[HS_CPU][i] : INFINITY;
        double gpu =
            r->weight[HS_GPU][i] <= cf->target ? gpu_multiplier * r->time[HS_GPU][i] : INFINITY;
        double y = fmin(cpu, gpu);

        cf->centre[i] = isfinite(y) ? y : 0;
    }
}

static hs_status choose_centre(hsi_configuration *cf)
{
    const hsi_makespan_refusal *r = &cf->refusal;
    const hsi_problem          *kinds = &r->problem;
    uint32_t                   *order = malloc((r->kinds + 1) * sizeof *order);
    hs_status                   st = order ? hsi_order_by_rho(kinds, HSI_RHO_UP, order) : HS_ENOMEM;

    if (st == HS_OK) {
        uint32_t pivot = order[find_pivot(cf, kinds, order)];
        double   u = kinds->q[pivot], v = kinds->p[pivot];
        int      exponent;

        if (isinf(u) || isinf(v)) {
            u = isinf(u);
            v = isinf(v);
        }
        frexp(fmax(u, v), &exponent); /* scaling keeps the products within range */
        set_area_multipliers(cf, ldexp(u, -exponent), ldexp(v, -exponent));
    }
    free(order);
    return st;
}

static void set_target(hsi_configuration *cf)
{
    int64_t step = cf->refusal.refused >> (cf->refusal.proved ? TARGET : FIRST_TARGET);

    cf->target = hsi_makespan_refusal_round_capacity_up(&cf->refusal, cf->refusal.refused +
                                                                          (step > 0 ? step : 1));
    if (cf->target > cf->refusal.capacity_limit)
        cf->ended = true; /* never happens: the optimum is less than four times the deadline bound
                           */
}

static double longest_span(const hsi_configuration *cf)
{
    return ldexp((double)cf->target + 1, cf->refusal.grid);
}

/* Add a pattern with take[] copies of each kind, unless it is empty. */
static hs_status add_pattern(hsi_configuration *cf, int type, const uint32_t *take)
{
    size_t i, size = 0;

    for (i = 0; i < cf->refusal.kinds; i++)
        if (take[i])
            cf->items[size++] = (hsi_master_item){(uint32_t)i, take[i]};
    return size ? hsi_master_add_pattern(cf->master, (hs_type)type, cf->items, size) : HS_OK;
}

/* Add a pattern for each kind, of this kind alone, so that a cover exists. */
static hs_status add_singles(hsi_configuration *cf, int type)
{
    const hsi_makespan_refusal *r = &cf->refusal;
    hs_status                   st = HS_OK;
    size_t                      i;

    for (i = 0; i < r->kinds && st == HS_OK; i++) {
        int64_t         weight = r->weight[type][i];
        hsi_master_item item = {(uint32_t)i, r->count[i]};

        if (weight > cf->target)
            continue;
        if (weight && cf->target / weight < item.copies)
            item.copies = (uint32_t)(cf->target / weight);
        st = hsi_master_add_pattern(cf->master, (hs_type)type, &item, 1);
    }
    return st;
}

static double worth_of_pattern(const hsi_configuration *cf, const uint32_t *take)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < cf->refusal.kinds; i++)
        sum += take[i] * cf->y[i];
    return sum;
}

/* Add the knapsack's set, then the best set of the remaining tasks, and so on, at most one for each
 * worker, if the LP's multipliers are worth more than `price` in it. */
static hs_status add_priced(hsi_configuration *cf, int type, double price, size_t *added)
{
    hsi_knapsack *ks = &cf->refusal.knapsack[type];
    unsigned      worker;
    size_t        i;

    for (worker = 0; worker < cf->refusal.workers[type] && worker < MOST_PATTERNS; worker++) {
        bool left = false;

        if (ks->value == 0)
            break;
        if (worth_of_pattern(cf, ks->take) > price) {
            hs_status st = add_pattern(cf, type, ks->take);

            if (st != HS_OK)
                return st;
            ++*added;
        }
        for (i = 0; i < ks->n; i++) {
            ks->limit[i] -= ks->take[i];
            left |= ks->limit[i] != 0;
        }
        if (!left)
            break;
        hsi_knapsack_solve(ks, cf->target, ks->value >> 10, EXTRA_NODES);
    }
    return HS_OK;
}

static hsi_makespan_refusal_effort effort_with_nodes(const hsi_configuration *cf, size_t nodes)
{
    hsi_makespan_refusal_effort effort = {fmax(0x1p-30, fmin(cf->hope, 0x1p-10) / 64),
                                          {nodes, nodes}};

    if (cf->fluid >= 0)
        effort.nodes[cf->fluid] = FLUID_NODES;
    return effort;
}

/* Try to refuse the target with multipliers, push a refusal further, and add the patterns found. */
static hs_status try_multipliers(hsi_configuration *cf, const double *y, const double price[2],
                                 size_t *added, double *ratio)
{
    hsi_makespan_refusal_effort effort =
        effort_with_nodes(cf, cf->thorough ? THOROUGH_NODES : PRICING_NODES);
    hs_status st = HS_OK;
    int64_t   target = cf->target;
    int       type;

    hsi_makespan_refusal_set_multipliers(&cf->refusal, y);
    *ratio = hsi_makespan_refusal_test_capacity(&cf->refusal, target, &effort);
    if (!cf->thorough && hsi_makespan_refusal_is_undecided(&cf->refusal)) {
        effort = effort_with_nodes(cf, PROVING_NODES);
        *ratio = hsi_makespan_refusal_test_capacity(&cf->refusal, target, &effort);
    }
    for (type = HS_CPU; type <= HS_GPU && st == HS_OK; type++)
        if (type != cf->fluid && cf->refusal.workers[type])
            st = add_priced(cf, type, price[type] * (1 + violation), added);
    if (cf->refusal.refused >= target) {
        hsi_makespan_refusal_raise_capacity(&cf->refusal, target, *ratio, &effort, cf->stop);
        set_target(cf);
        hsi_master_set_span(cf->master, longest_span(cf));
    }
    return st;
}

/* End the phase with a fluid type, when no multipliers improve any more: make the type solid, or
 * end the search. */
static hs_status end_phase(hsi_configuration *cf)
{
    static const double no_price[2] = {0, 0};
    int                 type = cf->fluid;
    size_t              added = 0;
    hs_status           st;

    if (type < 0 || (cf->tasks_on[type] > SOLID_TASKS && cf->refusal.kinds > SOLID_KINDS)) {
        hsi_makespan_refusal_effort effort = effort_with_nodes(cf, PROVING_NODES);

        effort.tolerance = 0x1p-40;
        hsi_makespan_refusal_bisect_capacity(&cf->refusal, cf->target, &effort, cf->stop);
        cf->ended = true;
        return HS_OK;
    }
    cf->fluid = -1;
    cf->thorough = false;
    hsi_master_end_fluid(cf->master);
    st = add_singles(cf, type);
    if (st == HS_OK)
        st = try_multipliers(cf, cf->centre, no_price, &added, &cf->centre_ratio);
    return st;
}

static hs_status start_search(hsi_configuration *cf)
{
    static const double no_price[2] = {0, 0};
    size_t              added = 0;

    if (cf->started)
        return HS_OK;
    cf->started = true;
    memcpy(cf->y, cf->centre, cf->refusal.kinds * sizeof *cf->y);
    return try_multipliers(cf, cf->centre, no_price, &added, &cf->centre_ratio);
}

static hs_status price_round(hsi_configuration *cf, const hsi_master_solution *solution)
{
    size_t    added = 0, i;
    double    ratio;
    int64_t   refused = cf->refusal.refused;
    hs_status st;

    for (i = 0; i < cf->refusal.kinds; i++)
        cf->mixed[i] = cf->y[i] + cf->weight_of_centre * (cf->centre[i] - cf->y[i]);
    st = try_multipliers(cf, cf->mixed, solution->price, &added, &ratio);
    if (cf->refusal.refused > refused || ratio > cf->centre_ratio) {
        cf->centre_ratio = cf->refusal.refused > refused ? 1 : ratio;
        memcpy(cf->centre, cf->mixed, cf->refusal.kinds * sizeof *cf->centre);
    } else if (st == HS_OK && added == 0 && cf->thorough) {
        return end_phase(cf); /* the LP has every useful pattern */
    }
    cf->thorough = added == 0 && cf->weight_of_centre <= 0;
    cf->weight_of_centre = added ? smoothing : 0;
    return st;
}

static hs_status run_round(hsi_configuration *cf)
{
    hsi_master_solution solution;
    hs_status           st = hsi_master_solve(cf->master, cf->stop, &solution, cf->y);

    if (st != HS_OK || !solution.optimal)
        return st;
    cf->hope = fmax(0, solution.theta - 1);
    if (cf->hope <= enough_theta)
        return end_phase(cf);
    return price_round(cf, &solution);
}

static bool has_enough(const hsi_configuration *cf)
{
    return cf->ended || hsi_configuration_bound(cf) >= cf->enough;
}

static hs_status run_slice(void *data)
{
    hsi_configuration *cf = data;
    hs_status          st = HS_OK;

    while (st == HS_OK && !has_enough(cf) && !hsi_stop_is_due(cf->stop))
        st = run_round(cf);
    hsi_master_free_glpk_problem(cf->master);
    return st;
}

hs_status hsi_configuration_improve_bound(hsi_configuration *cf, const hsi_stop *stop)
{
    hs_status st = HS_OK;

    cf->stop = stop;
    if (!cf->ended && !hsi_stop_is_due(stop))
        st = start_search(cf);
    while (st == HS_OK && !has_enough(cf) && !hsi_stop_is_due(stop)) {
        st = hsi_glpk_guarded(run_slice, cf);
        if (st != HS_ESOLVER)
            break;
        hsi_master_forget_glpk_problem(cf->master);
        cf->ended = ++cf->failures > MOST_FAILURES;
        st = HS_OK;
    }
    return st;
}

static hs_status allocate_arrays(hsi_configuration *cf)
{
    size_t n = cf->refusal.kinds + 1;

    cf->y = hsi_arena_alloc_zeroed(&cf->arena, n, sizeof *cf->y);
    cf->centre = hsi_arena_alloc_zeroed(&cf->arena, n, sizeof *cf->centre);
    cf->mixed = hsi_arena_alloc_zeroed(&cf->arena, n, sizeof *cf->mixed);
    cf->items = hsi_arena_alloc(&cf->arena, n, sizeof *cf->items);
    return cf->y && cf->centre && cf->mixed && cf->items ? HS_OK : HS_ENOMEM;
}

static hs_status prepare_kinds(hsi_configuration *cf)
{
    const hsi_makespan_refusal *r = &cf->refusal;
    hs_status                   st = allocate_arrays(cf);
    int                         type;

    set_target(cf);
    if (st == HS_OK)
        st = hsi_master_open(r->kinds, r->count, r->workers, &cf->master);
    if (st == HS_OK)
        st = choose_centre(cf);
    if (st != HS_OK)
        return st;
    cf->fluid = -1;
    if (r->workers[HS_CPU] && r->workers[HS_GPU]) {
        cf->fluid = cf->tasks_on[HS_GPU] >= cf->tasks_on[HS_CPU] ? HS_GPU : HS_CPU;
        hsi_master_make_type_fluid(cf->master, (hs_type)cf->fluid, r->time[cf->fluid],
                                   longest_span(cf));
    }
    for (type = HS_CPU; type <= HS_GPU && st == HS_OK; type++)
        if (r->workers[type] && type != cf->fluid)
            st = add_singles(cf, type);
    return st;
}

hs_status hsi_configuration_open(const hsi_problem *pb, double safe_bound, hsi_configuration **out)
{
    return hsi_configuration_open_exact(pb, safe_bound, INFINITY, out);
}

hs_status hsi_configuration_open_exact(const hsi_problem *pb, double safe_bound,
                                       double longest_makespan, hsi_configuration **out)
{
    hsi_configuration *cf = calloc(1, sizeof *cf);
    hs_settings        settings;
    hs_status          st = HS_OK;

    if (!cf)
        return HS_ENOMEM;
    hs_settings_init(&settings);
    if (!(safe_bound > 0))
        st = hsi_bound_compute_for_rows(&hsi_bound_deadline, pb, &settings, &safe_bound, NULL);
    if (st != HS_OK) {
        free(cf);
        return st;
    }
    cf->from = safe_bound;
    cf->enough = cf->hope = INFINITY;
    cf->weight_of_centre = smoothing;
    if (pb->n == 0 || !(safe_bound > 0)) { /* there is no makespan to refuse */
        cf->ended = true;
        cf->refusal.refused = -1;
        *out = cf;
        return HS_OK;
    }
    st = hsi_makespan_refusal_open(&cf->refusal, pb, safe_bound, longest_makespan, MOST_KINDS);
    if (st == HS_OK)
        st = prepare_kinds(cf);
    if (st != HS_OK) {
        hsi_configuration_close(cf);
        return st;
    }
    *out = cf;
    return HS_OK;
}

void hsi_configuration_close(hsi_configuration *cf)
{
    if (!cf)
        return;
    hsi_master_close(cf->master);
    hsi_makespan_refusal_close(&cf->refusal);
    hsi_arena_close(&cf->arena);
    free(cf);
}
