/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proofs by cases, of which a proof without branches is the simplest; hsched-formats(5) has the
 * arguments. All times are multiples of a unit, a power of two, and are counted in it. Makespans
 * are sums of times, so the longest makespan below a value is a multiple of the unit too: refuting
 * this makespan and all shorter ones proves the value.
 */
#include "check/proof_tree.h"

#include <math.h>
#include <stdlib.h>

#include "common/checked_memory.h"

dyadic time_as_dyadic(double time)
{
    int     exponent;
    int64_t mantissa = (int64_t)ldexp(frexp(time, &exponent), 53);
    int     zeros = __builtin_ctzll((uint64_t)mantissa);

    return (dyadic){mantissa >> zeros, exponent - 53 + zeros};
}

static long unit_of(const certificate *c, const task_kind *kind)
{
    long unit = 0;
    bool found = false;

    for (size_t i = 0; i < 2 * c->kinds; i++) {
        double time = kind[i / 2].time[i % 2];
        long   of_time = isinf(time) ? 0 : time_as_dyadic(time).exponent;

        if (isinf(time) || (found && unit <= of_time))
            continue;
        unit = of_time;
        found = true;
    }
    return unit;
}

void greatest_multiple_below(mpz_t longest, const mpq_t value, long unit)
{
    mpq_t units;

    mpq_init(units);
    if (unit >= 0)
        mpq_div_2exp(units, value, (mp_bitcnt_t)unit);
    else
        mpq_mul_2exp(units, value, (mp_bitcnt_t)-unit);
    mpz_cdiv_q(longest, mpq_numref(units), mpq_denref(units));
    mpz_sub_ui(longest, longest, 1);
    mpq_clear(units);
}

/* A branch whose first or second case is being verified. */
typedef struct step {
    /* kind of the branch, largest count of its first case, range of the count in both */
    uint32_t kind, cut, low, high;
    bool     second;
} step;

static void enter(cases *cs, const step *s)
{
    cs->low[s->kind] = s->second ? s->cut + 1 : s->low;
    cs->high[s->kind] = s->second ? s->high : s->cut;
}

/* Continue with the next second case. Return the new depth; 0: no case left. */
static size_t next_case(cases *cs, step *stack, size_t depth)
{
    while (depth > 0 && stack[depth - 1].second) {
        depth--;
        cs->low[stack[depth].kind] = stack[depth].low;
        cs->high[stack[depth].kind] = stack[depth].high;
    }
    if (depth > 0) {
        stack[depth - 1].second = true;
        enter(cs, &stack[depth - 1]);
    }
    return depth;
}

/* Verify node after node, in the order of the file: a case ends with its last leaf. */
static const char *flaw_of_nodes(cases *cs, step *stack)
{
    const certificate *c = cs->c;
    size_t             depth = 0, i;

    for (i = 0; i < c->nodes; i++) {
        const proof_node *node = &c->node[i];
        const char       *flaw;

        if (node->step == STEP_BRANCH) {
            uint32_t kind = node->branch.kind;
            step     s = {kind, node->branch.cut, cs->low[kind], cs->high[kind], false};

            if (s.cut < s.low || s.cut >= s.high)
                return "a branch leaves one of its cases empty";
            stack[depth++] = s;
            enter(cs, &s);
            continue;
        }
        flaw = proof_leaf_flaw(cs, node);
        if (flaw)
            return flaw;
        depth = next_case(cs, stack, depth);
        if (depth == 0)
            break;
    }
    if (i == c->nodes)
        return "a case is missing";
    return i + 1 < c->nodes ? "there are more cases than branches" : NULL;
}

const char *proof_tree_flaw(const certificate *c, const task_kind *kind, const unsigned workers[2],
                            const mpq_t value, limits *l)
{
    cases       cs = {.c = c, .kind = kind, .workers = {workers[0], workers[1]}, .l = l};
    step       *stack = checked_calloc(c->nodes + 1, sizeof *stack);
    const char *flaw;

    mpz_init(cs.longest);
    cs.unit = unit_of(c, kind);
    greatest_multiple_below(cs.longest, value, cs.unit);
    cs.low = checked_calloc(c->kinds + 1, sizeof *cs.low);
    cs.high = checked_calloc(c->kinds + 1, sizeof *cs.high);
    for (size_t i = 0; i < c->kinds; i++)
        cs.high[i] = kind[i].count;
    flaw = flaw_of_nodes(&cs, stack);
    mpz_clear(cs.longest);
    free(cs.low);
    free(cs.high);
    free(stack);
    return flaw;
}
