/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen adversary: random cases, and small changes of a case. */
#include "gen/adversary/moves.h"

/* Return a number in 0 .. bound - 1, bound > 0; uniform except for the remainder of 2^64 / bound.
 */
static uint64_t dice_below(dice *d, uint64_t bound)
{
    uint64_t x = d->state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) % bound;
}

static size_t any_task(const bad_case *c, dice *d)
{
    return (size_t)dice_below(d, c->count);
}

static double any_time(const bad_case *c, dice *d)
{
    return c->time[dice_below(d, 2)][any_task(c, d)];
}

/* Draw a time; every magnitude is equally likely. */
static double draw_time(dice *d, const case_limits *limits)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(limits->time);
    uint64_t below = UINT64_C(1) << (1 + dice_below(d, bits));

    return (double)(1 + dice_below(d, below < limits->time ? below : limits->time));
}

static double within(double time, const case_limits *limits)
{
    return time < 1 ? 1 : time > (double)limits->time ? (double)limits->time : time;
}

/* Return the time with which the task's worker is as busy as the busiest in the witness. */
static double filling_time(const bad_case *c, size_t task)
{
    double load = 0;

    for (size_t i = 0; i < c->count; i++)
        if (c->worker[i] == c->worker[task])
            load += case_length(c, i);
    return c->witness - load + case_length(c, task);
}

/*
 * Draw a new time. Worst cases often have equal times, sums of times and fully busy workers, so
 * these are tried too.
 */
static double new_time(const bad_case *c, size_t task, hs_type type, dice *d,
                       const case_limits *limits)
{
    double old = c->time[type][task];

    switch (dice_below(d, 8)) {
    case 0:
        return draw_time(d, limits);
    case 1:
        return old + 1;
    case 2:
        return old - 1;
    case 3:
        return any_time(c, d);
    case 4:
        return any_time(c, d) + any_time(c, d);
    case 5:
        return old + any_time(c, d);
    case 6:
        return old - any_time(c, d);
    default:
        return type == case_type(c, task) ? filling_time(c, task) : any_time(c, d) + 1;
    }
}

static bool are_twins(const bad_case *c, size_t i, size_t j)
{
    return c->time[HS_CPU][i] == c->time[HS_CPU][j] && c->time[HS_GPU][i] == c->time[HS_GPU][j] &&
           c->priority[i] == c->priority[j];
}

/* Return the task, and half of the time all tasks equal to it, as bits. */
static uint64_t draw_twins(const bad_case *c, size_t task, dice *d)
{
    uint64_t twins = UINT64_C(1) << task;

    if (dice_below(d, 2))
        for (size_t i = 0; i < c->count; i++)
            twins |= (uint64_t)are_twins(c, i, task) << i;
    return twins;
}

static void change_time(bad_case *c, dice *d, const case_limits *limits)
{
    size_t   task = any_task(c, d);
    hs_type  type = dice_below(d, 2) ? HS_CPU : HS_GPU;
    uint64_t twins = draw_twins(c, task, d);
    double   time = within(new_time(c, task, type, d, limits), limits);

    for (; twins; twins &= twins - 1)
        c->time[type][__builtin_ctzll(twins)] = time;
}

/* Change a priority, which orders equal tasks; as many priorities as tasks suffice. */
static void change_priority(bad_case *c, dice *d)
{
    size_t   task = any_task(c, d);
    uint64_t twins = draw_twins(c, task, d);
    int64_t  priority = (int64_t)dice_below(d, c->count);

    for (; twins; twins &= twins - 1)
        c->priority[__builtin_ctzll(twins)] = priority;
}

static void change_place(bad_case *c, dice *d)
{
    c->worker[any_task(c, d)] = (uint32_t)dice_below(d, c->cpus + c->gpus);
}

static void add_task(bad_case *c, dice *d, const case_limits *limits)
{
    if (c->count == limits->tasks)
        return;
    case_copy_task(c, any_task(c, d));
    c->worker[c->count - 1] = (uint32_t)dice_below(d, c->cpus + c->gpus);
    if (dice_below(d, 2))
        c->time[HS_CPU][c->count - 1] = draw_time(d, limits);
    if (dice_below(d, 2))
        c->time[HS_GPU][c->count - 1] = draw_time(d, limits);
}

static void drop_task(bad_case *c, dice *d)
{
    if (c->count > 1)
        case_drop_task(c, any_task(c, d));
}

/* Exchange two tasks, because algorithms break ties by index; edges keep their places. */
static void exchange_tasks(bad_case *c, dice *d)
{
    size_t   i = any_task(c, d), j = any_task(c, d);
    int64_t  priority = c->priority[i];
    uint32_t worker = c->worker[i];

    for (int type = 0; type < 2; type++) {
        double time = c->time[type][i];

        c->time[type][i] = c->time[type][j];
        c->time[type][j] = time;
    }
    c->priority[i] = c->priority[j];
    c->priority[j] = priority;
    c->worker[i] = c->worker[j];
    c->worker[j] = worker;
}

static void change_edge(bad_case *c, dice *d)
{
    size_t i = any_task(c, d), j = any_task(c, d);

    if (i != j)
        c->after[i > j ? i : j] ^= UINT64_C(1) << (i < j ? i : j);
}

static void change_once(bad_case *c, dice *d, const case_limits *limits)
{
    switch (dice_below(d, limits->graph ? 16 : 12)) {
    case 0:
        add_task(c, d, limits);
        break;
    case 1:
        drop_task(c, d);
        break;
    case 2:
        change_place(c, d);
        break;
    case 3:
        change_priority(c, d);
        break;
    case 4:
        exchange_tasks(c, d);
        break;
    case 12:
    case 13:
    case 14:
        change_edge(c, d);
        break;
    case 15:
        change_place(c, d);
        break;
    default:
        change_time(c, d, limits);
    }
}

void case_change(bad_case *c, dice *d, const case_limits *limits)
{
    do
        change_once(c, d, limits);
    while (dice_below(d, 3) == 0);
}

void case_draw(bad_case *c, dice *d, const case_limits *limits)
{
    c->count = 1 + (size_t)dice_below(d, limits->tasks);
    for (size_t i = 0; i < c->count; i++) {
        c->time[HS_CPU][i] = draw_time(d, limits);
        c->time[HS_GPU][i] = draw_time(d, limits);
        c->priority[i] = 0;
        c->worker[i] = (uint32_t)dice_below(d, c->cpus + c->gpus);
        c->after[i] = 0;
        if (limits->graph && i > 0 && dice_below(d, 2))
            c->after[i] = UINT64_C(1) << dice_below(d, i);
    }
}
