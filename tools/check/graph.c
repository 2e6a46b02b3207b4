/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proofs by multipliers of the types' loads and of ways through the graph; the argument stands in
 * hsched-formats(5). All times are counted in a unit, a power of two, of which they are multiples.
 */
#include "check/graph.h"

#include <math.h>
#include <stdlib.h>

#include "check/cases.h"
#include "common/memory.h"

enum { LOOK = 16 }; /* steps that a task or an edge takes */

typedef struct proof {
    const certificate *c;
    const hs_instance *in;
    const hs_graph    *g;
    limits            *l;
    size_t             tasks, vertices;
    uint32_t          *order;       /* vertices, each behind all before it */
    long               unit, grid;  /* of times, of multipliers */
    mpz_t              longest;     /* the longest makespan to be refuted */
    mpz_t             *head, *tail; /* of vertices: longest ways before them and after them */
    mpz_t             *through;     /* of tasks: the multipliers of all ways through them */
    mpz_t              multiplier[2], all;
} proof;

static double time_of(const proof *p, size_t task, int type)
{
    unsigned workers = type ? hs_instance_gpus(p->in) : hs_instance_cpus(p->in);

    return workers ? hs_instance_time(p->in, task, type ? HS_GPU : HS_CPU) : INFINITY;
}

static void count_units(mpz_t units, dyadic d, long unit)
{
    mpz_set_si(units, d.mantissa);
    mpz_mul_2exp(units, units, (mp_bitcnt_t)(d.exponent - unit));
}

/* 0: it is infinite. */
static int take_time(const proof *p, size_t task, int type, mpz_t units)
{
    double time = time_of(p, task, type);

    if (isinf(time))
        return 0;
    count_units(units, time_as_dyadic(time), p->unit);
    return 1;
}

/* Nothing for a barrier. */
static void take_smaller(const proof *p, size_t vertex, mpz_t units)
{
    mpz_set_ui(units, 0);
    if (vertex < p->tasks) {
        double cpu = time_of(p, vertex, 0), gpu = time_of(p, vertex, 1);

        count_units(units, time_as_dyadic(cpu < gpu ? cpu : gpu), p->unit);
    }
}

static void find_unit(proof *p)
{
    int found = 0;

    for (size_t i = 0; i < 2 * p->tasks; i++) {
        double time = time_of(p, i / 2, (int)(i % 2));
        long   exponent = isinf(time) ? 0 : time_as_dyadic(time).exponent;

        if (isinf(time) || (found && p->unit <= exponent))
            continue;
        p->unit = exponent;
        found = 1;
    }
}

static void find_order(proof *p)
{
    uint32_t *left = checked_calloc(p->vertices + 1, sizeof *left);
    size_t    size = 0, count;

    for (size_t v = 0; v < p->vertices; v++) {
        hs_graph_predecessors(p->g, v, &count, NULL);
        left[v] = (uint32_t)count;
        if (count == 0)
            p->order[size++] = (uint32_t)v;
    }
    for (size_t i = 0; i < size; i++) {
        const uint32_t *after = hs_graph_successors(p->g, p->order[i], &count);

        for (size_t j = 0; j < count; j++)
            if (--left[after[j]] == 0)
                p->order[size++] = after[j];
    }
    free(left);
}

static void raise(mpz_t *length, const uint32_t *vertices, size_t count, const mpz_t to)
{
    for (size_t i = 0; i < count; i++)
        if (mpz_cmp(length[vertices[i]], to) < 0)
            mpz_set(length[vertices[i]], to);
}

static void find_heads_and_tails(proof *p)
{
    mpz_t  with;
    size_t count;

    mpz_init(with);
    for (size_t i = 0; i < p->vertices; i++) {
        uint32_t        v = p->order[i];
        const uint32_t *after = hs_graph_successors(p->g, v, &count);

        take_smaller(p, v, with);
        mpz_add(with, with, p->head[v]);
        raise(p->head, after, count, with);
    }
    for (size_t i = p->vertices; i-- > 0;) {
        uint32_t        v = p->order[i];
        const uint32_t *before = hs_graph_predecessors(p->g, v, &count, NULL);

        take_smaller(p, v, with);
        mpz_add(with, with, p->tail[v]);
        raise(p->tail, before, count, with);
    }
    mpz_clear(with);
}

static int is_in(const uint32_t *sorted, size_t count, uint32_t vertex)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;

        if (sorted[middle] == vertex)
            return 1;
        if (sorted[middle] < vertex)
            low = middle + 1;
        else
            count = middle;
    }
    return 0;
}

/* Does `later` depend on `task`, itself or through barriers? Those come last among those before. */
static int depends(proof *p, uint32_t later, uint32_t task)
{
    size_t          count;
    const uint32_t *before = hs_graph_predecessors(p->g, later, &count, NULL);

    if (!limits_allow(p->l, LOOK) || is_in(before, count, task))
        return p->l->work <= p->l->most_work;
    while (count-- > 0 && before[count] >= p->tasks)
        if (depends(p, before[count], task))
            return 1;
    return 0;
}

/* Adds the way's multiplier to all that is on it. */
static const char *flaw_of_way(proof *p, const proof_way *way, mpz_t multiplier)
{
    count_units(multiplier, way->multiplier, p->grid);
    mpz_add(p->all, p->all, multiplier);
    for (size_t i = 0; i < way->count; i++) {
        uint32_t task = p->c->way_task[way->first + i];

        if (task >= p->tasks)
            return "a way has a task that is not there";
        if (i > 0 && !depends(p, task, p->c->way_task[way->first + i - 1]))
            return p->l->work > p->l->most_work
                       ? flaw_too_much
                       : "a task on a way does not depend on the one before it";
        mpz_add(p->through[task], p->through[task], multiplier);
    }
    return NULL;
}

static const char *flaw_of_ways(proof *p)
{
    const char *flaw = NULL;
    mpz_t       multiplier;

    mpz_init(multiplier);
    for (size_t i = 0; i < p->c->ways && !flaw; i++)
        flaw = flaw_of_way(p, &p->c->way[i], multiplier);
    mpz_clear(multiplier);
    return flaw;
}

/* sum += the least that the task costs; 0: it would make every schedule too long. */
static int add_least(const proof *p, size_t task, mpz_t sum, mpz_t cost[2], mpz_t span)
{
    int left[2];

    for (int type = 0; type < 2; type++) {
        left[type] = take_time(p, task, type, cost[type]);
        if (!left[type])
            continue;
        mpz_add(span, cost[type], p->head[task]);
        mpz_add(span, span, p->tail[task]);
        left[type] = mpz_cmp(span, p->longest) <= 0;
        mpz_add(span, p->multiplier[type], p->through[task]);
        mpz_mul(cost[type], cost[type], span);
    }
    if (!left[0] && !left[1])
        return 0;
    mpz_add(sum, sum, cost[!left[0] || (left[1] && mpz_cmp(cost[1], cost[0]) < 0)]);
    return 1;
}

static const char *flaw_of_sum(const proof *p)
{
    mpz_t cost[2], sum, scratch;
    int   possible = 1, proved;

    mpz_inits(cost[0], cost[1], sum, scratch, NULL);
    for (size_t i = 0; i < p->tasks && possible; i++)
        possible = add_least(p, i, sum, cost, scratch);
    mpz_set(scratch, p->all);
    mpz_addmul_ui(scratch, p->multiplier[0], hs_instance_cpus(p->in));
    mpz_addmul_ui(scratch, p->multiplier[1], hs_instance_gpus(p->in));
    mpz_mul(scratch, scratch, p->longest);
    proved = !possible || mpz_cmp(sum, scratch) > 0;
    mpz_clears(cost[0], cost[1], sum, scratch, NULL);
    return proved ? NULL : "the multipliers prove less than that value";
}

static mpz_t *zeros(size_t count)
{
    mpz_t *numbers = checked_calloc(count + 1, sizeof *numbers);

    for (size_t i = 0; i < count; i++)
        mpz_init(numbers[i]);
    return numbers;
}

static void clear(mpz_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mpz_clear(numbers[i]);
    free(numbers);
}

static void open_proof(proof *p, const mpq_t value)
{
    const dyadic *given = p->c->node->multiplier;

    p->order = checked_calloc(p->vertices + 1, sizeof *p->order);
    p->head = zeros(p->vertices);
    p->tail = zeros(p->vertices);
    p->through = zeros(p->tasks);
    mpz_inits(p->longest, p->multiplier[0], p->multiplier[1], p->all, NULL);
    find_unit(p);
    longest_below(p->longest, value, p->unit);
    p->grid = given[0].exponent < given[1].exponent ? given[0].exponent : given[1].exponent;
    for (size_t i = 0; i < p->c->ways; i++)
        if (p->c->way[i].multiplier.exponent < p->grid)
            p->grid = p->c->way[i].multiplier.exponent;
    for (int type = 0; type < 2; type++)
        count_units(p->multiplier[type], given[type], p->grid);
    find_order(p);
    find_heads_and_tails(p);
}

static void close_proof(proof *p)
{
    mpz_clears(p->longest, p->multiplier[0], p->multiplier[1], p->all, NULL);
    clear(p->head, p->vertices);
    clear(p->tail, p->vertices);
    clear(p->through, p->tasks);
    free(p->order);
}

const char *graph_flaw(const certificate *c, const hs_instance *in, const mpq_t value, limits *l)
{
    proof       p = {.c = c, .in = in, .l = l, .tasks = hs_instance_tasks(in)};
    const char *flaw;

    if (!hs_instance_has_graph(in))
        return "it is of a graph, and the instance has none";
    if (hs_instance_graph(in, &p.g) != HS_OK)
        return hs_status_text(HS_ENOMEM);
    p.vertices = hs_graph_vertices(p.g);
    if (!limits_allow(l, LOOK * (uint64_t)p.vertices))
        return flaw_too_much;
    open_proof(&p, value);
    flaw = flaw_of_ways(&p);
    if (!flaw)
        flaw = flaw_of_sum(&p);
    close_proof(&p);
    return flaw;
}
