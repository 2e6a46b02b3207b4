/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The workers of the listed type are each given a maximal pattern, a vector of counts that
 * fits and to which nothing can be added; whatever a worker runs is part of one, and takes
 * no more from the others. So worker by worker the sets of tasks are listed that can be left:
 * which patterns were given, and in what order, does not matter. What is left behind the
 * last one is for the workers of the other type to share.
 *
 * A set is dropped if it is worth more, in any of the ways to value tasks, than all workers
 * to come can run.
 */
#include "check/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

enum { MOST_PATTERNS = 1 << 16, MOST_VECTORS = 1 << 24, MOST_SETS = 1 << 22 };

typedef struct pattern {
    uint32_t take[SHARE_MOST_KINDS];
    int64_t  worth[PATTERNS_WORTHS];
} pattern;

/* Sets of tasks, each as a number whose digits are the counts. */
typedef struct sets {
    uint64_t *at;
    size_t    count, room;
} sets;

typedef struct left {
    uint32_t rest[SHARE_MOST_KINDS];
    cells    worth[PATTERNS_WORTHS];
} left;

typedef struct state {
    pattern_search *s;
    pattern        *patterns;
    size_t          count;
    uint64_t        vectors;               /* that were looked at for them, whole or not */
    int64_t         most[PATTERNS_WORTHS]; /* of a pattern */
    sets            now, next;
    share           others;
    search_verdict  verdict;
} state;

static uint64_t number_of(const pattern_search *s, const left *l)
{
    uint64_t number = 0;

    for (size_t i = 0; i < s->kinds; i++)
        number = number * (s->kind[i].count + 1) + l->rest[i];
    return number;
}

static void rest_of(const pattern_search *s, uint64_t number, left *l)
{
    memset(l->worth, 0, sizeof l->worth);
    for (size_t i = s->kinds; i-- > 0; number /= s->kind[i].count + 1) {
        l->rest[i] = (uint32_t)(number % (s->kind[i].count + 1));
        for (int w = 0; w < PATTERNS_WORTHS; w++)
            l->worth[w] += (cells)s->kind[i].worth[w] * l->rest[i];
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void drop_repeated(sets *list)
{
    size_t kept = 0;

    if (list->count == 0)
        return;
    qsort(list->at, list->count, sizeof *list->at, by_value);
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || list->at[i] != list->at[kept - 1])
            list->at[kept++] = list->at[i];
    list->count = kept;
}

static void grow(sets *list)
{
    size_t    room = list->room ? 2 * list->room : 1024;
    uint64_t *larger = checked_calloc(room, sizeof *larger);

    if (list->count)
        memcpy(larger, list->at, list->count * sizeof *larger);
    free(list->at);
    list->at = larger;
    list->room = room;
}

/* 0: there are too many. */
static int add_set(sets *list, uint64_t number)
{
    if (list->count == list->room) {
        drop_repeated(list);
        if (list->count > MOST_SETS)
            return 0;
        if (2 * list->count >= list->room)
            grow(list);
    }
    list->at[list->count++] = number;
    return 1;
}

static int is_maximal(const pattern_search *s, const pattern *p, cells room)
{
    for (size_t i = 0; i < s->kinds; i++)
        if (p->take[i] < s->kind[i].count && s->kind[i].weight[s->listed] <= room)
            return 0;
    return 1;
}

static void keep_pattern(state *st, const pattern *p)
{
    pattern *kept = &st->patterns[st->count++];

    *kept = *p;
    for (int w = 0; w < PATTERNS_WORTHS; w++) {
        kept->worth[w] = 0;
        for (size_t i = 0; i < st->s->kinds; i++)
            kept->worth[w] += st->s->kind[i].worth[w] * p->take[i];
        if (kept->worth[w] > st->most[w])
            st->most[w] = kept->worth[w];
    }
}

static void list_patterns(state *st, pattern *p, size_t kind, cells room)
{
    const pattern_search *s = st->s;
    cells                 weight;
    uint64_t              copies, least;

    if (st->verdict != SEARCH_REFUTED)
        return;
    if (++st->vectors > MOST_VECTORS || st->count == MOST_PATTERNS) {
        st->verdict = SEARCH_TOO_HARD;
        return;
    }
    if (kind == s->kinds) {
        if (is_maximal(s, p, room))
            keep_pattern(st, p);
        return;
    }
    weight = s->kind[kind].weight[s->listed];
    copies = room / weight < (cells)s->kind[kind].count ? (uint64_t)(room / weight)
                                                        : s->kind[kind].count;
    least = kind + 1 < s->kinds ? 0 : copies; /* of the last one all that fit */
    for (;; copies--) {
        p->take[kind] = (uint32_t)copies;
        list_patterns(st, p, kind + 1, room - weight * (cells)copies);
        if (copies == least)
            return;
    }
}

static int by_worth(const void *a, const void *b)
{
    const pattern *x = a, *y = b;

    return (x->worth[0] < y->worth[0]) - (x->worth[0] > y->worth[0]);
}

/* What so many workers of the listed type, and all others, can run is worth. */
static cells reach(const state *st, unsigned workers, int w)
{
    return (cells)st->most[w] * workers + (cells)st->s->most[w] * st->s->workers[!st->s->listed];
}

/* What is left once the pattern is taken; 0: more than the `workers` to come can run. */
static int give(const state *st, const left *from, const pattern *p, unsigned workers, left *to)
{
    memcpy(to->worth, from->worth, sizeof to->worth);
    for (size_t i = 0; i < st->s->kinds; i++) {
        uint32_t taken = p->take[i] < from->rest[i] ? p->take[i] : from->rest[i];

        to->rest[i] = from->rest[i] - taken;
        for (int w = 0; w < PATTERNS_WORTHS; w++)
            to->worth[w] -= (cells)st->s->kind[i].worth[w] * taken;
    }
    for (int w = 0; w < PATTERNS_WORTHS; w++)
        if (to->worth[w] > reach(st, workers, w))
            return 0;
    return 1;
}

/* Gives the next worker every pattern in turn; so many are to come behind it. */
static void give_all(state *st, const left *from, unsigned workers)
{
    cells least = from->worth[0] - reach(st, workers, 0);
    left  to = {{0}, {0}};

    for (size_t i = 0; i < st->count && st->patterns[i].worth[0] >= least; i++) {
        if (++st->s->nodes > st->s->most_nodes || (give(st, from, &st->patterns[i], workers, &to) &&
                                                   !add_set(&st->next, number_of(st->s, &to)))) {
            st->verdict = SEARCH_TOO_HARD;
            return;
        }
    }
}

static void give_patterns(state *st)
{
    pattern_search *s = st->s;

    for (unsigned workers = s->workers[s->listed]; workers > 0; workers--) {
        sets swap = st->now;

        for (size_t i = 0; i < st->now.count && st->verdict == SEARCH_REFUTED; i++) {
            left from;

            rest_of(s, st->now.at[i], &from);
            give_all(st, &from, workers - 1);
        }
        drop_repeated(&st->next);
        st->now = st->next;
        st->next = swap;
        st->next.count = 0;
    }
}

static void share_what_is_left(state *st)
{
    pattern_search *s = st->s;

    for (size_t i = 0; i < st->now.count && st->verdict == SEARCH_REFUTED; i++) {
        left          l;
        share_verdict verdict;

        rest_of(s, st->now.at[i], &l);
        st->others.nodes = s->nodes;
        verdict = share_search(&st->others, s->workers[!s->listed], l.rest);
        s->nodes = st->others.nodes;
        if (verdict != SHARE_IMPOSSIBLE)
            st->verdict = verdict == SHARE_FOUND ? SEARCH_FOUND : SEARCH_TOO_HARD;
    }
}

static const double most_worth = 0x1p61, most_numbers = 0x1p62; /* both fit in 64 bits */

/* Every weight is something, and nothing overflows. */
static int is_within_limits(const pattern_search *s)
{
    double numbers = 1, worth[PATTERNS_WORTHS] = {0};
    int    within = s->kinds <= SHARE_MOST_KINDS && s->workers[0] <= SHARE_MOST_WORKERS &&
                 s->workers[1] <= SHARE_MOST_WORKERS;

    for (size_t i = 0; i < s->kinds && within; i++) {
        const pattern_kind *kind = &s->kind[i];

        numbers *= (double)kind->count + 1;
        within = numbers < most_numbers && kind->weight[0] > 0 && kind->weight[1] > 0;
        for (int w = 0; w < PATTERNS_WORTHS && within; w++) {
            worth[w] += (double)kind->worth[w] * (double)kind->count;
            within = worth[w] < most_worth;
        }
    }
    return within;
}

search_verdict patterns_refute(pattern_search *s)
{
    state   st = {.s = s, .verdict = SEARCH_REFUTED};
    pattern none = {{0}, {0}};
    left    all = {{0}, {0}};

    s->nodes = s->vectors = 0;
    if (!is_within_limits(s))
        return SEARCH_TOO_HARD;
    st.others = (share){.kinds = s->kinds, .capacity = s->capacity, .most_nodes = s->most_nodes};
    for (size_t i = 0; i < s->kinds; i++) {
        st.others.weight[i] = s->kind[i].weight[!s->listed];
        all.rest[i] = (uint32_t)s->kind[i].count;
    }
    st.patterns = checked_calloc(MOST_PATTERNS, sizeof *st.patterns);
    list_patterns(&st, &none, 0, s->capacity);
    qsort(st.patterns, st.count, sizeof *st.patterns, by_worth);
    add_set(&st.now, number_of(s, &all));
    give_patterns(&st);
    share_what_is_left(&st);
    s->vectors = st.vectors;
    free(st.patterns);
    free(st.now.at);
    free(st.next.at);
    return st.verdict;
}
