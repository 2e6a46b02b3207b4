/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Improve a nearly good schedule: bin completion redistributes the tasks of a few workers within
 * microseconds, and a worker at or below the capacity never exceeds it again. Some groups have no
 * overfull worker: this varies the tasks that later groups have.
 */
#include "refine/regroup.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_GROUP = 2,
    MOST_GROUP = 7,
    GROUP_TASKS = 48, /* limit of a group's tasks */
    GROUP_STEPS = 1 << 12,
    IDLE_GROUP = 4,      /* one group of this many has no worker above the capacity */
    MOST_TURNS = 64,     /* limit of turns between two looks at the clock */
    MOST_LOOKS = 1 << 20 /* limit of visited tasks between two looks at the clock */
};

/* The workers of a group and their tasks. */
typedef struct group {
    uint32_t worker[MOST_GROUP];
    unsigned workers;
    uint32_t task[GROUP_TASKS];
    int64_t  weight[GROUP_TASKS];
    uint32_t to[GROUP_TASKS];
    size_t   tasks;
} group;

static bool is_in(const group *g, uint32_t worker)
{
    unsigned i;

    for (i = 0; i < g->workers; i++)
        if (g->worker[i] == worker)
            return true;
    return false;
}

/* Return the first worker above the capacity, from a random one on; `workers`: none. */
static uint32_t find_full(const hsi_regroup *r, int64_t capacity)
{
    uint32_t from = (uint32_t)hsi_random_below(r->random, r->workers), i;

    for (i = 0; i < r->workers; i++) {
        uint32_t at = (from + i) % r->workers;

        if (r->load[at] > capacity)
            return at;
    }
    return r->workers;
}

/* Choose a group around worker `first`. Return false if its tasks are too many or too long. */
static bool choose_group(const hsi_regroup *r, int64_t capacity, uint32_t first, group *g)
{
    unsigned most = LEAST_GROUP + (unsigned)hsi_random_below(r->random, MOST_GROUP - 1);
    int64_t  room = capacity - r->load[first];
    size_t   i;

    g->worker[0] = first;
    g->tasks = 0;
    most = most < r->workers ? most : r->workers;
    for (g->workers = 1; g->workers < most;) {
        uint32_t at = (uint32_t)hsi_random_below(r->random, r->workers);

        if (!is_in(g, at)) {
            g->worker[g->workers++] = at;
            room += capacity - r->load[at];
        }
    }
    for (i = 0; room >= 0 && i < r->n && g->tasks <= GROUP_TASKS; i++)
        if (is_in(g, r->worker[i])) {
            if (g->tasks == GROUP_TASKS)
                return false;
            g->task[g->tasks] = (uint32_t)i;
            g->weight[g->tasks++] = r->weight[i];
        }
    return room >= 0;
}

static void move_group(hsi_regroup *r, const group *g)
{
    size_t i;

    for (i = 0; i < g->tasks; i++) {
        uint32_t *worker = &r->worker[g->task[i]];

        r->load[*worker] -= g->weight[i];
        *worker = g->worker[g->to[i]];
        r->load[*worker] += g->weight[i];
    }
}

static hs_status share_out_group(hsi_regroup *r, int64_t capacity, const hsi_stop *stop, group *g)
{
    hsi_completion_query query = {
        .capacity = capacity, .most_steps = GROUP_STEPS, .random = r->random, .worker = g->to};
    hsi_completion *c = NULL;
    hs_status       st = hsi_completion_open(g->tasks, g->weight, g->workers, &c);

    if (st != HS_OK)
        return st;
    query.sparing = 4;
    if (hsi_completion_search(c, &query, stop) == HSI_FOUND)
        move_group(r, g);
    r->steps += query.steps;
    hsi_completion_close(c);
    return HS_OK;
}

hs_status hsi_regroup_search(hsi_regroup *r, int64_t capacity, uint64_t most_steps,
                             const hsi_stop *stop, int *complete)
{
    hs_status st = HS_OK;
    uint64_t  turn, turns = 1 + MOST_LOOKS / (r->n + r->workers);

    turns = turns < MOST_TURNS ? turns : MOST_TURNS;
    r->steps = 0;
    *complete = 0;
    for (turn = 0; st == HS_OK && r->steps < most_steps; turn++) {
        uint32_t full = find_full(r, capacity);
        group    g;

        *complete = full == r->workers;
        if (*complete || (turn % turns == 0 && hsi_stop_is_due(stop)))
            break;
        if (turn % IDLE_GROUP == IDLE_GROUP - 1)
            full = (uint32_t)hsi_random_below(r->random, r->workers);
        r->steps += 16 + r->n / 16;
        if (choose_group(r, capacity, full, &g))
            st = share_out_group(r, capacity, stop, &g);
    }
    return st;
}
