/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Find best sets by two tables. A row of `front` has for each capacity the most worth of the active
 * kinds before a position, a row of `back` that of the kinds from the position on. Both together
 * give the best set with a given kind, for all kinds in the time of one.
 */
#include "bound/packing/pricing.h"

#include <string.h>

static size_t cells_of(int64_t capacity)
{
    return (size_t)capacity + 1;
}

size_t hsi_pricing_room(size_t kinds, int64_t capacity)
{
    return 2 * (kinds + 1) * cells_of(capacity);
}

int hsi_pricing_open(hsi_pricing *p, hsi_arena *arena, size_t kinds, const int64_t *weight,
                     int64_t capacity)
{
    size_t cells = (kinds + 1) * cells_of(capacity);

    *p = (hsi_pricing){.kinds = kinds, .weight = weight, .capacity = capacity};
    p->front = hsi_arena_take(arena, cells, sizeof *p->front);
    p->back = hsi_arena_take(arena, cells, sizeof *p->back);
    p->active = hsi_arena_take(arena, kinds + 1, sizeof *p->active);
    p->limit = hsi_arena_take(arena, kinds + 1, sizeof *p->limit);
    p->value = hsi_arena_take(arena, kinds + 1, sizeof *p->value);
    return p->front && p->back && p->active && p->limit && p->value ? 0 : -1;
}

static void list_active(hsi_pricing *p, const double *value, const uint32_t *limit)
{
    size_t i;

    for (p->count = 0, i = 0; i < p->kinds; i++) {
        int64_t fit = p->capacity / p->weight[i];

        if (limit[i] == 0 || fit == 0 || !(value[i] > 0))
            continue;
        p->active[p->count] = (uint32_t)i;
        p->value[p->count] = value[i];
        p->limit[p->count++] = fit < limit[i] ? (uint32_t)fit : limit[i];
    }
}

/* Compute the row with one kind more. */
static void add_kind(const hsi_pricing *p, size_t at, const double *restrict from,
                     double *restrict to)
{
    size_t   weight = (size_t)p->weight[p->active[at]], cells = cells_of(p->capacity), i;
    uint32_t copy;

    memcpy(to, from, cells * sizeof *to);
    for (copy = 1; copy <= p->limit[at]; copy++) {
        double gain = copy * p->value[at];
        size_t moved = copy * weight;

        for (i = moved; i < cells; i++)
            to[i] = from[i - moved] + gain > to[i] ? from[i - moved] + gain : to[i];
    }
}

void hsi_pricing_solve(hsi_pricing *p, const double *value, const uint32_t *limit)
{
    size_t cells = cells_of(p->capacity), i;

    list_active(p, value, limit);
    memset(p->front, 0, cells * sizeof *p->front);
    memset(p->back + p->count * cells, 0, cells * sizeof *p->back);
    for (i = 0; i < p->count; i++)
        add_kind(p, i, p->front + i * cells, p->front + (i + 1) * cells);
    for (i = p->count; i-- > 0;)
        add_kind(p, i, p->back + (i + 1) * cells, p->back + i * cells);
}

/* Take the copies of a kind that the row without it implies; return the capacity left. */
static size_t take_kind(const hsi_pricing *p, size_t at, const double *without, size_t room,
                        uint32_t *take)
{
    size_t   weight = (size_t)p->weight[p->active[at]];
    double   most = without[room];
    uint32_t copies = 0, copy;

    for (copy = 1; copy <= p->limit[at] && copy * weight <= room; copy++)
        if (without[room - copy * weight] + copy * p->value[at] > most) {
            most = without[room - copy * weight] + copy * p->value[at];
            copies = copy;
        }
    take[p->active[at]] = copies;
    return room - copies * weight;
}

static void take_front(const hsi_pricing *p, size_t end, size_t room, uint32_t *take)
{
    while (end-- > 0)
        room = take_kind(p, end, p->front + end * cells_of(p->capacity), room, take);
}

static void take_back(const hsi_pricing *p, size_t from, size_t room, uint32_t *take)
{
    for (; from < p->count; from++)
        room = take_kind(p, from, p->back + (from + 1) * cells_of(p->capacity), room, take);
}

double hsi_pricing_best(const hsi_pricing *p, uint32_t *take)
{
    memset(take, 0, p->kinds * sizeof *take);
    take_back(p, 0, (size_t)p->capacity, take);
    return p->back[p->capacity];
}

double hsi_pricing_best_with(const hsi_pricing *p, size_t at, uint32_t *take)
{
    size_t        cells = cells_of(p->capacity), i, split = 0;
    size_t        room = (size_t)(p->capacity - p->weight[p->active[at]]);
    const double *front = p->front + at * cells, *back = p->back + (at + 1) * cells;
    double        most = -1;

    for (i = 0; i <= room; i++)
        if (front[i] + back[room - i] > most) {
            most = front[i] + back[room - i];
            split = i;
        }
    memset(take, 0, p->kinds * sizeof *take);
    take_front(p, at, split, take);
    take_back(p, at + 1, room - split, take);
    take[p->active[at]] = 1;
    return most + p->value[at];
}

int64_t hsi_pricing_most(size_t kinds, const int64_t *weight, const uint32_t *limit,
                         const int64_t *worth, int64_t capacity, int64_t *row)
{
    size_t   cells = cells_of(capacity), i, at;
    uint32_t copy;

    memset(row, 0, cells * sizeof *row);
    for (i = 0; i < kinds; i++)
        for (copy = 0; copy < limit[i] && weight[i] <= capacity - copy * weight[i]; copy++)
            for (at = cells; at-- > (size_t)weight[i];) {
                int64_t with = row[at - (size_t)weight[i]] + worth[i];

                row[at] = with > row[at] ? with : row[at];
            }
    return row[capacity];
}
