/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a refusal is safe: in a schedule that ends before (c + 1) cells, each worker's set takes less
 * than (c + 1) cells. So the whole cells of its tasks add up to at most c, and the set is worth at
 * most `most`. The sum over the workers gives sum of Y <= m most + k most. A task whose own weight
 * exceeds c is in no set. The knapsack's bound is never too small (knapsack.c), and the comparison
 * uses 128 bits.
 *
 * A refusal of c holds up to the next multiple of `unit` less 1, since no set has a weight in
 * between.
 */
#include "bound/configuration/refuse_makespan.h"

#include <math.h>
#include <string.h>

#include "bound/grid.h"

enum {
    GRID_BITS = 40,     /* cells in the initial bound */
    EXACT_BITS = 62,    /* cells in the longest makespan, if cells are to be as small as possible */
    LEAST_GRID = -1074, /* limit of the cells: every number of cells is then a double */
    MULTIPLIER_BITS = 50,
    MOST_PUSHES = 12
};

static const int64_t does_not_fit = INT64_MAX;

static hs_status allocate_arrays(hsi_makespan_refusal *r)
{
    size_t    n = r->kinds + 1;
    hs_status st = HS_OK;
    int       type;

    for (type = HS_CPU; type <= HS_GPU && st == HS_OK; type++) {
        r->weight[type] = hsi_arena_alloc(&r->arena, n, sizeof(int64_t));
        st = hsi_knapsack_open(&r->knapsack[type], n);
        if (!r->weight[type])
            st = HS_ENOMEM;
    }
    r->multiplier = hsi_arena_alloc_zeroed(&r->arena, n, sizeof *r->multiplier);
    r->best_multiplier = hsi_arena_alloc_zeroed(&r->arena, n, sizeof *r->best_multiplier);
    return r->multiplier && r->best_multiplier ? st : HS_ENOMEM;
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static void compute_weights(hsi_makespan_refusal *r, double least_makespan, double longest)
{
    int64_t unit = 0;
    size_t  i;
    int     type, exact = 1;

    frexp(isfinite(longest) ? longest : least_makespan, &r->grid);
    r->grid -= isfinite(longest) ? EXACT_BITS : GRID_BITS;
    if (r->grid < LEAST_GRID)
        r->grid = LEAST_GRID;
    r->refused = (int64_t)ldexp(least_makespan, -r->grid) - 1;
    r->capacity_limit = HSI_KNAPSACK_MOST_CAPACITY - 1;
    if (r->refused < r->capacity_limit / 4)
        r->capacity_limit = 4 * (r->refused + 1);
    for (type = HS_CPU; type <= HS_GPU; type++)
        for (i = 0; i < r->kinds; i++) {
            double cells = r->time[type][i] <= 4 * least_makespan
                               ? ldexp(r->time[type][i], -r->grid)
                               : INFINITY;

            r->weight[type][i] = does_not_fit;
            if (!(cells <= (double)r->capacity_limit))
                continue;
            r->weight[type][i] = (int64_t)cells;
            unit = gcd(r->weight[type][i], unit);
            exact &= cells == floor(cells);
        }
    r->unit = exact && unit > 0 ? unit : 1;
}

int64_t hsi_makespan_refusal_round_capacity_up(const hsi_makespan_refusal *r, int64_t capacity)
{
    uint64_t unit = (uint64_t)r->unit, rounded = (uint64_t)capacity / unit * unit + unit - 1;

    return rounded < INT64_MAX ? (int64_t)rounded : INT64_MAX;
}

double hsi_makespan_refusal_bound(const hsi_makespan_refusal *r)
{
    return hsi_grid_cells_to_time(r->refused + 1, r->grid);
}

hs_status hsi_makespan_refusal_open(hsi_makespan_refusal *r, const hsi_problem *pb,
                                    double safe_bound, double longest_makespan, size_t most_kinds)
{
    hs_status st;

    memset(r, 0, sizeof *r);
    r->kind_of = hsi_arena_alloc(&r->arena, pb->n + 1, sizeof *r->kind_of);
    st = r->kind_of ? hsi_problem_of_kinds(pb, most_kinds, &r->problem, r->kind_of) : HS_ENOMEM;
    if (st == HS_OK) {
        r->workers[HS_CPU] = pb->m;
        r->workers[HS_GPU] = pb->k;
        r->kinds = r->problem.n;
        r->count = r->problem.count;
        r->time[HS_CPU] = r->problem.p;
        r->time[HS_GPU] = r->problem.q;
        st = allocate_arrays(r);
    }
    if (st == HS_OK)
        compute_weights(r, safe_bound, longest_makespan);
    else
        hsi_makespan_refusal_close(r);
    return st;
}

void hsi_makespan_refusal_close(hsi_makespan_refusal *r)
{
    int type;

    for (type = HS_CPU; type <= HS_GPU; type++)
        hsi_knapsack_close(&r->knapsack[type]);
    hsi_problem_close(&r->problem);
    hsi_arena_close(&r->arena);
    memset(r, 0, sizeof *r);
}

void hsi_makespan_refusal_set_multipliers(hsi_makespan_refusal *r, const double *multiplier)
{
    double sum = 0, scale = 0;
    int    exponent = 0;
    size_t i;

    for (i = 0; i < r->kinds; i++)
        sum += r->count[i] * multiplier[i];
    if (sum > 0 && isfinite(sum)) { /* divide in two steps, since the inverses of the least
                                       doubles overflow */
        frexp(sum, &exponent);
        scale = ldexp(1 - 0x1p-20, MULTIPLIER_BITS) / ldexp(sum, -exponent);
    }
    for (i = 0; i < r->kinds; i++)
        r->multiplier[i] = scale > 0 ? (int64_t)(ldexp(multiplier[i], -exponent) * scale) : 0;
}

static int64_t sum_of_multipliers(const hsi_makespan_refusal *r)
{
    int64_t sum = 0;
    size_t  i;

    for (i = 0; i < r->kinds; i++)
        sum += r->count[i] * r->multiplier[i];
    return sum;
}

static void solve_knapsack(hsi_makespan_refusal *r, int type, int64_t capacity,
                           const hsi_makespan_refusal_effort *effort)
{
    hsi_knapsack *ks = &r->knapsack[type];
    double        part =
        ldexp(1, MULTIPLIER_BITS) / ((double)r->workers[HS_CPU] + (double)r->workers[HS_GPU]);

    ks->n = r->kinds;
    memcpy(ks->weight, r->weight[type], r->kinds * sizeof *ks->weight);
    memcpy(ks->profit, r->multiplier, r->kinds * sizeof *ks->profit);
    memcpy(ks->limit, r->count, r->kinds * sizeof *ks->limit);
    hsi_knapsack_solve(ks, capacity, (int64_t)(effort->tolerance * part), effort->nodes[type]);
    r->most[type] = ks->bound;
}

double hsi_makespan_refusal_test_capacity(hsi_makespan_refusal *r, int64_t capacity,
                                          const hsi_makespan_refusal_effort *effort)
{
    int64_t    sum = sum_of_multipliers(r);
    __int128_t load = 0;
    int        type;

    for (type = HS_CPU; type <= HS_GPU; type++) {
        r->most[type] = 0;
        if (r->workers[type])
            solve_knapsack(r, type, capacity, effort);
        load += (__int128_t)r->workers[type] * r->most[type];
    }
    if (sum > load && capacity > r->refused) {
        r->refused = capacity;
        r->proved = true;
        memcpy(r->best_multiplier, r->multiplier, r->kinds * sizeof *r->multiplier);
        memcpy(r->best_most, r->most, sizeof r->most);
    }
    return load > 0 ? (double)sum / (double)load : sum > 0 ? INFINITY : 0;
}

bool hsi_makespan_refusal_is_undecided(const hsi_makespan_refusal *r)
{
    __int128_t least = 0, most = 0;
    int64_t    sum = sum_of_multipliers(r);
    int        type;

    for (type = HS_CPU; type <= HS_GPU; type++)
        if (r->workers[type]) {
            least += (__int128_t)r->workers[type] * r->knapsack[type].value;
            most += (__int128_t)r->workers[type] * r->most[type];
        }
    return sum > least && sum <= most;
}

/* The ratio suggests how much further to push, as if the knapsacks grew with the capacity. They
 * grow in steps, so the guess may be far too high. */
void hsi_makespan_refusal_raise_capacity(hsi_makespan_refusal *r, int64_t capacity, double ratio,
                                         const hsi_makespan_refusal_effort *effort,
                                         const hsi_stop                    *stop)
{
    double step = (fmin(ratio, 2) - 1) * (double)capacity;
    int    i;

    for (i = 0; i < MOST_PUSHES && !hsi_stop_is_due(stop); i++) {
        int64_t next;

        if (step < (double)r->unit && step * 0x1p21 < (double)capacity)
            return;
        if (step > (double)(r->capacity_limit - capacity))
            return;
        next = hsi_makespan_refusal_round_capacity_up(r, capacity + (int64_t)step);
        if (next == capacity || next > r->capacity_limit)
            return;
        ratio = hsi_makespan_refusal_test_capacity(r, next, effort);
        if (r->refused < next) {
            step /= 4;
            continue;
        }
        step = fmin(2 * step, (fmin(ratio, 2) - 1) * (double)next);
        capacity = next;
    }
}

void hsi_makespan_refusal_bisect_capacity(hsi_makespan_refusal *r, int64_t high,
                                          const hsi_makespan_refusal_effort *effort,
                                          const hsi_stop                    *stop)
{
    if (!r->proved)
        return;
    memcpy(r->multiplier, r->best_multiplier, r->kinds * sizeof *r->multiplier);
    while (!hsi_stop_is_due(stop)) {
        int64_t middle = r->refused + (high - r->refused) / 2;

        middle = hsi_makespan_refusal_round_capacity_up(r, middle > r->refused ? middle
                                                                               : r->refused + 1);
        if (middle >= high)
            return;
        hsi_makespan_refusal_test_capacity(r, middle, effort);
        if (r->refused < middle)
            high = middle;
    }
}
