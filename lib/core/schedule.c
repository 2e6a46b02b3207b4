/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/schedule_impl.h"
#include "support/pages.h"

hs_schedule *hsi_schedule_new(void)
{
    return calloc(1, sizeof(hs_schedule));
}

/* Reallocate an array without keeping its content; NULL: out of memory. */
static void *make_room(void *array, size_t *room, size_t count, size_t size)
{
    if (array && count <= *room)
        return array;
    free(array);
    array = hsi_large_pages_alloc((count ? count : 1) * size);
    *room = array ? count : 0;
    return array;
}

hs_status hsi_schedule_make_room(hs_schedule *s, unsigned cpus, unsigned gpus, size_t size)
{
    size_t workers = (size_t)cpus + gpus;

    s->cpus = s->gpus = 0;
    s->makespan = 0;
    s->transfers.size = 0;
    s->first = make_room(s->first, &s->first_room, workers + 1, sizeof *s->first);
    s->entries = make_room(s->entries, &s->entry_room, size, sizeof *s->entries);
    if (!s->first || !s->entries)
        return HS_ENOMEM;
    memset(s->first, 0, (workers + 1) * sizeof *s->first);
    s->cpus = cpus;
    s->gpus = gpus;
    return HS_OK;
}

hs_status hsi_schedule_create(unsigned cpus, unsigned gpus, size_t size, hs_schedule **out)
{
    hs_schedule *s = hsi_schedule_new();
    hs_status    st = s ? hsi_schedule_make_room(s, cpus, gpus, size) : HS_ENOMEM;

    if (st == HS_OK)
        *out = s;
    else
        hs_schedule_free(s);
    return st;
}

void hsi_schedule_counts_to_starts(hs_schedule *s)
{
    unsigned w, workers = s->cpus + s->gpus;

    for (w = 0; w < workers; w++)
        s->first[w + 1] += s->first[w];
}

void hs_schedule_free(hs_schedule *s)
{
    if (!s)
        return;
    free(s->first);
    free(s->entries);
    hsi_vector_free(&s->transfers);
    free(s);
}

/* An entry with its original position: equal times keep the given order. */
typedef struct given_entry {
    hs_entry entry;
    size_t   position;
} given_entry;

static int by_time(const void *a, const void *b)
{
    const given_entry *x = a, *y = b;

    if (x->entry.start != y->entry.start)
        return x->entry.start < y->entry.start ? -1 : 1;
    if (x->entry.end != y->entry.end)
        return x->entry.end < y->entry.end ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static hs_status check_placements(unsigned workers, size_t count, const hs_placement *placements)
{
    size_t i;

    for (i = 0; i < count; i++) {
        const hs_placement *pl = &placements[i];

        if (pl->worker >= workers || pl->state > HS_ABORTED)
            return HS_EINVAL;
        if (!(pl->start >= 0) || !(pl->end >= pl->start) || isinf(pl->end))
            return HS_EINVAL;
    }
    return HS_OK;
}

/* Copy the entries and fill first[], without a second array per worker: workers may be many. */
static void copy_given(hs_schedule *s, size_t count, const hs_placement *placements)
{
    unsigned workers = s->cpus + s->gpus;
    size_t   i;

    for (i = 0; i < count; i++)
        if (placements[i].worker + 1 < workers)
            s->first[placements[i].worker + 2]++;
    hsi_schedule_counts_to_starts(s); /* first[w + 1] begins as the start of worker w's entries, and
                                   is finally the end */
    for (i = 0; i < count; i++) {
        const hs_placement *pl = &placements[i];

        s->entries[s->first[pl->worker + 1]++] =
            (hs_entry){pl->start, pl->end, pl->task, pl->state};
        if (pl->end > s->makespan)
            s->makespan = pl->end;
    }
}

static bool is_sorted(const hs_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const hs_entry *a = &entries[i - 1], *b = &entries[i];

        if (b->start < a->start || (b->start == a->start && b->end < a->end))
            return false;
    }
    return true;
}

/* Sort a worker's entries; they are usually in order already. */
static hs_status sort_entries(hs_entry *entries, size_t count)
{
    given_entry *given;

    if (is_sorted(entries, count))
        return HS_OK;
    given = malloc(count * sizeof *given);
    if (!given)
        return HS_ENOMEM;
    for (size_t i = 0; i < count; i++)
        given[i] = (given_entry){entries[i], i};
    qsort(given, count, sizeof *given, by_time);
    for (size_t i = 0; i < count; i++)
        entries[i] = given[i].entry;
    free(given);
    return HS_OK;
}

hs_status hs_schedule_build(unsigned cpus, unsigned gpus, size_t count,
                            const hs_placement *placements, hs_schedule **out)
{
    hs_schedule *s = NULL;
    hs_status    st;

    if (!out || (count && !placements) || cpus > HS_MAX_WORKERS || gpus > HS_MAX_WORKERS ||
        cpus + gpus == 0)
        return HS_EINVAL;
    st = check_placements(cpus + gpus, count, placements);
    if (st == HS_OK)
        st = hsi_schedule_create(cpus, gpus, count, &s);
    if (st != HS_OK)
        return st;
    copy_given(s, count, placements);
    for (unsigned w = 0; w < cpus + gpus && st == HS_OK; w++)
        st = sort_entries(s->entries + s->first[w], s->first[w + 1] - s->first[w]);
    if (st == HS_OK)
        *out = s;
    else
        hs_schedule_free(s);
    return st;
}

unsigned hs_schedule_cpus(const hs_schedule *s)
{
    return s->cpus;
}

unsigned hs_schedule_gpus(const hs_schedule *s)
{
    return s->gpus;
}

double hs_schedule_makespan(const hs_schedule *s)
{
    return s->makespan;
}

size_t hs_schedule_entry_count(const hs_schedule *s)
{
    return s->first[s->cpus + s->gpus];
}

const hs_entry *hs_schedule_entries(const hs_schedule *s, unsigned worker, size_t *count)
{
    *count = s->first[worker + 1] - s->first[worker];
    return s->entries + s->first[worker];
}

static int by_where_to(const void *a, const void *b)
{
    const hs_transfer *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->data != y->data)
        return x->data < y->data ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

const hs_transfer *hsi_sort_transfers(hsi_vector *list, size_t *count)
{
    *count = list->size / sizeof(hs_transfer);
    if (*count > 0)
        qsort(list->data, *count, sizeof(hs_transfer), by_where_to);
    return *count > 0 ? list->data : NULL;
}

void hsi_schedule_move_transfers(hs_schedule *s, hsi_vector *list)
{
    size_t count;

    hsi_vector_free(&s->transfers);
    s->transfers = *list;
    *list = (hsi_vector){0};
    hsi_sort_transfers(&s->transfers, &count);
}

const hs_transfer *hs_schedule_transfers(const hs_schedule *s, size_t *count)
{
    *count = s->transfers.size / sizeof(hs_transfer);
    return *count > 0 ? s->transfers.data : NULL;
}

void hs_worker_name(unsigned cpus, unsigned worker, char name[16])
{
    if (worker < cpus)
        snprintf(name, 16, "cpu%u", worker);
    else
        snprintf(name, 16, "gpu%u", worker - cpus);
}
