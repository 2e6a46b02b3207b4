/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/graph/timeline.h"

#include <hybridsched/instance.h>

#include <math.h>
#include <string.h>

static hsi_idle_gap *gaps_of(const hsi_timeline *line)
{
    return line->gaps.data;
}

static size_t count_of(const hsi_timeline *line)
{
    return line->gaps.size / sizeof(hsi_idle_gap);
}

/* Return the first gap that ends at or after `when`. */
static size_t first_until(const hsi_timeline *line, double when)
{
    size_t low = 0, high = count_of(line);

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (gaps_of(line)[middle].end < when)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

hsi_slot_found hsi_timeline_find(const hsi_timeline *line, double arrival, double length)
{
    size_t count = count_of(line);

    if (count && gaps_of(line)[count - 1].end >= arrival + length)
        for (size_t i = first_until(line, arrival + length); i < count; i++) {
            const hsi_idle_gap *gap = &gaps_of(line)[i];
            double              start = fmax(arrival, gap->begin);

            if (start < gap->end && start + length <= gap->end)
                return (hsi_slot_found){start, i};
        }
    return (hsi_slot_found){fmax(arrival, line->end), SIZE_MAX};
}

static bool is_worth_keeping(const hsi_timeline *line, const hsi_idle_gap *gap)
{
    return gap->begin < gap->end && gap->begin + line->shortest <= gap->end;
}

/* Replace gap `at` by up to two gaps; memory must be reserved. */
static void replace(hsi_timeline *line, size_t at, const hsi_idle_gap *by, size_t count)
{
    hsi_idle_gap *gap = gaps_of(line) + at;
    size_t        behind = count_of(line) - at - 1;

    memmove(gap + count, gap + 1, behind * sizeof *gap);
    memcpy(gap, by, count * sizeof *gap);
    line->gaps.size += count * sizeof *gap;
    line->gaps.size -= sizeof *gap;
}

static void link_task(hsi_timeline *line, uint32_t before, uint32_t task, uint32_t *next)
{
    uint32_t *from = before == HS_NONE ? &line->first : &next[before];

    next[task] = *from;
    *from = task;
}

void hsi_timeline_append(hsi_timeline *line, double end, uint32_t task, uint32_t *next)
{
    link_task(line, line->last, task, next);
    line->last = task;
    line->end = end;
}

hs_status hsi_timeline_put(hsi_timeline *line, hsi_slot_found slot, double end, uint32_t task,
                           uint32_t *next)
{
    size_t kept = 0;

    if (hsi_vector_reserve(&line->gaps, sizeof(hsi_idle_gap)))
        return HS_ENOMEM;
    if (slot.gap == SIZE_MAX) {
        hsi_idle_gap idle = {line->end, slot.start, line->last};

        if (is_worth_keeping(line, &idle))
            hsi_vector_append(&line->gaps, &idle, sizeof idle);
        hsi_timeline_append(line, end, task, next);
    } else {
        hsi_idle_gap whole = gaps_of(line)[slot.gap], part[2];

        part[kept] = (hsi_idle_gap){whole.begin, slot.start, whole.before};
        kept += (size_t)is_worth_keeping(line, &part[kept]);
        part[kept] = (hsi_idle_gap){end, whole.end, task};
        kept += (size_t)is_worth_keeping(line, &part[kept]);
        replace(line, slot.gap, part, kept);
        link_task(line, whole.before, task, next);
    }
    return HS_OK;
}
