/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen adversary: extend a case to more workers. */
#include "gen/adversary/grow.h"

enum { PIECES = 4 }; /* largest number of tasks that fill a worker */

void case_repeat(bad_case *c, unsigned copies)
{
    bad_case one = *c;

    c->cpus *= copies;
    c->gpus *= copies;
    for (size_t i = 0; i < copies * one.count; i++) {
        size_t   copy = i / one.count, task = i % one.count;
        unsigned own = one.worker[task];

        c->time[HS_CPU][i] = one.time[HS_CPU][task];
        c->time[HS_GPU][i] = one.time[HS_GPU][task];
        c->priority[i] = one.priority[task];
        c->after[i] = one.after[task] << copy * one.count;
        c->worker[i] = own < one.cpus ? (uint32_t)copy * one.cpus + own
                                      : c->cpus + (uint32_t)copy * one.gpus + own - one.cpus;
    }
    c->count = copies * one.count;
}

/* Add a worker as the last of its type; the workers behind it move up. */
static uint32_t add_worker(bad_case *c, hs_type type)
{
    if (type == HS_GPU)
        return c->cpus + c->gpus++;
    for (size_t i = 0; i < c->count; i++)
        c->worker[i] += c->worker[i] >= c->cpus;
    return c->cpus++;
}

/*
 * Add a chain to the worker that takes as long as the witness, and the longest time on the other
 * type.
 */
static void fill_worker(bad_case *c, uint32_t worker, hs_type type, size_t pieces,
                        const case_limits *limits)
{
    uint64_t length = (uint64_t)c->witness;

    if (length < pieces || length % pieces != 0 || length / pieces > limits->time ||
        c->count + pieces > limits->tasks)
        return;
    for (size_t k = 0; k < pieces; k++, c->count++) {
        c->time[type][c->count] = (double)(length / pieces);
        c->time[!type][c->count] = (double)limits->time;
        c->priority[c->count] = 0;
        c->worker[c->count] = worker;
        c->after[c->count] = k > 0 ? UINT64_C(1) << (c->count - 1) : 0;
    }
}

/*
 * Copy tasks: copies of tasks on the type run on the new worker, and depend on copies of their
 * predecessors.
 */
static void copy_tasks(bad_case *c, uint64_t tasks, uint32_t worker, hs_type type,
                       const case_limits *limits)
{
    size_t old_count = c->count, copy[CASE_TASKS];

    if (c->count + (size_t)__builtin_popcountll(tasks) > limits->tasks)
        return;
    for (size_t i = 0; i < old_count; i++) {
        if (!(tasks >> i & 1))
            continue;
        copy[i] = c->count;
        case_copy_task(c, i);
        if (case_type(c, i) == type)
            c->worker[copy[i]] = worker;
        for (uint64_t left = c->after[i] & tasks; left; left &= left - 1) {
            size_t before = (size_t)__builtin_ctzll(left);

            c->after[copy[i]] ^= UINT64_C(1) << before ^ UINT64_C(1) << copy[before];
        }
    }
}

/* Return the tasks connected with a task by edges, as bits. */
static uint64_t family_of(const bad_case *c, size_t task)
{
    uint64_t all = UINT64_C(1) << task, before = 0;

    while (all != before) {
        before = all;
        for (size_t i = 0; i < c->count; i++) {
            uint64_t own = c->after[i] | UINT64_C(1) << i;

            if (own & all)
                all |= own;
        }
    }
    return all;
}

bool case_widen(bad_case *c, hs_type type, size_t way, const case_limits *limits)
{
    size_t   count = c->count;
    uint32_t worker = add_worker(c, type);

    if (way > PIECES + 2 * count)
        return false;
    if (way > PIECES + count)
        copy_tasks(c, family_of(c, way - PIECES - count - 1), worker, type, limits);
    else if (way > PIECES)
        copy_tasks(c, UINT64_C(1) << (way - PIECES - 1), worker, type, limits);
    else if (way > 0)
        fill_worker(c, worker, type, way, limits);
    return true;
}
