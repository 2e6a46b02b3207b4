/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic programming over the items, by falling worth per weight. The list holds the sets that may
 * still become worth more than `most`: dominated sets are dropped, and sets whose remaining room,
 * filled with fractions of the remaining items, does not suffice. All numbers are integers.
 */
#include "check/knapsack.h"

#include <stdlib.h>

#include "common/checked_memory.h"

typedef __int128 wide;

typedef struct list {
    knapsack_item *state; /* sets of items, rising in weight and worth */
    size_t         count, room;
} list;

typedef struct search {
    const knapsack_item *items;
    size_t               count;
    wide                *weight, *worth; /* sums of weight and worth over the first items */
    int64_t              capacity, most;
    list                 now, next;
} search;

static int by_ratio(const void *a, const void *b)
{
    const knapsack_item *x = a, *y = b;
    wide                 left = (wide)x->worth * y->weight, right = (wide)y->worth * x->weight;

    if (left != right)
        return left > right ? -1 : 1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

/* Return the first item from `from` on that does not fit completely after the items before it. */
static size_t break_item(const search *s, size_t from, int64_t room)
{
    size_t low = from, high = s->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->weight[middle + 1] - s->weight[from] <= room)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Drop the states that cannot exceed `most` with the items from `from` on. */
static void prune(const search *s, list *l, size_t from)
{
    size_t kept = 0, at = s->count;

    if (l->count)
        at = break_item(s, from, s->capacity - l->state[0].weight);
    for (size_t i = 0; i < l->count; i++) {
        int64_t room = s->capacity - l->state[i].weight;
        wide    bound = l->state[i].worth;

        while (at > from && s->weight[at] - s->weight[from] > room)
            at--;
        bound += s->worth[at] - s->worth[from];
        if (at < s->count)
            bound += (room - (s->weight[at] - s->weight[from])) * s->items[at].worth /
                     s->items[at].weight;
        if (bound > s->most)
            l->state[kept++] = l->state[i];
    }
    l->count = kept;
}

static void push(list *l, knapsack_item state)
{
    if (l->count && l->state[l->count - 1].worth >= state.worth)
        return;
    if (l->count && l->state[l->count - 1].weight == state.weight)
        l->count--;
    l->state[l->count++] = state;
}

/* Replace the states by the states without and with the item. */
static void extend(search *s, const knapsack_item *item)
{
    const knapsack_item *old = s->now.state;
    size_t               without = 0, with = 0, count = s->now.count;
    list                 swap;

    if (s->next.room < 2 * count) {
        free(s->next.state);
        s->next.room = 3 * count;
        s->next.state = checked_calloc(s->next.room, sizeof *s->next.state);
    }
    s->next.count = 0;
    while (without < count || with < count) {
        knapsack_item added = {INT64_MAX, 0};

        if (with < count) {
            added.weight = old[with].weight + item->weight;
            added.worth = old[with].worth + item->worth;
        }
        if (added.weight > s->capacity && without == count)
            break;
        if (without < count && old[without].weight <= added.weight) {
            push(&s->next, old[without++]);
        } else {
            push(&s->next, added);
            with++;
        }
    }
    swap = s->now;
    s->now = s->next;
    s->next = swap;
}

static verdict run(search *s, int64_t base, limits *l)
{
    s->now.room = 1;
    s->now.count = 1;
    s->now.state = checked_calloc(1, sizeof *s->now.state);
    s->now.state[0].worth = base;
    prune(s, &s->now, 0);
    for (size_t i = 0; i < s->count && s->now.count; i++) {
        if (!limits_allow(l, s->now.count) || s->now.count > l->most_states)
            return TOO_MUCH;
        extend(s, &s->items[i]);
        prune(s, &s->now, i + 1);
    }
    return s->now.count ? FAILS : HOLDS;
}

verdict knapsack_check(knapsack_item *items, size_t count, int64_t capacity, int64_t most,
                       limits *l)
{
    search  s = {.items = items, .capacity = capacity, .most = most};
    int64_t base = 0;
    verdict found;

    for (size_t i = 0; i < count; i++) {
        if (items[i].weight == 0)
            base += items[i].worth;
        else if (items[i].worth > 0 && items[i].weight <= capacity)
            items[s.count++] = items[i];
    }
    qsort(items, s.count, sizeof *items, by_ratio);
    s.weight = checked_calloc(s.count + 1, sizeof *s.weight);
    s.worth = checked_calloc(s.count + 1, sizeof *s.worth);
    for (size_t i = 0; i < s.count; i++) {
        s.weight[i + 1] = s.weight[i] + items[i].weight;
        s.worth[i + 1] = s.worth[i] + items[i].worth;
    }
    found = limits_allow(l, count) ? run(&s, base, l) : TOO_MUCH;
    free(s.weight);
    free(s.worth);
    free(s.now.state);
    free(s.next.state);
    return found;
}
