/* SPDX-License-Identifier: BSD-3-Clause */
/* Verification of the leaves of a proof; hsched-formats(5) has the arguments. */
#include <math.h>
#include <stdlib.h>

#include "check/proof_tree.h"
#include "check/knapsack.h"
#include "check/packing.h"
#include "common/checked_memory.h"

const char flaw_too_much[] = "it takes too much to verify for its size (see hsched-check(1))";

enum {
    CAPACITY_BITS = 80, /* bits of the capacity of a packing */
    SUM_BITS = 61,      /* bits of the worth of all tasks of a knapsack */
    LOOK = 16           /* steps counted per kind to add up multipliers */
};

static void count_units(mpz_t units, dyadic time, long unit)
{
    mpz_set_si(units, time.mantissa);
    mpz_mul_2exp(units, units, (mp_bitcnt_t)(time.exponent - unit));
}

/* Return whether a task of the kind takes at most the makespan to refute. */
static bool fits(const cases *cs, size_t kind, int type, mpz_t scratch)
{
    double time = cs->kind[kind].time[type];

    if (isinf(time))
        return false;
    count_units(scratch, time_as_dyadic(time), cs->unit);
    return mpz_cmp(scratch, cs->longest) <= 0;
}

/* Add the least cost of the kind's tasks to `sum`; return false if they cannot all be run. */
static bool add_least(const cases *cs, size_t kind, const mpz_t multiplier[2], mpz_t sum,
                      mpz_t cost[2])
{
    uint32_t count = cs->kind[kind].count, low = cs->low[kind], high = cs->high[kind];

    if (!fits(cs, kind, 0, cost[0]))
        high = 0;
    if (!fits(cs, kind, 1, cost[1]))
        low = count;
    if (low > high)
        return false;
    for (int type = 0; type < 2; type++)
        mpz_mul(cost[type], cost[type], multiplier[type]);
    mpz_addmul_ui(sum, cost[0], low);
    mpz_addmul_ui(sum, cost[1], count - high);
    mpz_addmul_ui(sum, cost[mpz_cmp(cost[1], cost[0]) < 0], high - low);
    return true;
}

static const char *flaw_of_multipliers(cases *cs, const proof_node *node)
{
    const dyadic *given = node->multiplier;
    long  least = given[0].exponent < given[1].exponent ? given[0].exponent : given[1].exponent;
    mpz_t multiplier[2], cost[2], sum, room;
    bool  possible = true, proved;

    if (!limits_allow(cs->l, LOOK * cs->c->kinds))
        return flaw_too_much;
    mpz_inits(multiplier[0], multiplier[1], cost[0], cost[1], sum, room, NULL);
    for (int type = 0; type < 2; type++) {
        count_units(multiplier[type], given[type], least);
        mpz_addmul_ui(room, multiplier[type], cs->workers[type]);
    }
    mpz_mul(room, room, cs->longest);
    for (size_t i = 0; i < cs->c->kinds && possible; i++)
        possible = add_least(cs, i, multiplier, sum, cost);
    proved = !possible || mpz_cmp(sum, room) > 0;
    mpz_clears(multiplier[0], multiplier[1], cost[0], cost[1], sum, room, NULL);
    return proved ? NULL : "the multipliers prove less than that value";
}

/* Return the number of tasks of a kind in a class in the present case. */
static uint32_t count_of(const cases *cs, size_t kind, int class)
{
    if (class == CLASS_CPU)
        return cs->low[kind];
    return class == CLASS_GPU ? cs->kind[kind].count - cs->high[kind]
                              : cs->high[kind] - cs->low[kind];
}

/* Return the time in cells, rounded down; or capacity + 1 if it is larger than the capacity. */
static cells whole_cells(double time, long grid, cells capacity)
{
    dyadic d;
    long   shift;

    if (isinf(time))
        return capacity + 1;
    d = time_as_dyadic(time);
    shift = d.exponent - grid;
    if (shift < 0)
        return shift > -64 ? d.mantissa >> -shift : 0;
    return shift <= CAPACITY_BITS && d.mantissa <= capacity >> shift ? (cells)d.mantissa << shift
                                                                     : capacity + 1;
}

/* Check that the worth of all tasks exceeds m cpu-most + k gpu-most. */
static const char *flaw_of_sums(const cases *cs, const proof_node *node)
{
    __int128 all = 0, workers = 0; /* at most 2^31 tasks of 2^61, and as many workers */

    for (size_t i = 0; i < cs->c->kinds * CLASSES; i++)
        all += (__int128)cs->c->worth[node->knapsacks.worth + i] *
               count_of(cs, i / CLASSES, i % CLASSES);
    for (int type = 0; type < 2; type++)
        workers += (__int128)node->knapsacks.most[type] * cs->workers[type];
    if (all <= workers)
        return "the workers could be worth all tasks";
    return all >> SUM_BITS ? "the multipliers are too large" : NULL;
}

/* Return whether (capacity + 1) 2^grid exceeds the makespan to refute. */
static bool is_long_enough(const cases *cs, const proof_node *node)
{
    long  shift = node->knapsacks.grid - cs->unit;
    mpz_t end, longest;
    bool  is;

    mpz_init_set_si(end, node->knapsacks.capacity + 1);
    mpz_init_set(longest, cs->longest);
    if (shift >= 0)
        mpz_mul_2exp(end, end, (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(longest, longest, (mp_bitcnt_t)-shift);
    is = mpz_cmp(end, longest) > 0;
    mpz_clears(end, longest, NULL);
    return is;
}

/*
 * Add items of 1, 2, 4 ... tasks and one of the rest; their subsets have any number of tasks up to
 * `count`.
 */
static size_t add_items(knapsack_item *item, int64_t weight, int64_t worth, int64_t count,
                        int64_t capacity)
{
    size_t added = 0;

    if (weight > 0 && count > capacity / weight)
        count = capacity / weight;
    for (int64_t size = 1; count > 0; count -= size, size *= 2) {
        if (size > count)
            size = count;
        item[added++] = (knapsack_item){weight * size, worth * size};
    }
    return added;
}

/* Return the weight of each task of a class; capacity + 1 if it cannot run on the type. */
static cells weight_on(const cases *cs, const proof_node *node, size_t i, int type)
{
    int64_t capacity = node->knapsacks.capacity;

    if (i % CLASSES == (type ? CLASS_CPU : CLASS_GPU))
        return capacity + 1;
    return whole_cells(cs->kind[i / CLASSES].time[type], node->knapsacks.grid, capacity);
}

/*
 * Return whether counts alone settle a type. With c tasks on one worker, their worth is at most c
 * times the largest worth of a task, and at most the capacity minus c times the least excess of
 * weight over worth. The largest value under both limits must be at most `most`.
 */
static bool is_settled_by_counts(const cases *cs, const proof_node *node, int type)
{
    int64_t capacity = node->knapsacks.capacity, top = 0, spare = capacity + 1, count;

    for (size_t i = 0; i < cs->c->kinds * CLASSES; i++) {
        int64_t worth = cs->c->worth[node->knapsacks.worth + i];
        cells   weight = weight_on(cs, node, i, type);

        if (worth == 0 || weight > capacity || count_of(cs, i / CLASSES, i % CLASSES) == 0)
            continue;
        top = worth > top ? worth : top;
        spare = (int64_t)weight - worth < spare ? (int64_t)weight - worth : spare;
    }
    if (top == 0 || spare < 0)
        return top == 0;
    count = capacity / (top + spare);
    return count * top <= node->knapsacks.most[type] &&
           capacity - (count + 1) * spare <= node->knapsacks.most[type];
}

static const char *flaw_of_type(const cases *cs, const proof_node *node, int type)
{
    int64_t        capacity = node->knapsacks.capacity;
    size_t         count = 0, room = 0;
    knapsack_item *item;
    verdict        found;

    if (is_settled_by_counts(cs, node, type))
        return NULL;
    for (size_t i = 0; i < cs->c->kinds * CLASSES; i++)
        for (uint32_t left = count_of(cs, i / CLASSES, i % CLASSES); left > 0; left /= 2)
            room++;
    item = checked_calloc(room + 1, sizeof *item);
    for (size_t i = 0; i < cs->c->kinds * CLASSES; i++) {
        cells weight = weight_on(cs, node, i, type);

        if (weight <= capacity)
            count +=
                add_items(item + count, (int64_t)weight, cs->c->worth[node->knapsacks.worth + i],
                          count_of(cs, i / CLASSES, i % CLASSES), capacity);
    }
    found = knapsack_check(item, count, capacity, node->knapsacks.most[type], cs->l);
    free(item);
    if (found == FAILS)
        return type ? "a GPU can run tasks worth more than gpu-most"
                    : "a CPU can run tasks worth more than cpu-most";
    return found == TOO_MUCH ? flaw_too_much : NULL;
}

static const char *flaw_of_knapsacks(cases *cs, const proof_node *node)
{
    const char *flaw = flaw_of_sums(cs, node);

    if (!limits_allow(cs->l, LOOK * cs->c->kinds))
        return flaw_too_much;
    if (!is_long_enough(cs, node))
        return "the capacity is less than the value";
    for (int type = 0; type < 2 && !flaw; type++)
        if (cs->workers[type] > 0)
            flaw = flaw_of_type(cs, node, type);
    return flaw;
}

static cells cells_of(const mpz_t units, mp_bitcnt_t shift)
{
    uint64_t part[2] = {0, 0}; /* the remaining number has at most 80 bits */
    mpz_t    whole;

    mpz_init(whole);
    mpz_fdiv_q_2exp(whole, units, shift);
    mpz_export(part, NULL, -1, sizeof *part, 0, 0, whole);
    mpz_clear(whole);
    return (cells)part[1] << 64 | part[0];
}

/* List the tasks that the case, or the other type's times, assign to the type. */
static size_t list_packed(const cases *cs, int type, long grid, cells capacity, packing_kind *list)
{
    size_t count = 0;
    mpz_t  scratch;

    mpz_init(scratch);
    for (size_t i = 0; i < cs->c->kinds; i++) {
        packing_kind found = {whole_cells(cs->kind[i].time[type], grid, capacity),
                              cs->kind[i].count};

        if (fits(cs, i, !type, scratch))
            found.count = count_of(cs, i, type ? CLASS_GPU : CLASS_CPU);
        if (found.count > 0 && found.weight > 0)
            list[count++] = found;
    }
    mpz_clear(scratch);
    return count;
}

static const char *flaw_of_packing(cases *cs, const proof_node *node)
{
    size_t        bits = mpz_sizeinbase(cs->longest, 2);
    mp_bitcnt_t   shift = bits > CAPACITY_BITS ? bits - CAPACITY_BITS : 0;
    cells         capacity = cells_of(cs->longest, shift);
    packing_kind *list = checked_calloc(cs->c->kinds + 1, sizeof *list);
    size_t        count = list_packed(cs, node->type, cs->unit + (long)shift, capacity, list);
    verdict       found = FAILS;

    if (!limits_allow(cs->l, LOOK * cs->c->kinds))
        found = TOO_MUCH;
    else if (count > 0)
        found = packing_check(list, count, cs->workers[node->type], capacity, cs->l);
    free(list);
    if (found == FAILS)
        return "the tasks of a type can be run in less than that value";
    return found == TOO_MUCH ? flaw_too_much : NULL;
}

const char *proof_leaf_flaw(cases *cs, const proof_node *node)
{
    switch (node->step) {
    case STEP_BRANCH:
    case STEP_GRAPH:
    case STEP_TYPE:
    case STEP_ORDER:
    case STEP_CROWD:
    case STEP_WINDOWS:
    case STEP_MULTIPLIERS:
        break;
    case STEP_CONFIGURATION:
        return flaw_of_knapsacks(cs, node);
    case STEP_PACKING:
        return flaw_of_packing(cs, node);
    }
    return flaw_of_multipliers(cs, node);
}
