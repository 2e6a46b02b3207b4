/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proofs by multipliers of the types' loads and of paths through the graph; hsched-formats(5) has
 * the argument. All times are counted in a unit, a power of two, of which they are multiples.
 */
#include "check/graph_proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/tasks_between.h"
#include "check/proof_tree.h"
#include "check/window_proof.h"
#include "common/checked_memory.h"

enum { LOOK = 16 }; /* steps counted for each task or edge that is visited */

typedef struct proof {
    const certificate *c;
    const hs_instance *in;
    const proof_node  *node;
    const task_order  *w;
    limits            *l;
    size_t             tasks, vertices;
    /* per task: whether each type is excluded, because the task would end too late there */
    unsigned char (*closed)[2];
    uint32_t *order;      /* topological order of the vertices */
    long      unit, grid; /* exponents of two: the units of times and of multipliers */
    mpz_t     longest;    /* the makespan to refute */
    /* by vertex: lengths of the longest path before the vertex and of the longest path after it */
    mpz_t *head, *tail;
    mpz_t *through; /* per task: sum of the multipliers of the paths through it */
    /* per task: sum of the multipliers of jumps over the CPUs, and over the GPUs */
    mpz_t        *over[2];
    tasks_between between;
    mpz_t         multiplier[2], all;
} proof;

static const char flaw_no_task[] = "a path contains a task that does not exist";
static const char flaw_not_after[] = "a task on a path does not depend on the one before it";

static double time_of(const proof *p, size_t task, int type)
{
    unsigned workers = type ? hs_instance_gpus(p->in) : hs_instance_cpus(p->in);

    return workers ? hs_instance_time(p->in, task, type ? HS_GPU : HS_CPU) : INFINITY;
}

static double time_left(const proof *p, size_t task, int type)
{
    return p->closed[task][type] ? INFINITY : time_of(p, task, type);
}

static void count_units(mpz_t units, dyadic d, long unit)
{
    mpz_set_si(units, d.mantissa);
    mpz_mul_2exp(units, units, (mp_bitcnt_t)(d.exponent - unit));
}

/* Set `units` to the task's time on a type; return false if it is infinite. */
static bool take_time(const proof *p, size_t task, int type, mpz_t units)
{
    double time = time_left(p, task, type);

    if (isinf(time))
        return false;
    count_units(units, time_as_dyadic(time), p->unit);
    return true;
}

/* Set `units` to the vertex's smaller time; 0 for a barrier, and for a task without a type left. */
static void take_smaller(const proof *p, size_t vertex, mpz_t units)
{
    double time = 0;

    if (vertex < p->tasks)
        time = fmin(time_left(p, vertex, 0), time_left(p, vertex, 1));
    mpz_set_ui(units, 0);
    if (time > 0 && !isinf(time))
        count_units(units, time_as_dyadic(time), p->unit);
}

static void find_unit(proof *p)
{
    bool found = false;

    for (size_t i = 0; i < 2 * p->tasks; i++) {
        double time = time_of(p, i / 2, (int)(i % 2));
        long   exponent = isinf(time) ? 0 : time_as_dyadic(time).exponent;

        if (isinf(time) || (found && p->unit <= exponent))
            continue;
        p->unit = exponent;
        found = true;
    }
}

static void find_order(proof *p)
{
    uint32_t *left = checked_calloc(p->vertices + 1, sizeof *left);
    size_t    size = 0, count;

    for (size_t v = 0; v < p->vertices; v++) {
        order_predecessors(p->w, v, &count);
        left[v] = (uint32_t)count;
        if (count == 0)
            p->order[size++] = (uint32_t)v;
    }
    for (size_t i = 0; i < size; i++) {
        const uint32_t *after = order_successors(p->w, p->order[i], &count);

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
    for (size_t v = 0; v < p->vertices; v++) {
        mpz_set_ui(p->head[v], 0);
        mpz_set_ui(p->tail[v], 0);
    }
    for (size_t i = 0; i < p->vertices; i++) {
        uint32_t        v = p->order[i];
        const uint32_t *after = order_successors(p->w, v, &count);

        take_smaller(p, v, with);
        mpz_add(with, with, p->head[v]);
        raise(p->head, after, count, with);
    }
    for (size_t i = p->vertices; i-- > 0;) {
        uint32_t        v = p->order[i];
        const uint32_t *before = order_predecessors(p->w, v, &count);

        take_smaller(p, v, with);
        mpz_add(with, with, p->tail[v]);
        raise(p->tail, before, count, with);
    }
    mpz_clear(with);
}

/* Exclude types on which a task would end too late; return the number of newly excluded types. */
static size_t close_late(proof *p)
{
    size_t closed = 0;
    mpz_t  span;

    mpz_init(span);
    for (size_t i = 0; i < 2 * p->tasks; i++) {
        if (!take_time(p, i / 2, (int)(i % 2), span))
            continue;
        mpz_add(span, span, p->head[i / 2]);
        mpz_add(span, span, p->tail[i / 2]);
        if (mpz_cmp(span, p->longest) <= 0)
            continue;
        p->closed[i / 2][i % 2] = 1;
        closed++;
    }
    mpz_clear(span);
    return closed;
}

/* Repeat close_late() until no type is excluded; return false beyond the limit. */
static bool close_types(proof *p)
{
    do {
        if (!limits_allow(p->l, LOOK * (uint64_t)p->vertices))
            return false;
        find_heads_and_tails(p);
    } while (close_late(p) > 0);
    return true;
}

static bool is_in(const uint32_t *sorted, size_t count, uint32_t vertex)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;

        if (sorted[middle] == vertex)
            return true;
        if (sorted[middle] < vertex)
            low = middle + 1;
        else
            count = middle;
    }
    return false;
}

/*
 * Return whether `later` depends on `task`, directly or through barriers, which come last among the
 * predecessors. Return false beyond the limit too.
 */
static bool depends(proof *p, uint32_t later, uint32_t task)
{
    size_t          count;
    const uint32_t *before = order_predecessors(p->w, later, &count);

    if (!limits_allow(p->l, LOOK) || is_in(before, count, task))
        return p->l->work <= p->l->most_work;
    while (count-- > 0 && before[count] >= p->tasks)
        if (depends(p, before[count], task))
            return true;
    return false;
}

static const char *flaw_of(const verdict v, const char *if_false)
{
    return v == HOLDS ? NULL : v == TOO_MUCH ? flaw_too_much : if_false;
}

static const uint32_t *steps_of(const proof *p, const proof_path *path)
{
    return p->c->path_step + path->first;
}

static bool is_over(const proof_path *path, const uint32_t *step, size_t i)
{
    return i < path->count && step[i] >= PATH_OVER_CPUS;
}

/* Add the multiplier of a jump to all tasks between the steps before and after it. */
static const char *flaw_of_jump(proof *p, const proof_path *path, size_t i, const mpz_t multiplier)
{
    const uint32_t *step = steps_of(p, path);
    mpz_t          *over = p->over[step[i] == PATH_OVER_GPUS];
    uint32_t        first = i > 0 ? step[i - 1] : GRAPH_ENDS;
    uint32_t        second = i + 1 < path->count ? step[i + 1] : GRAPH_ENDS;
    const char     *flaw;

    if (is_over(path, step, i + 1))
        return "a path has two jumps without a task between them";
    if (second != GRAPH_ENDS && second >= p->tasks)
        return flaw_no_task;
    flaw = flaw_of(tasks_between_find(&p->between, first, second, p->l), flaw_not_after);
    for (size_t j = 0; !flaw && j < p->between.count; j++)
        mpz_add(over[p->between.task[j]], over[p->between.task[j]], multiplier);
    return flaw;
}

/* Add the path's multiplier to all tasks on it. */
static const char *flaw_of_path(proof *p, const proof_path *path, mpz_t multiplier)
{
    const uint32_t *step = steps_of(p, path);
    const char     *flaw = NULL;

    count_units(multiplier, path->multiplier, p->grid);
    mpz_add(p->all, p->all, multiplier);
    for (size_t i = 0; i < path->count && !flaw; i++) {
        if (is_over(path, step, i)) {
            flaw = flaw_of_jump(p, path, i, multiplier);
            continue;
        }
        if (step[i] >= p->tasks)
            return flaw_no_task;
        if (i > 0 && !is_over(path, step, i - 1) && !depends(p, step[i], step[i - 1]))
            return p->l->work > p->l->most_work ? flaw_too_much : flaw_not_after;
        mpz_add(p->through[step[i]], p->through[step[i]], multiplier);
    }
    return flaw;
}

static const char *flaw_of_paths(proof *p)
{
    const char *flaw = NULL;
    mpz_t       multiplier;

    mpz_init(multiplier);
    for (size_t i = 0; i < p->node->paths && !flaw; i++)
        flaw = flaw_of_path(p, &p->c->path[p->node->path + i], multiplier);
    mpz_clear(multiplier);
    return flaw;
}

static unsigned workers_of(const proof *p, int type)
{
    unsigned workers = type ? hs_instance_gpus(p->in) : hs_instance_cpus(p->in);

    return workers ? workers : 1; /* a type without workers runs no task, so any divisor will do */
}

/*
 * Set `weight` to the multiplier of a task on a type, times the workers of both types. Jumps are
 * shared out among the workers of their type.
 */
static void weigh(const proof *p, size_t task, int type, mpz_t weight)
{
    mpz_add(weight, p->multiplier[type], p->through[task]);
    mpz_mul_ui(weight, weight, workers_of(p, type));
    mpz_add(weight, weight, p->over[type][task]);
    mpz_mul_ui(weight, weight, workers_of(p, !type));
}

/* Add the least cost of the task over its remaining types to `sum`. */
static void add_least(const proof *p, size_t task, mpz_t sum, mpz_t cost[2], mpz_t weight)
{
    int left[2];

    for (int type = 0; type < 2; type++) {
        left[type] = take_time(p, task, type, cost[type]);
        if (!left[type])
            continue;
        weigh(p, task, type, weight);
        mpz_mul(cost[type], cost[type], weight);
    }
    mpz_add(sum, sum, cost[!left[0] || (left[1] && mpz_cmp(cost[1], cost[0]) < 0)]);
}

static const char *flaw_of_sum(const proof *p)
{
    mpz_t cost[2], sum, scratch;
    bool  proved;

    mpz_inits(cost[0], cost[1], sum, scratch, NULL);
    for (size_t i = 0; i < p->tasks; i++)
        add_least(p, i, sum, cost, scratch);
    mpz_set(scratch, p->all);
    mpz_addmul_ui(scratch, p->multiplier[0], hs_instance_cpus(p->in));
    mpz_addmul_ui(scratch, p->multiplier[1], hs_instance_gpus(p->in));
    mpz_mul(scratch, scratch, p->longest);
    mpz_mul_ui(scratch, scratch, workers_of(p, 0));
    mpz_mul_ui(scratch, scratch, workers_of(p, 1));
    proved = mpz_cmp(sum, scratch) > 0;
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

static void find_grid(proof *p)
{
    const dyadic *given = p->node->multiplier;

    p->grid = given[0].exponent < given[1].exponent ? given[0].exponent : given[1].exponent;
    for (size_t i = p->node->path; i < p->node->path + p->node->paths; i++)
        if (p->c->path[i].multiplier.exponent < p->grid)
            p->grid = p->c->path[i].multiplier.exponent;
    for (int type = 0; type < 2; type++)
        count_units(p->multiplier[type], given[type], p->grid);
}

static void open_proof(proof *p, const graph_proof_case *of, mpq_srcptr value)
{
    p->order = checked_calloc(p->vertices + 1, sizeof *p->order);
    p->head = zeros(p->vertices);
    p->tail = zeros(p->vertices);
    p->through = zeros(p->tasks);
    p->over[0] = zeros(p->tasks);
    p->over[1] = zeros(p->tasks);
    p->closed = checked_calloc(p->tasks + 1, sizeof *p->closed);
    if (of->closed)
        memcpy(p->closed, of->closed, p->tasks * sizeof *p->closed);
    tasks_between_open(&p->between, p->w);
    mpz_inits(p->longest, p->multiplier[0], p->multiplier[1], p->all, NULL);
    find_unit(p);
    greatest_multiple_below(p->longest, value, p->unit);
    find_order(p);
}

static void close_proof(proof *p)
{
    mpz_clears(p->longest, p->multiplier[0], p->multiplier[1], p->all, NULL);
    clear(p->head, p->vertices);
    clear(p->tail, p->vertices);
    clear(p->through, p->tasks);
    clear(p->over[0], p->tasks);
    clear(p->over[1], p->tasks);
    tasks_between_close(&p->between);
    free(p->closed);
    free(p->order);
}

static const char *flaw_of_multipliers(proof *p)
{
    const char *flaw;

    find_grid(p);
    flaw = flaw_of_paths(p);
    return flaw ? flaw : flaw_of_sum(p);
}

/* Return whether the task can run on this type only. */
static bool is_of_type(const proof *p, size_t task, int type)
{
    return task < p->tasks && isfinite(time_left(p, task, type)) &&
           isinf(time_left(p, task, !type));
}

/* Check that the tasks of a crowd run at the same time, on one type, and outnumber its workers. */
static const char *flaw_of_crowd(const proof *p, const graph_proof_case *of)
{
    const proof_path *crowd = &p->c->path[p->node->path];
    const uint32_t   *task = p->c->path_step + crowd->first;
    int               type = !is_of_type(p, task[0], 0);

    if (crowd->count <= workers_of(p, type))
        return "a crowd is no larger than the workers of its type";
    for (size_t i = 0; i < crowd->count; i++) {
        if (!is_of_type(p, task[i], type))
            return "a crowd has a task that may run on another type";
        for (size_t j = 0; j < i; j++)
            if (!of->beside[task[i] * p->tasks + task[j]])
                return "a crowd has tasks of which one may come before the other";
    }
    return NULL;
}

static bool is_impossible(const proof *p)
{
    for (size_t i = 0; i < p->tasks; i++)
        if (isinf(time_left(p, i, 0)) && isinf(time_left(p, i, 1)))
            return true;
    return false;
}

const char *graph_proof_leaf_flaw(const certificate *c, const proof_node *node,
                                  const graph_proof_case *of, mpq_srcptr value, limits *l)
{
    proof       p = {.c = c, .node = node, .in = of->in, .w = &of->task_order, .l = l};
    const char *flaw = NULL;

    if (node->step == STEP_WINDOWS)
        return window_proof_flaw(c, node, of, value, l);
    p.tasks = of->task_order.tasks;
    p.vertices = of->task_order.vertices;
    if (!limits_allow(l, LOOK * (uint64_t)p.vertices))
        return flaw_too_much;
    open_proof(&p, of, value);
    if (!close_types(&p))
        flaw = flaw_too_much;
    else if (!is_impossible(&p))
        flaw = node->step == STEP_CROWD ? flaw_of_crowd(&p, of) : flaw_of_multipliers(&p);
    close_proof(&p);
    return flaw;
}

const char *graph_proof_flaw(const certificate *c, const hs_instance *in, mpq_srcptr value,
                             limits *l)
{
    graph_proof_case whole = {.in = in, .task_order = {.tasks = hs_instance_tasks(in)}};

    if (!hs_instance_has_graph(in))
        return "it is of a graph, and the instance has none";
    if (hs_instance_graph(in, &whole.task_order.g) != HS_OK)
        return hs_status_text(HS_ENOMEM);
    whole.task_order.vertices = hs_graph_vertex_count(whole.task_order.g);
    return c->has_cases ? graph_proof_tree_flaw(c, &whole, value, l)
                        : graph_proof_leaf_flaw(c, c->node, &whole, value, l);
}
