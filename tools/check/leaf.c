/* SPDX-License-Identifier: BSD-3-Clause */
/* What the leaves of a proof by cases say; the arguments stand in hsched-formats(5). */
#include "check/leaf.h"

#include <math.h>
#include <stdlib.h>

#include "check/configuration.h"
#include "check/most.h"
#include "check/patterns.h"
#include "check/search.h"
#include "common/memory.h"

#define MOST_SEARCH_NODES (UINT64_C(1) << 27)
#define MOST_LOOKS (UINT64_C(1) << 30)

static int fits(const tree *t, size_t kind, int type)
{
    return mpz_sgn(t->time[type][kind]) > 0 && mpz_cmp(t->time[type][kind], t->longest) <= 0;
}

static void add_times(mpz_t sum, const mpz_t cost, uint64_t count)
{
    mpz_addmul_ui(sum, cost, (unsigned long)count); /* below 2^32 */
}

/* sum += the least that the kind costs; 0: it cannot all be run. */
static int add_least(const tree *t, size_t kind, const mpz_t multiplier[2], mpz_t sum,
                     mpz_t cost[2])
{
    uint64_t count = t->c->kind[kind].count, low = t->low[kind], high = t->high[kind];

    if (!fits(t, kind, 0))
        high = 0;
    if (!fits(t, kind, 1))
        low = count;
    if (low > high)
        return 0;
    for (int type = 0; type < 2; type++)
        mpz_mul(cost[type], multiplier[type], t->time[type][kind]);
    add_times(sum, cost[0], low);
    add_times(sum, cost[1], count - high);
    add_times(sum, cost[mpz_cmp(cost[1], cost[0]) < 0], high - low);
    return 1;
}

/* Both over the same power of two. */
static void take_multipliers(const tree_node *node, mpz_t multiplier[2])
{
    long least = node->multiplier[0].exponent < node->multiplier[1].exponent
                     ? node->multiplier[0].exponent
                     : node->multiplier[1].exponent;

    for (int type = 0; type < 2; type++) {
        mpz_set_si(multiplier[type], node->multiplier[type].mantissa);
        mpz_mul_2exp(multiplier[type], multiplier[type],
                     (mp_bitcnt_t)(node->multiplier[type].exponent - least));
    }
}

static const char *flaw_of_multipliers(tree *t, const tree_node *node)
{
    mpz_t multiplier[2], cost[2], sum, room;
    int   possible = 1, proved;

    t->looks += t->c->kinds;
    if (t->looks > MOST_LOOKS)
        return flaw_too_large;
    mpz_inits(multiplier[0], multiplier[1], cost[0], cost[1], sum, room, NULL);
    take_multipliers(node, multiplier);
    for (size_t i = 0; i < t->c->kinds && possible; i++)
        possible = add_least(t, i, multiplier, sum, cost);
    mpz_mul_ui(room, multiplier[0], t->workers[0]);
    mpz_addmul_ui(room, multiplier[1], t->workers[1]);
    mpz_mul(room, room, t->longest);
    proved = !possible || mpz_cmp(sum, room) > 0;
    mpz_clears(multiplier[0], multiplier[1], cost[0], cost[1], sum, room, NULL);
    return proved ? NULL : "the multipliers of a case prove less than that value";
}

/* How many of a kind are of a class in the case at hand. */
static uint64_t count_of(const tree *t, size_t kind, int class)
{
    if (class == CLASS_CPU)
        return t->low[kind];
    return class == CLASS_GPU ? t->c->kind[kind].count - t->high[kind]
                              : t->high[kind] - t->low[kind];
}

static const char *flaw_of_knapsacks(tree *t, const tree_node *node)
{
    certified_kind *kind = checked_calloc(t->c->kinds * CLASSES + 1, sizeof *kind);
    configuration   k = {node->grid,
                         node->capacity,
                         {node->most[0], node->most[1]},
                         {t->workers[0], t->workers[1]},
                         0,
                         kind};
    const char     *flaw;
    mpq_t           end;

    for (size_t i = 0; i < t->c->kinds * CLASSES; i++) {
        certified_kind found = t->c->kind[i / CLASSES];
        int class = i % CLASSES;

        found.count = count_of(t, i / CLASSES, class);
        found.multiplier = t->c->worth[node->worth + i];
        if (class != CLASS_FREE)
            found.time[class == CLASS_CPU] = INFINITY;
        if (found.count)
            kind[k.kinds++] = found;
    }
    mpq_init(end);
    configuration_end(&k, end);
    flaw = mpq_cmp(end, t->longest_q) > 0 ? configuration_flaw(&k, &t->packed)
                                          : "the capacity of a case is less than the value";
    mpq_clear(end);
    free(kind);
    return flaw;
}

static cells cells_of(const mpz_t units, mp_bitcnt_t shift)
{
    mpz_t part;
    cells high;

    mpz_init(part);
    mpz_fdiv_q_2exp(part, units, shift + 40);
    high = (cells)mpz_get_ui(part) << 40;
    mpz_fdiv_q_2exp(part, units, shift);
    mpz_fdiv_r_2exp(part, part, 40);
    high += (cells)mpz_get_ui(part);
    mpz_clear(part);
    return high;
}

/* Returns how many classes there are; 0 worth: too much. */
static size_t list_classes(const tree *t, const tree_node *node, search_class *classes,
                           cells capacity, mp_bitcnt_t shift, cells *worth)
{
    size_t count = 0;

    for (size_t i = 0; i < t->c->kinds * CLASSES; i++) {
        int class = i % CLASSES;
        search_class found = {{capacity + 1, capacity + 1},
                              count_of(t, i / CLASSES, class),
                              t->c->worth[node->worth + i]};

        for (int type = 0; type < 2; type++)
            if (fits(t, i / CLASSES, type) && (class == CLASS_FREE || (class == CLASS_GPU) == type))
                found.weight[type] = cells_of(t->time[type][i / CLASSES], shift);
        *worth += (cells)found.worth * (cells)found.count;
        if (found.count && found.worth > 0) /* what is worth nothing is left out */
            classes[count++] = found;
    }
    return count;
}

/* Bits of the longest makespan beyond those that are kept. */
static mp_bitcnt_t shift_to(const tree *t, size_t kept)
{
    size_t bits = mpz_sizeinbase(t->longest, 2);

    return bits > kept ? bits - kept : 0;
}

/* Many more than it took who wrote it, but no more than are left to all searches together. */
static uint64_t most_nodes_of(const tree *t, const tree_node *node)
{
    uint64_t most = 64 * node->nodes + 65536, left = MOST_SEARCH_NODES - t->searched;

    return most < left ? most : left;
}

static const char *flaw_of_verdict(search_verdict verdict)
{
    if (verdict == SEARCH_TOO_HARD)
        return flaw_too_large;
    return verdict == SEARCH_FOUND ? "there is a schedule shorter than that" : NULL;
}

static const char *flaw_of_search(tree *t, const tree_node *node)
{
    mp_bitcnt_t    shift = shift_to(t, SEARCH_CAPACITY_BITS);
    cells          capacity = cells_of(t->longest, shift), worth = 0;
    search_class  *classes = checked_calloc(t->c->kinds * CLASSES + 1, sizeof *classes);
    search_verdict verdict = SEARCH_TOO_HARD;
    size_t         count;

    /* If only some of the tasks cannot be run in time, then all cannot. */
    count = list_classes(t, node, classes, capacity, shift, &worth);
    if (worth >> SEARCH_WORTH_BITS == 0)
        verdict = search_refute(classes, count, t->workers, capacity, most_nodes_of(t, node),
                                &t->searched);
    free(classes);
    return flaw_of_verdict(verdict);
}

enum { MOST_BITS = 59 };

/* Can no worker of the type that is not listed run tasks worth more than is said? */
static const char *flaw_of_fine(tree *t, const tree_node *node, size_t w)
{
    mp_bitcnt_t      shift = shift_to(t, MOST_BITS);
    int              fine = !node->listed;
    most_kind        kinds[SHARE_MOST_KINDS];
    int64_t          most = node->fine[w];
    size_t           count = 0;
    knapsack_verdict verdict;

    for (size_t i = 0; i < t->c->kinds; i++) {
        most_kind found = {0, t->c->worth[node->worth + i * CLASSES + w], t->c->kind[i].count};

        if (!fits(t, i, fine))
            continue;
        found.weight = (int64_t)cells_of(t->time[fine][i], shift);
        if (found.weight > 0)
            kinds[count++] = found;
        else /* a worker has room for all of them; they are worth less than 2^62 */
            most -= found.worth * (int64_t)found.count;
    }
    verdict = most_check(kinds, count, (int64_t)cells_of(t->longest, shift), most, &t->chosen);
    if (verdict == KNAPSACK_TOO_HARD)
        return flaw_too_large;
    return verdict == KNAPSACK_FAILS ? "a worker can run tasks worth more than is said" : NULL;
}

/* It proves that there is no schedule at all, whatever the case. */
static const char *flaw_of_patterns(tree *t, const tree_node *node)
{
    mp_bitcnt_t    shift = shift_to(t, SEARCH_CAPACITY_BITS);
    pattern_kind   kind[SHARE_MOST_KINDS] = {{{0}, 0, {0}}};
    pattern_search s = {t->c->kinds,
                        kind,
                        {t->workers[0], t->workers[1]},
                        cells_of(t->longest, shift),
                        node->listed,
                        {node->fine[0], node->fine[1], node->fine[2]},
                        0,
                        most_nodes_of(t, node),
                        0};
    const char    *flaw;

    if (t->c->kinds > SHARE_MOST_KINDS)
        return flaw_too_large;
    for (size_t i = 0; i < t->c->kinds; i++) {
        kind[i].count = t->c->kind[i].count;
        for (int type = 0; type < 2; type++)
            kind[i].weight[type] =
                fits(t, i, type) ? cells_of(t->time[type][i], shift) : s.capacity + 1;
        for (size_t w = 0; w < PATTERNS_WORTHS; w++)
            kind[i].worth[w] = t->c->worth[node->worth + i * CLASSES + w];
    }
    flaw = flaw_of_verdict(patterns_refute(&s));
    t->searched += s.nodes;
    t->looks += s.vectors;
    if (!flaw && t->looks > MOST_LOOKS)
        flaw = flaw_too_large;
    for (size_t w = 0; w < PATTERNS_WORTHS && !flaw && t->workers[!node->listed]; w++)
        flaw = flaw_of_fine(t, node, w);
    return flaw;
}

const char *leaf_flaw(tree *t, const tree_node *node)
{
    switch (node->step) {
    case STEP_BRANCH:
    case STEP_MULTIPLIERS:
        break;
    case STEP_CONFIGURATION:
        return flaw_of_knapsacks(t, node);
    case STEP_SEARCH:
        return flaw_of_search(t, node);
    case STEP_PATTERNS:
        return flaw_of_patterns(t, node);
    }
    return flaw_of_multipliers(t, node);
}
