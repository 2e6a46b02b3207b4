/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proofs by cases; the arguments stand in hsched-formats(5). All times are counted in
 * units of 2^exponent here, in which they and the value are whole numbers. Makespans are
 * sums of times, so the longest one below the value is a multiple of the largest power of
 * two of which all times are multiples: whoever refutes that one and all shorter ones proves
 * the value.
 */
#include "check/tree.h"

#include <math.h>
#include <stdlib.h>

#include "check/leaf.h"
#include "common/memory.h"

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
        flaw = leaf_flaw(t, node);
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
