/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bin completion. Worker by worker, the next one runs the longest remaining task, and its
 * completions are tried from those that fill it exactly to those with the largest waste still
 * allowed. A completion is tried only if no task can be added, and no task or pair of tasks
 * replaced by a longer remaining task: a schedule with other tasks can be changed into one with
 * these (Martello, Toth 1990).
 *
 * The possible sums of remaining tasks are computed first, as rows of bits for the last task, the
 * last two and so on, so that every branch leads to a completion. With too many possible sums for a
 * row, bits stand for sums rounded down. Sets of tasks that could not be completed are stored.
 */
#include "refine/completion.h"

#include <stdlib.h>
#include <string.h>

#include "refine/weight_kinds.h"
#include "support/arena.h"
#include "support/hash.h"

enum {
    MOST_CELLS = 1 << 14, /* limit of the cells of a capacity; beyond, a row has less than
                             COARSE_CELLS */
    COARSE_CELLS = 1 << 12,
    MOST_TASKS = 1 << 12,   /* limit of tasks, each of which may be a level of recursion */
    MOST_WORK = 1 << 22,    /* limit of workers x kinds and of words of all rows */
    MEMORY_BYTES = 1 << 22, /* size of the stored sets */
    STEP_WORK = 16,         /* cost of a step, in about nanoseconds */
    WORK_TO_ASK = 1 << 20,  /* work between two looks at the clock, a millisecond or two */
    CERTAIN_WORKERS = 3     /* the last workers, for which no completion is skipped */
};

/* A kind of task that can complete a worker: remaining copies, now and before the worker was
 * filled. */
typedef struct choice {
    uint32_t kind, left, all;
} choice;

typedef struct filling filling;

struct hsi_completion {
    hsi_arena arena;
    size_t    n, kinds;
    unsigned  workers;
    int64_t  *weight;       /* weight of each kind, longest first */
    uint32_t *kind;         /* kind of each task */
    uint32_t *all;          /* tasks of each kind */
    uint32_t *count;        /* remaining tasks of each kind, followed by the number of remaining
                               workers */
    int64_t        sum;     /* weight of the remaining tasks */
    choice        *choices; /* `kinds` entries for each worker */
    uint32_t      *taken;   /* kinds of the placed tasks, worker after worker */
    uint32_t      *from;    /* first entry of each worker in `taken` */
    size_t         taken_count;
    uint64_t      *rows;
    const filling *rows_of;
    size_t         row_room;
    uint32_t      *memory; /* `memory_size` entries of `kinds` + 1 counts */
    size_t         memory_size;
    int64_t        remembered; /* capacity for which `memory` holds */

    /* State of the current search for a capacity. */
    hsi_completion_query *query;
    const hsi_stop       *stop;
    uint64_t              work;  /* work in nanoseconds since the last look at the clock */
    int                   shift; /* a cell stands for 2^shift units of weight */
    size_t                words; /* number of words of a row */
    bool                  cut;   /* whether completions were skipped, so that the search cannot
                                    refute */
    bool over;
};

/* A worker that is being completed. */
struct filling {
    unsigned left; /* number of remaining workers, this one included */
    choice  *choice;
    size_t   choices;
    size_t   from;         /* index of the worker's first entry in `taken` */
    int64_t  least, waste; /* range of the waste in this pass */
};

static hs_status take_memory(hsi_completion *c)
{
    c->row_room = (c->kinds + 1) * (MOST_CELLS / 64 + 1);
    c->memory_size = MEMORY_BYTES / sizeof *c->memory / (c->kinds + 1) + 1;
    if (c->memory_size > c->n * c->n)
        c->memory_size = c->n * c->n + 1;
    if ((uint64_t)c->workers * c->kinds > MOST_WORK || c->row_room > MOST_WORK)
        return HS_ETOOBIG;
    c->choices = hsi_arena_alloc(&c->arena, c->workers * c->kinds + 1, sizeof *c->choices);
    c->rows = hsi_arena_alloc(&c->arena, c->row_room, sizeof *c->rows);
    c->memory = hsi_arena_alloc(&c->arena, c->memory_size * (c->kinds + 1), sizeof *c->memory);
    return c->choices && c->rows && c->memory ? HS_OK : HS_ENOMEM;
}

hs_status hsi_completion_open(size_t count, const int64_t *weight, unsigned workers,
                              hsi_completion **out)
{
    hsi_completion *c = count > MOST_TASKS ? NULL : calloc(1, sizeof *c);
    hs_status       st = HS_ENOMEM;

    if (!c)
        return count > MOST_TASKS ? HS_ETOOBIG : HS_ENOMEM;
    c->n = count;
    c->workers = workers;
    c->weight = hsi_arena_alloc(&c->arena, count + 1, sizeof *c->weight);
    c->kind = hsi_arena_alloc(&c->arena, count + 1, sizeof *c->kind);
    c->all = hsi_arena_alloc(&c->arena, count + 1, sizeof *c->all);
    c->count = hsi_arena_alloc(&c->arena, count + 1, sizeof *c->count);
    c->taken = hsi_arena_alloc(&c->arena, count + 1, sizeof *c->taken);
    c->from = hsi_arena_alloc(&c->arena, workers + 1, sizeof *c->from);
    if (c->weight && c->kind && c->all && c->count && c->taken && c->from) {
        c->kinds = hsi_group_by_weight(c->n, weight, c->weight, c->kind, c->all);
        st = take_memory(c);
    }
    if (st != HS_OK)
        hsi_completion_close(c);
    else
        *out = c;
    return st;
}

void hsi_completion_close(hsi_completion *c)
{
    if (!c)
        return;
    hsi_arena_close(&c->arena);
    free(c);
}

/* Add `steps` to the counters; return true if time or steps are used up. */
static bool is_over(hsi_completion *c, uint64_t steps)
{
    hsi_completion_query *query = c->query;

    query->steps += steps;
    c->work += STEP_WORK * steps;
    if (c->work >= WORK_TO_ASK) {
        c->work = 0;
        c->over |= hsi_stop_is_due(c->stop);
    }
    c->over |= query->steps >= query->most_steps;
    c->cut |= c->over;
    return c->over;
}

/* to |= from << cells */
static void or_shifted(uint64_t *to, const uint64_t *from, size_t words, size_t cells)
{
    size_t   far = cells / 64, i;
    unsigned bits = cells % 64;

    for (i = words; i-- > far;) {
        uint64_t moved = from[i - far] << bits;

        if (bits && i > far)
            moved |= from[i - far - 1] >> (64 - bits);
        to[i] |= moved;
    }
}

/* Compute row i, the possible sums of the choices from i on, with what the worker has taken. The
 * rows hold for all completions of the worker. */
static void make_rows(hsi_completion *c, filling *f)
{
    size_t   i, words = c->words;
    uint32_t copy;

    memset(c->rows + f->choices * words, 0, words * sizeof *c->rows);
    c->rows[f->choices * words] = 1;
    for (i = f->choices; i-- > 0;) {
        uint64_t *row = c->rows + i * words;
        int64_t   cells = c->weight[f->choice[i].kind] >> c->shift;

        memcpy(row, row + words, words * sizeof *row);
        for (copy = 0; copy < f->choice[i].all && (uint64_t)cells < words * 64; copy++)
            or_shifted(row, copy ? row : row + words, words, (size_t)cells);
        c->work += (copy + 1) * words;
    }
    c->rows_of = f;
}

/* Return true if a bit from `low` to `high` is set. */
static bool has_bit(const uint64_t *row, size_t low, size_t high)
{
    size_t   first = low / 64, last = high / 64, i;
    uint64_t word = row[first] & (~UINT64_C(0) << (low % 64));

    for (i = first; i < last; i++) {
        if (word)
            return true;
        word = row[i + 1];
    }
    return (word & (~UINT64_C(0) >> (63 - high % 64))) != 0;
}

/* Return true if choices of kinds from `kind` on can fill `room` up to a waste in the range of
 * this pass. */
static bool can_reach(const hsi_completion *c, const filling *f, size_t kind, int64_t room)
{
    int64_t high = (room - f->least) >> c->shift, low = room - f->waste;

    if (room < f->least)
        return false;
    if (c->shift && low > 0 && f->choices > 0) /* rounding down may lose one cell per task */
        low -= (room / c->weight[f->choice[f->choices - 1].kind]) << c->shift;
    low = low > 0 ? low >> c->shift : 0;
    return has_bit(c->rows + kind * c->words, (size_t)low, (size_t)high);
}

/* Return true if a task with a weight from `least` to `most` remains. */
static bool is_left(const hsi_completion *c, int64_t least, int64_t most)
{
    size_t kind = hsi_first_kind_within_weight(c->kinds, c->weight, most);

    for (; kind < c->kinds && c->weight[kind] >= least; kind++)
        if (c->count[kind])
            return true;
    return false;
}

/* Return true if the worker could run one more task, or a longer task in place of one or two, with
 * `room` left. */
static bool is_dominated(hsi_completion *c, const filling *f, int64_t room)
{
    size_t i, j;

    if (is_left(c, 1, room))
        return true;
    for (i = f->from + 1; i < c->taken_count; i++) {
        int64_t one = c->weight[c->taken[i]];

        if (i > f->from + 1 && c->taken[i] == c->taken[i - 1])
            continue; /* the previous task has an equal weight, thus equal pairs */
        if (room > 0 && is_left(c, one + 1, one + room))
            return true;
        c->work += STEP_WORK * (c->taken_count - i);
        for (j = i + 1; j < c->taken_count; j++) {
            int64_t two = one + c->weight[c->taken[j]];

            if (is_left(c, two, two + room))
                return true;
        }
    }
    return false;
}

static hsi_verdict fill_next(hsi_completion *c, unsigned left);

static void take_task(hsi_completion *c, uint32_t kind)
{
    c->count[kind]--;
    c->sum -= c->weight[kind];
    c->taken[c->taken_count++] = kind;
}

static void put_back(hsi_completion *c)
{
    uint32_t kind = c->taken[--c->taken_count];

    c->count[kind]++;
    c->sum += c->weight[kind];
}

static bool is_left_out(hsi_completion *c, const filling *f)
{
    const hsi_completion_query *query = c->query;

    if (query->sparing == 0 || f->left <= CERTAIN_WORKERS ||
        hsi_random_below(query->random, query->sparing) > 0)
        return false;
    c->cut = true;
    return true;
}

/* Try all ways to add tasks of kinds from the given one on to the worker that reach a waste in
 * the range. */
static hsi_verdict complete_worker(hsi_completion *c, filling *f, size_t at, int64_t room)
{
    hsi_verdict verdict = HSI_REFUTED;

    if (is_over(c, 1))
        return HSI_STOPPED;
    if (room <= f->waste && !is_dominated(c, f, room) && !is_left_out(c, f))
        verdict = fill_next(c, f->left - 1);
    for (; verdict == HSI_REFUTED && at < f->choices; at++) {
        uint32_t kind = f->choice[at].kind;

        c->work++;
        if (f->choice[at].left == 0 || c->weight[kind] > room - f->least)
            continue;
        if (c->rows_of != f)
            make_rows(c, f);
        if (!can_reach(c, f, at, room))
            break;
        f->choice[at].left--;
        take_task(c, kind);
        verdict = complete_worker(c, f, at, room - c->weight[kind]);
        if (verdict == HSI_FOUND)
            return verdict;
        put_back(c);
        f->choice[at].left++;
    }
    return verdict;
}

static size_t list_choices(const hsi_completion *c, int64_t room, choice *to)
{
    size_t kind, count = 0;

    for (kind = hsi_first_kind_within_weight(c->kinds, c->weight, room); kind < c->kinds; kind++)
        if (c->count[kind])
            to[count++] = (choice){(uint32_t)kind, c->count[kind], c->count[kind]};
    return count;
}

/* Return a lower bound of the waste that choices of kinds from `kind` on leave in `room`. */
static int64_t least_waste(const hsi_completion *c, size_t kind, int64_t room)
{
    const uint64_t *row = c->rows + kind * c->words;
    size_t          cell = (size_t)(room >> c->shift), word = cell / 64;
    uint64_t        bits = row[word] & (~UINT64_C(0) >> (63 - cell % 64));
    int64_t         tasks = c->shift ? room / c->weight[c->kinds - 1] + 1 : 0, waste;

    while (bits == 0)
        bits = row[--word]; /* the bit of the empty sum is always set */
    cell = word * 64 + 63 - (size_t)__builtin_clzll(bits);
    waste = room - (((int64_t)cell + tasks) << c->shift);
    return waste > 0 ? waste : 0;
}

/* Return true if the tasks longer than half of the capacity, each on its own worker, waste more
 * than `most` in total. */
static bool wastes_too_much(const hsi_completion *c, const filling *f, int64_t most)
{
    size_t  kind, at = f->choices;
    int64_t capacity = c->query->capacity, waste = 0;

    if (most < 0)
        return true;
    for (kind = hsi_first_kind_within_weight(c->kinds, c->weight, capacity / 2); kind-- > 0;) {
        int64_t room = capacity - c->weight[kind];

        if (c->count[kind] == 0)
            continue;
        while (at > 0 && c->weight[f->choice[at - 1].kind] <= room)
            at--;
        waste += c->count[kind] * least_waste(c, at, room);
        if (waste > most)
            return true;
    }
    return false;
}

/* Return the room beside the shortest remaining task longer than half of the capacity, or else
 * beside the longest task. */
static int64_t most_room(const hsi_completion *c)
{
    size_t kind = hsi_first_kind_within_weight(c->kinds, c->weight, c->query->capacity / 2);

    while (kind > 0 && c->count[kind - 1] == 0)
        kind--;
    return c->query->capacity - c->weight[kind > 0 ? kind - 1 : c->taken[c->taken_count - 1]];
}

static hsi_verdict fill_worker(hsi_completion *c, unsigned left)
{
    unsigned    number = c->workers - left;
    __int128_t  sum = c->sum;
    int64_t     capacity = c->query->capacity, room, most;
    hsi_verdict verdict = HSI_REFUTED;
    uint32_t    longest = 0;
    size_t      first = 0;
    filling f = {.left = left, .choice = c->choices + number * c->kinds, .from = c->taken_count};

    c->rows_of = NULL; /* rows of a filling at the same address are outdated */
    while (c->count[longest] == 0)
        longest++;
    room = capacity - c->weight[longest];
    c->from[number] = (uint32_t)c->taken_count;
    take_task(c, longest);
    f.choices = list_choices(c, most_room(c), f.choice);
    while (first < f.choices && c->weight[f.choice[first].kind] > room)
        first++;
    if (is_over(c, f.choices * c->words / 32 + 1))
        verdict = HSI_STOPPED;
    sum = (__int128_t)left * capacity - sum;
    most = sum < room ? (int64_t)sum : room;
    if (sum < INT64_MAX) {
        make_rows(c, &f);
        if (wastes_too_much(c, &f, (int64_t)sum - least_waste(c, first, room)))
            most = -1;
    }
    for (; verdict == HSI_REFUTED && f.least <= most; f.least = f.waste + 1) {
        f.waste = 2 * f.least < most ? 2 * f.least : most;
        if (c->rows_of != &f)
            make_rows(c, &f);
        if (can_reach(c, &f, first, room))
            verdict = complete_worker(c, &f, first, room);
    }
    if (verdict != HSI_FOUND)
        put_back(c);
    return verdict;
}

static uint32_t *place_of(const hsi_completion *c)
{
    uint64_t hash = hsi_hash((const char *)c->count, (c->kinds + 1) * sizeof *c->count, 1);

    return c->memory + hash % c->memory_size * (c->kinds + 1);
}

/* Distribute the remaining tasks over `left` workers. */
static hsi_verdict fill_next(hsi_completion *c, unsigned left)
{
    size_t      bytes = (c->kinds + 1) * sizeof *c->count;
    bool        cut = c->cut;
    uint32_t   *place;
    hsi_verdict verdict;

    if (c->sum <= c->query->capacity && (left > 0 || c->sum == 0)) {
        if (left > 0)
            c->from[c->workers - left] = (uint32_t)c->taken_count;
        for (size_t i = 0; i < c->kinds; i++)
            while (c->count[i])
                take_task(c, (uint32_t)i);
        while (left > 1)
            c->from[c->workers - --left] = (uint32_t)c->taken_count;
        return HSI_FOUND;
    }
    if (c->sum > (__int128_t)left * c->query->capacity)
        return HSI_REFUTED;
    c->work += bytes;
    c->count[c->kinds] = left;
    place = place_of(c);
    if (memcmp(place, c->count, bytes) == 0)
        return HSI_REFUTED;
    c->cut = false;
    verdict = fill_worker(c, left);
    c->count[c->kinds] = left;
    if (verdict == HSI_REFUTED && !c->cut)
        memcpy(place_of(c), c->count, bytes);
    c->cut |= cut;
    return verdict;
}

/* Write the worker of each task: the tasks of each kind in turn, in the order of `taken`. */
static void write_workers(const hsi_completion *c, uint32_t *worker)
{
    unsigned  at;
    size_t    i;
    uint32_t *next = c->memory; /* the array is no longer needed: it now holds the next task of
                                   each kind */

    memset(next, 0, c->kinds * sizeof *next);
    for (at = 0; at < c->workers; at++) {
        size_t end = at + 1 < c->workers ? c->from[at + 1] : c->taken_count;

        for (i = c->from[at]; i < end; i++) {
            uint32_t *task = &next[c->taken[i]];

            while (c->kind[*task] != c->taken[i])
                ++*task;
            worker[(*task)++] = at;
        }
    }
}

hsi_verdict hsi_completion_search(hsi_completion *c, hsi_completion_query *query,
                                  const hsi_stop *stop)
{
    hsi_verdict verdict;
    size_t      i;

    c->query = query;
    c->stop = stop;
    query->steps = 0;
    c->work = 0;
    c->cut = c->over = false;
    c->taken_count = 0;
    memcpy(c->count, c->all, c->kinds * sizeof *c->count);
    for (c->sum = 0, i = 0; i < c->kinds; i++)
        c->sum += c->weight[i] * c->count[i];
    if (c->kinds > 0 && (c->weight[0] > query->capacity || c->workers == 0))
        return HSI_REFUTED;
    for (c->shift = 0; query->capacity >> c->shift >= (c->shift ? COARSE_CELLS : MOST_CELLS);)
        c->shift++;
    c->words = (size_t)(query->capacity >> c->shift) / 64 + 1;
    if (query->capacity != c->remembered)
        memset(c->memory, 0xff, c->memory_size * (c->kinds + 1) * sizeof *c->memory);
    c->remembered = query->capacity;
    verdict = fill_next(c, c->workers);
    if (verdict == HSI_FOUND) {
        write_workers(c, query->worker);
        c->remembered = 0;
    }
    return verdict == HSI_REFUTED && c->cut ? HSI_STOPPED : verdict;
}
