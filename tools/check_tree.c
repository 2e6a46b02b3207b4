/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proofs by cases; the arguments stand in hsched-formats(5). All times are counted in
 * units of 2^exponent here, in which they and the value are whole numbers. Makespans are
 * sums of times, so the longest one below the value is a multiple of the largest power of
 * two of which all times are multiples: whoever refutes that one and all shorter ones proves
 * the value.
 */
#include "check_tree.h"

#include <math.h>
#include <stdlib.h>

#include "check_configuration.h"
#include "check_search.h"
#include "common/memory.h"

#define MOST_SEARCH_NODES (UINT64_C(1) << 26)
#define MOST_LOOKS (UINT64_C(1) << 30)

typedef struct tree {
    const certificate *c;
    unsigned           workers[2];
    long               exponent;
    mpz_t             *time[2];    /* of each kind; -1: cannot run there */
    mpz_t              longest;    /* makespan that is to be refuted */
    mpq_t              longest_q;  /* the same, not in units */
    uint64_t          *low, *high; /* of each kind: how many run on CPUs in the case at hand */
    uint64_t           looks, searched;
} tree;

/* ---- whole numbers --------------------------------------------------------------------- */

/* Of the largest power of two of which x is a multiple; x is a double, and not 0. */
static long exponent_of(const mpq_t x)
{
    if (mpz_cmp_ui(mpq_denref(x), 1) > 0)
        return -(long)mpz_scan1(mpq_denref(x), 0);
    return (long)mpz_scan1(mpq_numref(x), 0);
}

static long least_exponent_of_times(const certificate *c)
{
    long  least = 0;
    int   found = 0;
    mpq_t time;

    mpq_init(time);
    for (size_t i = 0; i < 2 * c->kinds; i++) {
        double seconds = c->kind[i / 2].time[i % 2];

        if (isinf(seconds))
            continue;
        mpq_set_d(time, seconds);
        if (!found || exponent_of(time) < least)
            least = exponent_of(time);
        found = 1;
    }
    mpq_clear(time);
    return least;
}

/* x over 2^exponent, which is whole. */
static void in_units(mpz_t out, const mpq_t x, long exponent)
{
    mpq_t scaled;

    mpq_init(scaled);
    if (exponent >= 0)
        mpq_div_2exp(scaled, x, (mp_bitcnt_t)exponent);
    else
        mpq_mul_2exp(scaled, x, (mp_bitcnt_t)-exponent);
    mpz_set(out, mpq_numref(scaled));
    mpq_clear(scaled);
}

static void find_longest(tree *t, long unit)
{
    mpz_t one;

    mpz_init_set_ui(one, 1);
    mpz_mul_2exp(one, one, (mp_bitcnt_t)(unit - t->exponent));
    in_units(t->longest, t->c->value, t->exponent);
    mpz_cdiv_q(t->longest, t->longest, one);
    mpz_sub_ui(t->longest, t->longest, 1);
    mpz_mul(t->longest, t->longest, one);
    mpz_clear(one);
    mpq_set_z(t->longest_q, t->longest);
    if (t->exponent >= 0)
        mpq_mul_2exp(t->longest_q, t->longest_q, (mp_bitcnt_t)t->exponent);
    else
        mpq_div_2exp(t->longest_q, t->longest_q, (mp_bitcnt_t)-t->exponent);
}

static void open_tree(tree *t, const certificate *c, const hs_instance *in)
{
    long  unit = least_exponent_of_times(c), of_value = exponent_of(c->value);
    mpq_t time;

    t->c = c;
    t->workers[0] = hs_instance_cpus(in);
    t->workers[1] = hs_instance_gpus(in);
    t->exponent = unit < of_value ? unit : of_value;
    mpz_init(t->longest);
    mpq_inits(time, t->longest_q, NULL);
    find_longest(t, unit);
    for (int type = 0; type < 2; type++) {
        t->time[type] = checked_calloc(c->kinds + 1, sizeof *t->time[type]);
        for (size_t i = 0; i < c->kinds; i++) {
            mpz_init_set_si(t->time[type][i], -1);
            if (isinf(c->kind[i].time[type]))
                continue;
            mpq_set_d(time, c->kind[i].time[type]);
            in_units(t->time[type][i], time, t->exponent);
        }
    }
    mpq_clear(time);
    t->low = checked_calloc(c->kinds + 1, sizeof *t->low);
    t->high = checked_calloc(c->kinds + 1, sizeof *t->high);
    for (size_t i = 0; i < c->kinds; i++)
        t->high[i] = c->kind[i].count;
}

static void close_tree(tree *t)
{
    for (int type = 0; type < 2; type++) {
        for (size_t i = 0; i < t->c->kinds; i++)
            mpz_clear(t->time[type][i]);
        free(t->time[type]);
    }
    mpz_clear(t->longest);
    mpq_clear(t->longest_q);
    free(t->low);
    free(t->high);
}

static int fits(const tree *t, size_t kind, int type)
{
    return mpz_sgn(t->time[type][kind]) > 0 && mpz_cmp(t->time[type][kind], t->longest) <= 0;
}

/* ---- leaves: multipliers ----------------------------------------------------------------- */

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

/* ---- leaves: knapsacks and searches ------------------------------------------------------- */

/* How many of a kind are of a class in the case at hand. */
static uint64_t count_of(const tree *t, size_t kind, int class)
{
    if (class == CLASS_CPU)
        return t->low[kind];
    return class == CLASS_GPU ? t->c->kind[kind].count - t->high[kind]
                              : t->high[kind] - t->low[kind];
}

static const char *flaw_of_knapsacks(const tree *t, const tree_node *node)
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
    flaw = mpq_cmp(end, t->longest_q) > 0 ? configuration_flaw(&k)
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

static const char *flaw_of_search(tree *t, const tree_node *node)
{
    size_t         bits = mpz_sizeinbase(t->longest, 2), count;
    mp_bitcnt_t    shift = bits > SEARCH_CAPACITY_BITS ? bits - SEARCH_CAPACITY_BITS : 0;
    cells          capacity = cells_of(t->longest, shift), worth = 0;
    search_class  *classes = checked_calloc(t->c->kinds * CLASSES + 1, sizeof *classes);
    search_verdict verdict = SEARCH_TOO_HARD;
    uint64_t       most_nodes = 64 * node->nodes + 65536;

    t->searched += most_nodes;
    /* If only some of the tasks cannot be run in time, then all cannot. */
    count = list_classes(t, node, classes, capacity, shift, &worth);
    if (worth >> SEARCH_WORTH_BITS == 0 && t->searched <= MOST_SEARCH_NODES)
        verdict = search_refute(classes, count, t->workers, capacity, most_nodes);
    free(classes);
    if (verdict == SEARCH_TOO_HARD)
        return flaw_too_large;
    return verdict == SEARCH_FOUND ? "there is a schedule shorter than that" : NULL;
}

static const char *flaw_of_leaf(tree *t, const tree_node *node)
{
    switch (node->step) {
    case STEP_BRANCH:
    case STEP_MULTIPLIERS:
        break;
    case STEP_CONFIGURATION:
        return flaw_of_knapsacks(t, node);
    case STEP_SEARCH:
        return flaw_of_search(t, node);
    }
    return flaw_of_multipliers(t, node);
}

/* ---- the tree ---------------------------------------------------------------------------- */

/* A branch whose first case, or whose second, is being looked at. */
typedef struct step {
    size_t   kind;
    uint64_t cut, low, high; /* those that the branch itself has */
    int      second;
} step;

static void enter(tree *t, const step *s)
{
    t->low[s->kind] = s->low;
    t->high[s->kind] = s->high;
    if (s->second)
        t->low[s->kind] = s->cut + 1;
    else
        t->high[s->kind] = s->cut;
}

/* Goes on to the next second case; 0: there is none left. */
static size_t next_case(tree *t, step *stack, size_t depth)
{
    while (depth > 0 && stack[depth - 1].second) {
        depth--;
        t->low[stack[depth].kind] = stack[depth].low;
        t->high[stack[depth].kind] = stack[depth].high;
    }
    if (depth > 0) {
        stack[depth - 1].second = 1;
        enter(t, &stack[depth - 1]);
    }
    return depth;
}

/* Node after node, as they stand in the file: a case ends with its last leaf. */
static const char *flaw_of_cases(tree *t, step *stack)
{
    const certificate *c = t->c;
    size_t             depth = 0, i;

    for (i = 0; i < c->nodes; i++) {
        const tree_node *node = &c->node[i];
        const char      *flaw;

        if (node->step == STEP_BRANCH) {
            step s = {node->kind, node->cut, t->low[node->kind], t->high[node->kind], 0};

            if (s.cut < s.low || s.cut >= s.high)
                return "a branch leaves one of its cases empty";
            stack[depth++] = s;
            enter(t, &s);
            continue;
        }
        flaw = flaw_of_leaf(t, node);
        if (flaw)
            return flaw;
        depth = next_case(t, stack, depth);
        if (depth == 0)
            break;
    }
    if (i == c->nodes)
        return "a case is missing";
    return i + 1 < c->nodes ? "there are more cases than branches" : NULL;
}

const char *tree_flaw(const certificate *c, const hs_instance *in)
{
    tree        t = {0};
    step       *stack;
    const char *flaw;

    if (mpq_sgn(c->value) == 0)
        return "a tree proves a value above 0 only";
    open_tree(&t, c, in);
    stack = checked_calloc(c->nodes + 1, sizeof *stack);
    flaw = flaw_of_cases(&t, stack);
    free(stack);
    close_tree(&t);
    return flaw;
}
