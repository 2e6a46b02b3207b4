/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Task after task, the longest first, on each worker in turn. A node is left when the
 * workers cannot hold the worth of all tasks any more: each holds what it has, and of the
 * tasks to come at most the best knapsack of its room, which is counted in coarse cells,
 * weights rounded down; or at most what fits if the last task may be cut, if that is less.
 *
 * Two things are left out. Tasks that are alike go to workers in rising order, and a
 * worker is passed over if one before it, of its type, has the same load. The first
 * of all solutions, in the order of the workers of the first task, then of the second and
 * so on, is never left out so: else exchanging the two tasks, or all that the two workers
 * get from there on, gives one that comes before it.
 */
#include "check/search.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

enum {
    MOST_TASKS = 512,
    MOST_WORKERS = 1024,
    MOST_COARSE = 1 << 14,
    MOST_CELLS_IN_TABLE = 1 << 21
};

typedef struct task {
    cells   weight[2];
    int64_t worth;
    int     alike; /* to the one before */
} task;

/* The tasks from some depth on that fit on a type, by falling worth a cell. */
typedef struct prefix {
    cells   weight; /* of all up to and with this one */
    int64_t worth;
    size_t  task;
} prefix;

typedef struct search {
    size_t         tasks, coarse;
    task          *task;
    unsigned       workers[2], all_workers;
    cells          capacity, step; /* a coarse cell */
    int64_t       *table[2];       /* [depth][room]: worth of the best knapsack */
    prefix        *by_density[2];  /* [depth][i] */
    size_t        *fitting[2];     /* of each depth */
    cells         *load;           /* of each worker */
    int64_t       *held;
    unsigned      *chosen; /* of each depth */
    int64_t        worth;  /* of all tasks */
    uint64_t       nodes, most_nodes;
    search_verdict verdict;
} search;

static int64_t *table_at(const search *s, int type, size_t depth)
{
    return s->table[type] + depth * (s->coarse + 1);
}

static void fill_table(search *s, int type)
{
    for (size_t depth = s->tasks; depth-- > 0;) {
        const int64_t *next = table_at(s, type, depth + 1);
        int64_t       *row = table_at(s, type, depth);
        const task    *t = &s->task[depth];
        size_t         weight;

        memcpy(row, next, (s->coarse + 1) * sizeof *row);
        if (t->weight[type] > s->capacity)
            continue;
        weight = (size_t)(t->weight[type] / s->step);
        for (size_t room = weight; room <= s->coarse; room++)
            if (next[room - weight] + t->worth > row[room])
                row[room] = next[room - weight] + t->worth;
    }
}

static int is_denser(const task *a, const task *b, int type)
{
    return a->worth * b->weight[type] > b->worth * a->weight[type];
}

/* Insertion into the next depth's order keeps all of them sorted. */
static void fill_prefixes(search *s, int type)
{
    for (size_t depth = s->tasks; depth-- > 0;) {
        const prefix *next = s->by_density[type] + (depth + 1) * s->tasks;
        prefix       *row = s->by_density[type] + depth * s->tasks;
        size_t        count = s->fitting[type][depth + 1], at = 0;

        if (s->task[depth].weight[type] > s->capacity) {
            memcpy(row, next, count * sizeof *row);
            s->fitting[type][depth] = count;
            continue;
        }
        while (at < count && !is_denser(&s->task[depth], &s->task[next[at].task], type))
            at++;
        memcpy(row, next, at * sizeof *row);
        row[at].task = depth;
        memcpy(row + at + 1, next + at, (count - at) * sizeof *row);
        s->fitting[type][depth] = count + 1;
        for (; at <= count; at++) {
            const task *t = &s->task[row[at].task];

            row[at].weight = t->weight[type] + (at ? row[at - 1].weight : 0);
            row[at].worth = t->worth + (at ? row[at - 1].worth : 0);
        }
    }
}

/* What fits if the last task is cut. */
static int64_t most_cut(const search *s, int type, size_t depth, cells room)
{
    const prefix *row = s->by_density[type] + depth * s->tasks;
    size_t        low = 0, high = s->fitting[type][depth];
    cells         left;
    const task   *cut;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (row[middle].weight <= room)
            low = middle + 1;
        else
            high = middle;
    }
    left = room - (low ? row[low - 1].weight : 0);
    if (low == s->fitting[type][depth])
        return low ? row[low - 1].worth : 0;
    cut = &s->task[row[low].task];
    return (low ? row[low - 1].worth : 0) + (int64_t)(cut->worth * left / cut->weight[type]);
}

static int can_hold_all(const search *s, size_t depth)
{
    int64_t sum = 0;

    for (unsigned w = 0; w < s->all_workers && sum < s->worth; w++) {
        int     type = w >= s->workers[0];
        cells   room = s->capacity - s->load[w];
        int64_t packed = table_at(s, type, depth)[room / s->step];
        int64_t cut = most_cut(s, type, depth, room);

        sum += s->held[w] + (cut < packed ? cut : packed);
    }
    return sum >= s->worth;
}

static int is_repeated(const search *s, unsigned worker)
{
    for (unsigned w = worker >= s->workers[0] ? s->workers[0] : 0; w < worker; w++)
        if (s->load[w] == s->load[worker])
            return 1;
    return 0;
}

static void descend(search *s, size_t depth)
{
    const task *t = &s->task[depth];
    unsigned    first = 0;

    if (depth == s->tasks) {
        s->verdict = SEARCH_FOUND;
        return;
    }
    if (++s->nodes > s->most_nodes) {
        s->verdict = SEARCH_TOO_HARD;
        return;
    }
    if (t->alike)
        first = s->chosen[depth - 1];
    for (unsigned w = first; w < s->all_workers && s->verdict == SEARCH_REFUTED; w++) {
        cells weight = t->weight[w >= s->workers[0]];

        if (weight > s->capacity - s->load[w] || is_repeated(s, w))
            continue;
        s->load[w] += weight;
        s->held[w] += t->worth;
        s->chosen[depth] = w;
        if (can_hold_all(s, depth + 1))
            descend(s, depth + 1);
        s->held[w] -= t->worth;
        s->load[w] -= weight;
    }
}

static cells lesser_weight(const search_class *c)
{
    return c->weight[0] < c->weight[1] ? c->weight[0] : c->weight[1];
}

static int by_weight(const void *a, const void *b)
{
    cells x = lesser_weight(a), y = lesser_weight(b);

    return (x < y) - (x > y);
}

static void list_tasks(search *s, search_class *classes, size_t count)
{
    qsort(classes, count, sizeof *classes, by_weight);
    for (size_t i = 0; i < count; i++)
        for (uint64_t copy = 0; copy < classes[i].count; copy++) {
            task *t = &s->task[s->tasks++];

            memcpy(t->weight, classes[i].weight, sizeof t->weight);
            t->worth = classes[i].worth;
            t->alike = copy > 0;
            s->worth += t->worth;
        }
}

static void open_search(search *s, const search_class *classes, size_t count, uint64_t tasks)
{
    search_class *sorted = checked_calloc(count + 1, sizeof *sorted);

    memcpy(sorted, classes, count * sizeof *sorted);
    s->task = checked_calloc(tasks + 1, sizeof *s->task);
    list_tasks(s, sorted, count);
    free(sorted);
    s->coarse = MOST_COARSE;
    while ((s->tasks + 1) * s->coarse > MOST_CELLS_IN_TABLE)
        s->coarse /= 2;
    s->step = s->capacity / (cells)s->coarse + 1;
    s->all_workers = s->workers[0] + s->workers[1];
    s->load = checked_calloc(s->all_workers + 1, sizeof *s->load);
    s->held = checked_calloc(s->all_workers + 1, sizeof *s->held);
    s->chosen = checked_calloc(s->tasks + 1, sizeof *s->chosen);
    for (int type = 0; type < 2; type++) {
        s->table[type] = checked_calloc((s->tasks + 1) * (s->coarse + 1), sizeof *s->table[type]);
        s->by_density[type] = checked_calloc((s->tasks + 1) * (s->tasks + 1), sizeof(prefix));
        s->fitting[type] = checked_calloc(s->tasks + 1, sizeof *s->fitting[type]);
        fill_table(s, type);
        fill_prefixes(s, type);
    }
}

static void close_search(search *s)
{
    for (int type = 0; type < 2; type++) {
        free(s->table[type]);
        free(s->by_density[type]);
        free(s->fitting[type]);
    }
    free(s->task);
    free(s->load);
    free(s->held);
    free(s->chosen);
}

search_verdict search_refute(const search_class *classes, size_t count, const unsigned workers[2],
                             cells capacity, uint64_t most_nodes, uint64_t *nodes)
{
    search   s = {.workers = {workers[0], workers[1]},
                  .capacity = capacity,
                  .most_nodes = most_nodes,
                  .verdict = SEARCH_REFUTED};
    uint64_t tasks = 0;

    for (size_t i = 0; i < count; i++) {
        if (classes[i].count > MOST_TASKS)
            return SEARCH_TOO_HARD;
        tasks += classes[i].count;
    }
    if (tasks > MOST_TASKS || (uint64_t)workers[0] + workers[1] > MOST_WORKERS)
        return SEARCH_TOO_HARD;
    open_search(&s, classes, count, tasks);
    if (can_hold_all(&s, 0))
        descend(&s, 0);
    *nodes += s.nodes;
    close_search(&s);
    return s.verdict;
}
