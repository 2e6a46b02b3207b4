/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/seen_schedules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 16, MOST_BYTES = 1 << 27 };

/* A partial schedule; `time` has the workers' free times and the ends of outputs still needed,
 * followed by the places of these outputs. */
typedef struct entry {
    struct entry *next;
    uint64_t      done;
    hsi_sum       starts;
    double        last;
    uint32_t      position;
    uint32_t      ends; /* number of outputs */
    double        time[];
} entry;

struct hsi_seen {
    const hsi_windows *w;
    uint32_t           workers;
    entry             *slot[SLOTS];
    hsi_arena          arena;
    entry             *scratch; /* entry of the partial schedule being tested */
    uint64_t           next[HSI_SCHEDULE_TREE_TASKS]; /* bits of each task's direct successors */
};

static uint32_t *places_of(const hsi_seen *seen, entry *e)
{
    return (uint32_t *)(e->time + seen->workers + e->ends);
}

static size_t bytes_of(const hsi_seen *seen, size_t ends)
{
    return sizeof(entry) + (seen->workers + ends) * sizeof(double) + ends * sizeof(uint32_t);
}

hs_status hsi_seen_open(const hsi_windows *w, hsi_seen **out)
{
    const hsi_arcs *arcs = w->arcs;
    hsi_seen       *seen = calloc(1, sizeof *seen);

    if (!seen)
        return HS_ENOMEM;
    seen->w = w;
    seen->workers = arcs->pb->m + arcs->pb->k;
    for (uint32_t task = 0; task < w->n; task++)
        for (size_t i = arcs->after_at[task]; i < arcs->after_at[task + 1]; i++)
            seen->next[task] |= 1ull << arcs->after[i].task;
    seen->scratch = malloc(bytes_of(seen, HSI_SCHEDULE_TREE_TASKS));
    if (!seen->scratch) {
        hsi_seen_close(seen);
        return HS_ENOMEM;
    }
    *out = seen;
    return HS_OK;
}

void hsi_seen_close(hsi_seen *seen)
{
    if (!seen)
        return;
    hsi_arena_close(&seen->arena);
    free(seen->scratch);
    free(seen);
}

/* Sort the few times of a place's workers, increasing. */
static void sort_times(double *time, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        double   moved = time[i];
        uint32_t at = i;

        for (; at > 0 && time[at - 1] > moved; at--)
            time[at] = time[at - 1];
        time[at] = moved;
    }
}

static void describe_partial(hsi_seen *seen, const hsi_partial *partial)
{
    const hsi_arcs *arcs = seen->w->arcs;
    entry          *e = seen->scratch;
    uint32_t        at[HSI_SCHEDULE_TREE_TASKS];

    e->ends = 0;
    for (uint32_t task = 0; task < seen->w->n; task++)
        if (partial->done >> task & 1 && seen->next[task] & ~partial->done)
            at[e->ends++] = task;
    for (uint32_t i = 0; i < seen->workers; i++)
        e->time[i] = fmax(partial->free_at[i], partial->last);
    for (uint32_t place = 0; place < arcs->places; place++)
        sort_times(e->time + hsi_first_worker_at(arcs, place), hsi_workers_at(arcs, place));
    for (uint32_t i = 0; i < e->ends; i++) {
        e->time[seen->workers + i] = partial->end[at[i]];
        places_of(seen, e)[i] = at[i] << 26 | partial->place[at[i]];
    }
}

/* Return true if an output made at `where` reaches every place at least as early as from `than`. */
static bool is_made_earlier(const hsi_seen *seen, uint32_t where, double end, uint32_t than,
                            double later)
{
    uint32_t task = where >> 26;
    int      type = (where & 0x3ffffff) == 0 ? HS_CPU : HS_GPU;

    return end <= later && (where == than || end + seen->w->leaving[task][type] <= later);
}

static bool is_no_better(const hsi_seen *seen, entry *e, entry *by)
{
    hsi_sum rest = e->starts;

    if (by->done != e->done || by->last > e->last ||
        (by->last == e->last && by->position > e->position))
        return false;
    for (uint32_t i = 0; i < seen->workers; i++)
        if (by->time[i] > e->time[i])
            return false;
    for (uint32_t i = 0; i < e->ends; i++)
        if (!is_made_earlier(seen, places_of(seen, by)[i], by->time[seen->workers + i],
                             places_of(seen, e)[i], e->time[seen->workers + i]))
            return false;
    hsi_sum_add(&rest, -by->starts.high);
    hsi_sum_add(&rest, -by->starts.low);
    rest.error += by->starts.error;
    return hsi_sum_surely_nonnegative(&rest);
}

static void store_description(hsi_seen *seen, entry **slot)
{
    size_t bytes = bytes_of(seen, seen->scratch->ends);
    entry *kept;

    if (seen->arena.used + bytes > MOST_BYTES)
        return;
    kept = hsi_arena_take(&seen->arena, 1, bytes);
    if (!kept)
        return;
    memcpy(kept, seen->scratch, bytes);
    kept->next = *slot;
    *slot = kept;
}

bool hsi_seen_is_dominated(hsi_seen *seen, const hsi_partial *partial, uint32_t position,
                           const hsi_sum *starts)
{
    entry  *e = seen->scratch;
    entry **slot = &seen->slot[partial->done * 0x9e3779b97f4a7c15 >> 48];

    describe_partial(seen, partial);
    e->done = partial->done;
    e->starts = *starts;
    e->last = partial->last;
    e->position = position;
    for (entry *by = *slot; by; by = by->next)
        if (is_no_better(seen, e, by))
            return true;
    store_description(seen, slot);
    return false;
}
