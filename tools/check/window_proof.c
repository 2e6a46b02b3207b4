/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proofs by windows of the tasks of a graph: each row derives a head or a tail from others, and the
 * last row is a contradiction. Rows are replayed in their order; nothing is searched. Times are
 * counted in a unit, a power of two, of which all times and transfers are multiples.
 * hsched-certificates(5) has the argument.
 */
#include "check/window_proof.h"

#include <math.h>
#include <stdlib.h>

#include "check/proof_tree.h"
#include "check/tasks_between.h"
#include "check/transfer_times.h"
#include "common/checked_memory.h"

enum {
    LOOK = 16,     /* steps counted for each task or edge that is visited */
    FRACTION = 128 /* binary digits of a quotient behind the unit of the times */
};

typedef struct windows {
    const certificate      *c;
    const graph_proof_case *of;
    limits                 *l;
    transfer_times          transfers;
    size_t                  tasks;
    long                    unit;       /* exponent of two */
    bool                    impossible; /* whether some task was found without an open type */
    mpz_t                   longest;    /* the makespan to refute, in units */
    double (*first)[2];                 /* arrival of what no task has written, by task and type */
    mpz_t (*value[2])[2];               /* heads, then tails, by task and type */
    tasks_between between;
    mpz_t         sum, term, other; /* scratch */
} windows;

static const char flaw_no_task[] = "a row is about a task that is not there";

static bool has_type(const windows *p, size_t task, int type)
{
    unsigned workers = type ? hs_instance_gpus(p->of->in) : hs_instance_cpus(p->of->in);

    return workers > 0 && !(p->of->closed && p->of->closed[task][type]) &&
           isfinite(hs_instance_time(p->of->in, task, type ? HS_GPU : HS_CPU));
}

/* Set `units` to a finite number, in units; 0 is allowed. */
static void count(const windows *p, double number, mpz_t units)
{
    dyadic d;

    mpz_set_ui(units, 0);
    if (!(number > 0))
        return;
    d = time_as_dyadic(number);
    mpz_set_si(units, d.mantissa);
    mpz_mul_2exp(units, units, (mp_bitcnt_t)(d.exponent - p->unit));
}

static void count_time(const windows *p, size_t task, int type, mpz_t units)
{
    count(p, hs_instance_time(p->of->in, task, type ? HS_GPU : HS_CPU), units);
}

/* Return whether a type is open for a task: its head, time and tail stay below the value. */
static bool is_open(windows *p, size_t task, int type)
{
    if (!has_type(p, task, type))
        return false;
    count_time(p, task, type, p->other);
    mpz_add(p->other, p->other, p->value[0][task][type]);
    mpz_add(p->other, p->other, p->value[1][task][type]);
    return mpz_cmp(p->other, p->longest) <= 0;
}

static void lower_unit(windows *p, double number)
{
    if (number > 0 && isfinite(number) && time_as_dyadic(number).exponent < p->unit)
        p->unit = time_as_dyadic(number).exponent;
}

static void lower_unit_to_transfer(windows *p, double bytes)
{
    for (int type = 0; type < 2; type++)
        lower_unit(p, transfer_time_to(&p->transfers, type, bytes));
}

/* Lower the unit to the times of a task and to what arrives at it. */
static bool lower_unit_to_task(windows *p, uint32_t task)
{
    size_t   accesses;
    uint64_t memories = hs_instance_nodes(p->of->in) + (uint64_t)hs_instance_gpus(p->of->in);
    const hs_access *access = hs_graph_accesses(p->transfers.g, task, &accesses);

    if (!limits_allow(p->l, LOOK * (1 + accesses) * memories))
        return false;
    for (size_t i = 0; i < accesses; i++)
        lower_unit_to_transfer(p, hs_instance_handle_bytes(p->of->in, access[i].data));
    for (int type = 0; type < 2; type++) {
        lower_unit(p, hs_instance_time(p->of->in, task, type ? HS_GPU : HS_CPU));
        p->first[task][type] = transfer_first_arrival(&p->transfers, task, type);
        lower_unit(p, p->first[task][type]);
    }
    return true;
}

/* Find the unit: all times and transfers are multiples of it, with FRACTION more digits. */
static bool find_unit(windows *p)
{
    size_t vertices = hs_graph_vertex_count(p->transfers.g), edges;

    p->first = checked_calloc(p->tasks + 1, sizeof *p->first);
    for (size_t v = 0; v < vertices; v++) {
        const double *bytes;

        hs_graph_predecessors(p->transfers.g, v, &edges, &bytes);
        for (size_t i = 0; bytes && i < edges; i++)
            lower_unit_to_transfer(p, bytes[i]);
        if (!limits_allow(p->l, LOOK * (1 + (uint64_t)edges)) ||
            (v < p->tasks && !lower_unit_to_task(p, (uint32_t)v)))
            return false;
    }
    p->unit -= FRACTION;
    return true;
}

/* Set the initial windows: a task starts after the arrival of what no task has written. */
static void open_windows(windows *p)
{
    for (int side = 0; side < 2; side++)
        p->value[side] = checked_calloc(p->tasks + 1, sizeof *p->value[side]);
    for (size_t i = 0; i < 4 * p->tasks; i++)
        mpz_init(p->value[i % 2][i / 4][i / 2 % 2]);
    for (size_t i = 0; i < 2 * p->tasks; i++) {
        double first = p->first[i / 2][i % 2];

        count(p, isfinite(first) ? first : 0, p->value[0][i / 2][i % 2]);
    }
}

static void close_windows(windows *p)
{
    for (size_t i = 0; p->value[0] && i < 4 * p->tasks; i++)
        mpz_clear(p->value[i % 2][i / 4][i / 2 % 2]);
    free(p->value[0]);
    free(p->value[1]);
    free(p->first);
}

static void raise(mpz_t value, const mpz_t to)
{
    if (mpz_cmp(value, to) < 0)
        mpz_set(value, to);
}

/* Return whether `later` directly depends on `task`, perhaps through barriers. */
static verdict depends(windows *p, uint32_t later, uint32_t task)
{
    size_t          edges;
    const uint32_t *before = order_predecessors(&p->of->task_order, later, &edges);

    if (!limits_allow(p->l, LOOK * (1 + (uint64_t)edges)))
        return TOO_MUCH;
    for (size_t i = 0; i < edges; i++) {
        verdict v = before[i] == task       ? HOLDS
                    : before[i] >= p->tasks ? depends(p, before[i], task)
                                            : FAILS;

        if (v != FAILS)
            return v;
    }
    return FAILS;
}

/* Set p->sum to the least value, plus time and transfer, of the task at the other end of an arc
 * over its open types; return false if it has none that can pass on its data. */
static bool least_over_arc(windows *p, const window_row *row, int side, double bytes)
{
    bool found = false;

    for (int type = 0; type < 2; type++) {
        double move =
            type == row->type ? 0 : transfer_time_to(&p->transfers, side ? type : row->type, bytes);

        if (!is_open(p, row->other, type) || isinf(move))
            continue;
        count_time(p, row->other, type, p->term);
        mpz_add(p->term, p->term, p->value[side][row->other][type]);
        count(p, move, p->other);
        mpz_add(p->term, p->term, p->other);
        if (!found || mpz_cmp(p->term, p->sum) < 0)
            mpz_set(p->sum, p->term);
        found = true;
    }
    return found;
}

/* Replay a row over an arc. */
static const char *flaw_of_arc(windows *p, const window_row *row)
{
    int      side = row->kind == ROW_TAIL;
    uint32_t from = side ? row->task : row->other, to = side ? row->other : row->task;
    double   bytes;
    verdict  v;

    if (row->task >= p->tasks || row->other >= p->tasks)
        return flaw_no_task;
    v = depends(p, to, from);
    if (v != HOLDS)
        return v == TOO_MUCH ? flaw_too_much : "a row is about tasks that no edge connects";
    if (!transfer_bytes(&p->transfers, from, to, p->l, &bytes))
        return flaw_too_much;
    if (least_over_arc(p, row, side, bytes))
        raise(p->value[side][row->task][row->type], p->sum);
    else if (!is_open(p, row->other, 0) && !is_open(p, row->other, 1))
        p->impossible = true;
    return NULL;
}

/* Set `least` to the least head or tail of a task over its open types; false: none is open. */
static bool least_value(windows *p, size_t task, int side, mpz_t least)
{
    bool open[2] = {is_open(p, task, 0), is_open(p, task, 1)};
    int  type =
        !open[0] || (open[1] && mpz_cmp(p->value[side][task][1], p->value[side][task][0]) < 0);

    mpz_set(least, p->value[side][task][type]);
    return open[0] || open[1];
}

/* Set p->term to a task's load: the least, over its open types, of time and multiplier. */
static void weigh(windows *p, size_t task, mpz_t multiplier[2])
{
    bool  found = false;
    mpz_t load;

    mpz_init(load);
    for (int type = 0; type < 2; type++) {
        if (!is_open(p, task, type))
            continue;
        count_time(p, task, type, load);
        mpz_mul(load, load, multiplier[type]);
        if (!found || mpz_cmp(load, p->term) < 0)
            mpz_set(p->term, load);
        found = true;
    }
    mpz_clear(load);
    if (!found)
        p->impossible = true;
}

/* Set both multipliers to integers of the same ratio. */
static void scale_multipliers(const window_row *row, mpz_t multiplier[2])
{
    const dyadic *of = row->multiplier;
    long          least = of[0].exponent < of[1].exponent ? of[0].exponent : of[1].exponent;

    for (int type = 0; type < 2; type++) {
        mpz_set_si(multiplier[type], of[type].mantissa);
        mpz_mul_2exp(multiplier[type], multiplier[type], (mp_bitcnt_t)(of[type].exponent - least));
    }
}

/* Set p->sum to the time that all workers take at least for the tasks of a row, rounded down to a
 * multiple of the unit; return false if the multipliers are both 0. */
static bool share_load(windows *p, const window_row *row)
{
    const uint32_t *task = p->c->path_step + row->first;
    mpz_t           multiplier[2], capacity;
    bool            positive;

    mpz_inits(multiplier[0], multiplier[1], capacity, NULL);
    scale_multipliers(row, multiplier);
    mpz_addmul_ui(capacity, multiplier[0], hs_instance_cpus(p->of->in));
    mpz_addmul_ui(capacity, multiplier[1], hs_instance_gpus(p->of->in));
    mpz_set_ui(p->sum, 0);
    for (size_t i = 0; i < row->count && !p->impossible; i++) {
        weigh(p, task[i], multiplier);
        mpz_add(p->sum, p->sum, p->term);
    }
    positive = mpz_sgn(capacity) > 0;
    if (positive)
        mpz_fdiv_q(p->sum, p->sum, capacity);
    mpz_clears(multiplier[0], multiplier[1], capacity, NULL);
    return positive;
}

/* Add the least head, or tail, of the tasks of a row to p->sum. */
static void add_least(windows *p, const window_row *row, int side)
{
    const uint32_t *task = p->c->path_step + row->first;
    mpz_t           least, value;

    mpz_inits(least, value, NULL);
    for (size_t i = 0; i < row->count; i++) {
        if (!least_value(p, task[i], side, value))
            p->impossible = true;
        if (i == 0 || mpz_cmp(value, least) < 0)
            mpz_set(least, value);
    }
    mpz_add(p->sum, p->sum, least);
    mpz_clears(least, value, NULL);
}

/* Check that the tasks of a row are there, and each but once: they are in p->between.before with
 * this round's number then. */
static const char *flaw_of_tasks(windows *p, const window_row *row)
{
    const uint32_t *task = p->c->path_step + row->first;

    if (row->count == 0)
        return "a row has no tasks";
    if (!limits_allow(p->l, 4 * LOOK * (uint64_t)row->count))
        return flaw_too_much;
    p->between.round++;
    for (size_t i = 0; i < row->count; i++) {
        if (task[i] >= p->tasks)
            return flaw_no_task;
        if (p->between.after[task[i]] == p->between.round)
            return "a row has a task twice";
        p->between.after[task[i]] = p->between.round;
    }
    return NULL;
}

/* Check that the tasks of a row are ancestors or descendants of its task. */
static const char *flaw_of_relatives(windows *p, const window_row *row, bool ancestors)
{
    const uint32_t *task = p->c->path_step + row->first, *met;
    verdict         v = tasks_between_find(&p->between, ancestors ? GRAPH_ENDS : row->task,
                                   ancestors ? row->task : GRAPH_ENDS, p->l);

    if (v != HOLDS)
        return flaw_too_much;
    met = ancestors ? p->between.before : p->between.after;
    for (size_t i = 0; i < row->count; i++)
        if (met[task[i]] != p->between.round)
            return "a row has a task that is no relative of its task";
    return NULL;
}

/* Replay a row about the load of several tasks; a window refutes the value. */
static const char *flaw_of_load(windows *p, const window_row *row)
{
    int         side = row->kind == ROW_DESCENDANTS;
    const char *flaw = flaw_of_tasks(p, row);

    if (!flaw && row->kind != ROW_WINDOW)
        flaw = row->task < p->tasks ? flaw_of_relatives(p, row, !side) : flaw_no_task;
    if (flaw)
        return flaw;
    if (!share_load(p, row))
        return "the multipliers of a row are 0";
    add_least(p, row, side);
    if (row->kind == ROW_WINDOW) {
        add_least(p, row, 1);
        return p->impossible || mpz_cmp(p->sum, p->longest) > 0 ? NULL
                                                                : "the tasks fit into a window";
    }
    for (int type = 0; type < 2; type++)
        raise(p->value[side][row->task][type], p->sum);
    return NULL;
}

static const char *flaw_of_row(windows *p, const window_row *row)
{
    if (row->kind == ROW_HEAD || row->kind == ROW_TAIL)
        return flaw_of_arc(p, row);
    if (row->kind != ROW_CLOSED)
        return flaw_of_load(p, row);
    if (row->task >= p->tasks)
        return flaw_no_task;
    return is_open(p, row->task, 0) || is_open(p, row->task, 1) ? "a task may run on some type"
                                                                : NULL;
}

/* Replay the rows until one finds a task without an open type, which refutes the value too. */
static const char *flaw_of_rows(windows *p, const proof_node *node)
{
    const window_row *row = p->c->row + node->path;
    const char       *flaw = NULL;

    for (size_t i = 0; i < node->paths && !flaw && !p->impossible; i++)
        flaw = limits_allow(p->l, LOOK) ? flaw_of_row(p, &row[i]) : flaw_too_much;
    return flaw;
}

const char *window_proof_flaw(const certificate *c, const proof_node *node,
                              const graph_proof_case *of, mpq_srcptr value, limits *l)
{
    windows     p = {.c = c, .of = of, .l = l, .tasks = of->task_order.tasks};
    const char *flaw = flaw_too_much;

    if (transfer_times_open(&p.transfers, of->in) != HS_OK)
        return hs_status_text(HS_ENOMEM);
    mpz_inits(p.longest, p.sum, p.term, p.other, NULL);
    tasks_between_open(&p.between, &of->task_order);
    if (find_unit(&p)) {
        greatest_multiple_below(p.longest, value, p.unit);
        open_windows(&p);
        flaw = flaw_of_rows(&p, node);
    }
    close_windows(&p);
    tasks_between_close(&p.between);
    mpz_clears(p.longest, p.sum, p.term, p.other, NULL);
    return flaw;
}
