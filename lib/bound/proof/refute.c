/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/proof/refute.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"
#include "support/exact.h"

/*
 * Tables of one type. They hold knapsacks over the tasks still to come, by free capacity in cells
 * of target/cells. Times are rounded down to cells and capacities up, so a table never understates
 * the worth.
 */
typedef struct type_tables {
    const double *time;
    unsigned      first;  /* number of the type's first worker */
    uint32_t     *cell;   /* weight of each depth's task in cells; more than `cells`: does not fit */
    uint64_t     *suffix; /* [depth][capacity]: best worth of tasks from the depth on */
} type_tables;

typedef struct search {
    hsi_refutation *r;
    hsi_arena       arena;       /* owns the arrays */
    const hsi_stop *stop;
    size_t          n;
    uint32_t        cells;       /* cells of the target, the unit of the knapsack tables */
    uint32_t       *order;       /* the task at each depth */
    uint32_t       *twin;        /* depth of an identical task just before; else the depth itself */
    double         *load;        /* load of each worker on the way to this node */
    uint64_t       *gathered;    /* worth of the tasks on each worker */
    uint32_t       *chosen;      /* worker of the task at each depth */
    uint64_t        all;         /* worth of all tasks */
    bool            exact_loads; /* whether loads are whole numbers, so that equal loads compare
                                    equal */
    type_tables     type[2];
    hsi_verdict     verdict;
} search;

/* relative error of a load, which is a sum with at most 256 roundings */
#define LOAD_ERROR 1e-13

static uint64_t *suffix_row(const search *s, const type_tables *t, size_t depth)
{
    return t->suffix + depth * ((size_t)s->cells + 1);
}

static void fill_suffix(search *s, type_tables *t)
{
    size_t   depth;
    uint32_t c;

    memset(suffix_row(s, t, s->n), 0, ((size_t)s->cells + 1) * sizeof *t->suffix);
    for (depth = s->n; depth-- > 0;) {
        uint64_t *row = suffix_row(s, t, depth), *next = suffix_row(s, t, depth + 1);
        uint64_t  worth = s->r->worth[s->order[depth]];
        uint32_t  cell = t->cell[depth];

        memcpy(row, next, ((size_t)s->cells + 1) * sizeof *row);
        for (c = cell; c <= s->cells; c++)
            if (next[c - cell] + worth > row[c])
                row[c] = next[c - cell] + worth;
    }
}

/* Return the most worth of tasks from `depth` on that fits on a worker with that load. */
static uint64_t most_worth(const search *s, const type_tables *t, size_t depth, double load)
{
    double room = (s->r->target - load) * (1 + 4 * DBL_EPSILON) + s->r->target * LOAD_ERROR;
    double capacity;

    if (room < 0)
        room = 0;
    capacity = room / s->r->target * s->cells * (1 + 4 * DBL_EPSILON) + 1e-9;
    return suffix_row(s, t, depth)[capacity < s->cells ? (uint32_t)capacity : s->cells];
}

static const type_tables *type_of(const search *s, unsigned worker)
{
    return &s->type[worker < s->r->pb->m ? HS_CPU : HS_GPU];
}

static bool can_hold_the_rest(const search *s, size_t depth)
{
    unsigned w, workers = s->r->pb->m + s->r->pb->k;
    uint64_t reach = 0;

    for (w = 0; w < workers; w++)
        reach += s->gathered[w] + most_worth(s, type_of(s, w), depth, s->load[w]);
    return reach >= s->all;
}

/* Return true if an earlier worker of the type has the same load: the branch would be repeated. */
static bool is_repeated(const search *s, unsigned worker)
{
    unsigned other = type_of(s, worker)->first;

    for (; other < worker; other++)
        if (s->load[other] == s->load[worker] && (s->load[worker] == 0 || s->exact_loads))
            return true;
    return false;
}

/* Check the schedule by exact sums. */
static bool is_short_enough(const search *s)
{
    const hsi_problem *pb = s->r->pb;
    unsigned           w;
    size_t             depth;

    for (w = 0; w < pb->m + pb->k; w++) {
        hsi_sum rest = {s->r->target, 0, 0};

        for (depth = 0; depth < s->n; depth++)
            if (s->chosen[depth] == w)
                hsi_sum_add(&rest, -type_of(s, w)->time[s->order[depth]]);
        if (!hsi_sum_surely_nonnegative(&rest))
            return false;
    }
    return true;
}

static void keep_node(search *s)
{
    size_t depth;

    for (depth = 0; depth < s->n; depth++)
        s->r->worker[s->order[depth]] = s->chosen[depth];
    s->verdict = HSI_FOUND;
}

static void search_from_depth(search *s, size_t depth);

static void try_worker(search *s, size_t depth, unsigned worker)
{
    uint32_t task = s->order[depth];
    double   time = type_of(s, worker)->time[task], before = s->load[worker];

    if (!(before + time <= s->r->target * (1 + LOAD_ERROR)) || is_repeated(s, worker))
        return;
    s->load[worker] = before + time;
    s->gathered[worker] += s->r->worth[task];
    s->chosen[depth] = worker;
    if (can_hold_the_rest(s, depth + 1))
        search_from_depth(s, depth + 1);
    s->gathered[worker] -= s->r->worth[task];
    s->load[worker] = before;
}

static void search_from_depth(search *s, size_t depth)
{
    const hsi_problem *pb = s->r->pb;
    unsigned           w, from = 0, workers = pb->m + pb->k;

    if (depth == s->n) {
        if (is_short_enough(s))
            keep_node(s);
        return;
    }
    if (++s->r->nodes == s->r->most_nodes ||
        ((s->r->nodes & 1023) == 0 && hsi_stop_is_due(s->stop))) {
        s->verdict = HSI_STOPPED;
        return;
    }
    if (s->twin[depth] != depth) /* identical tasks go to workers in order */
        from = s->chosen[s->twin[depth]];
    for (w = from; w < workers && s->verdict == HSI_REFUTED; w++)
        try_worker(s, depth, w);
}

static double least_time(const hsi_problem *pb, uint32_t task)
{
    return fmin(pb->p[task], pb->q[task]);
}

/* Order tasks by falling smaller time, with identical tasks side by side. */
static void choose_order(search *s)
{
    const hsi_problem *pb = s->r->pb;
    size_t             i, j;

    for (i = 0; i < s->n; i++) {
        for (j = i; j > 0; j--) {
            uint32_t before = s->order[j - 1];
            double   a = least_time(pb, before), b = least_time(pb, (uint32_t)i);

            if (a > b || (a == b && (pb->p[before] > pb->p[i] ||
                                     (pb->p[before] == pb->p[i] && pb->q[before] >= pb->q[i]))))
                break;
            s->order[j] = before;
        }
        s->order[j] = (uint32_t)i;
    }
    for (i = 0; i < s->n; i++) {
        uint32_t task = s->order[i], before = i ? s->order[i - 1] : 0;

        s->twin[i] = (uint32_t)i;
        if (i && pb->p[task] == pb->p[before] && pb->q[task] == pb->q[before] &&
            s->r->worth[task] == s->r->worth[before])
            s->twin[i] = (uint32_t)i - 1;
    }
}

static hs_status open_type(search *s, hs_type type)
{
    type_tables       *t = &s->type[type];
    const hsi_problem *pb = s->r->pb;
    size_t             n = s->n, depth;

    t->time = type == HS_CPU ? pb->p : pb->q;
    t->first = type == HS_CPU ? 0 : pb->m;
    t->cell = hsi_arena_alloc(&s->arena, n + 1, sizeof *t->cell);
    t->suffix = hsi_arena_alloc(&s->arena, (n + 1) * ((size_t)s->cells + 1), sizeof *t->suffix);
    if (!t->cell || !t->suffix)
        return HS_ENOMEM;
    for (depth = 0; depth < n; depth++) {
        double share = t->time[s->order[depth]] / s->r->target * s->cells * (1 - 4 * DBL_EPSILON);

        t->cell[depth] = share <= s->cells ? (uint32_t)share : s->cells + 1;
    }
    fill_suffix(s, t);
    return HS_OK;
}

static hs_status open_search(search *s)
{
    size_t    n = s->n, i;
    unsigned  workers = s->r->pb->m + s->r->pb->k;
    hs_status st;

    s->cells = 1 << 16;
    while ((n + 1) * (size_t)s->cells > (1 << 21))
        s->cells /= 2;
    s->order = hsi_arena_alloc(&s->arena, n, sizeof *s->order);
    s->twin = hsi_arena_alloc(&s->arena, n, sizeof *s->twin);
    s->chosen = hsi_arena_alloc(&s->arena, n, sizeof *s->chosen);
    s->load = hsi_arena_alloc_zeroed(&s->arena, workers, sizeof *s->load);
    s->gathered = hsi_arena_alloc_zeroed(&s->arena, workers, sizeof *s->gathered);
    if (!s->order || !s->twin || !s->chosen || !s->load || !s->gathered)
        return HS_ENOMEM;
    for (i = 0; i < n; i++)
        s->all += s->r->worth[i];
    s->exact_loads = hsi_problem_has_whole_times(s->r->pb);
    choose_order(s);
    st = open_type(s, HS_CPU);
    return st == HS_OK ? open_type(s, HS_GPU) : st;
}

static hs_status run_refutation(hsi_refutation *r, const hsi_stop *stop, hsi_verdict *verdict)
{
    search    s = {.r = r, .stop = stop, .n = r->pb->n, .verdict = HSI_REFUTED};
    hs_status st = open_search(&s);

    if (st == HS_OK) {
        if (can_hold_the_rest(&s, 0))
            search_from_depth(&s, 0);
        *verdict = s.verdict;
    }
    hsi_arena_close(&s.arena);
    return st;
}

/* Near the least doubles, worth per time is lost and errors are not relative. There all times are
 * scaled up, which is exact: a time that becomes infinite did not fit before. */
#define LEAST_TARGET 0x1p-400
enum { LIFT = 600 };

static hs_status refute_lifted(hsi_refutation *r, const hsi_stop *stop, hsi_verdict *verdict)
{
    size_t         n = r->pb->n, i;
    double        *p = malloc(n * sizeof *p), *q = malloc(n * sizeof *q);
    hsi_problem    pb = {.n = n, .m = r->pb->m, .k = r->pb->k, .p = p, .q = q};
    hsi_refutation lifted = *r;
    hs_status      st = p && q ? HS_OK : HS_ENOMEM;

    for (i = 0; st == HS_OK && i < n; i++) {
        p[i] = ldexp(r->pb->p[i], LIFT);
        q[i] = ldexp(r->pb->q[i], LIFT);
    }
    lifted.pb = &pb;
    lifted.target = ldexp(r->target, LIFT);
    if (st == HS_OK)
        st = run_refutation(&lifted, stop, verdict);
    r->nodes = lifted.nodes;
    free(p);
    free(q);
    return st;
}

hs_status hsi_refutation_search(hsi_refutation *r, const hsi_stop *stop, hsi_verdict *verdict)
{
    r->nodes = 0;
    if (r->pb->n == 0 || r->pb->n > HSI_REFUTE_MOST_TASKS)
        return HS_ETOOBIG;
    return r->target < LEAST_TARGET ? refute_lifted(r, stop, verdict)
                                    : run_refutation(r, stop, verdict);
}

void hsi_refute_scale_worths(size_t count, const double *value, uint64_t *worth)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < count; i++)
        sum += value[i];
    for (i = 0; i < count; i++)
        worth[i] = sum > 0 && isfinite(sum) ? (uint64_t)(value[i] / sum * 0x1p58) : 1;
}
