/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prove a target by cases. The open case with the least bound is split, until all cases are proved
 * or a limit is reached. The certified value is the most that some cut through the tree proves: a
 * case proves its own value, or the lesser of its two parts' values.
 */
#include "bound/proof/prove.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/bound.h"
#include "support/heap.h"

enum {
    MOST_CASES = 1 << 17,
    MOST_LINES = 1 << 20, /* approximate limit for the lines of a certificate */
    MOST_WORK = 1 << 29   /* cases x kinds: the verifier looks at each kind in each leaf */
};

static size_t open_cases(const hsi_prover *pr)
{
    return pr->heap.size / sizeof(uint32_t);
}

/* Order cases by their bounds, equal bounds by falling depth. */
static int comes_before(const void *context, uint32_t a, uint32_t b)
{
    const hsi_case *first = hsi_case_at(context, a), *second = hsi_case_at(context, b);

    if (first->bound < second->bound || first->bound > second->bound)
        return first->bound < second->bound;
    return first->depth > second->depth;
}

static hs_status push_case(hsi_prover *pr, uint32_t index)
{
    size_t open = open_cases(pr);

    if (hsi_vector_append(&pr->heap, &index, sizeof index) != 0)
        return HS_ENOMEM;
    hsi_heap_push(pr->heap.data, open, index, comes_before, pr);
    return HS_OK;
}

static uint32_t pop_case(hsi_prover *pr)
{
    uint32_t first = hsi_heap_pop(pr->heap.data, open_cases(pr), comes_before, pr);

    pr->heap.size -= sizeof first;
    return first;
}

/* Bound a new case, and append it to the open cases unless it is proved. */
static hs_status bound_case(hsi_prover *pr, uint32_t index)
{
    hsi_case *c = hsi_case_at(pr, index);
    hs_status st;

    hsi_prover_enter_case(pr, index);
    st = hsi_prover_bound_case(pr, c);
    if (st != HS_OK)
        return st;
    if (c->proof.worth || c->worth) /* the certificate has a line for the worth of each kind */
        pr->lines += pr->kinds.n;
    if (c->state == HSI_CASE_STUCK) /* no value beyond the bound of this case can be proved any
                                       more */
        pr->goal = fmin(pr->goal, c->bound);
    return c->state == HSI_CASE_OPEN ? push_case(pr, index) : HS_OK;
}

static hs_status add_case(hsi_prover *pr, hsi_case content)
{
    content.child = HS_NONE;
    return hsi_vector_append(&pr->cases, &content, sizeof content) ? HS_ENOMEM : HS_OK;
}

static hs_status split_case(hsi_prover *pr, uint32_t index)
{
    hsi_case *c = hsi_case_at(pr, index);
    hsi_case  part = {.parent = index, .depth = c->depth + 1, .bound = c->bound};
    uint32_t  first = (uint32_t)(pr->cases.size / sizeof *c);
    hs_status st = HS_OK;
    uint32_t  i;

    if (hsi_vector_reserve(&pr->cases, 2 * sizeof part))
        return HS_ENOMEM;
    for (i = 0; i < 2 && st == HS_OK; i++) {
        part.above = (int)i;
        st = add_case(pr, part);
    }
    hsi_case_at(pr, index)->child = first;
    for (i = 0; i < 2 && st == HS_OK; i++)
        st = bound_case(pr, first + i);
    free(hsi_case_at(pr, index)->worth);
    hsi_case_at(pr, index)->worth = NULL;
    return st;
}

static bool may_go_on(const hsi_prover *pr)
{
    size_t cases = pr->cases.size / sizeof(hsi_case);

    return cases < MOST_CASES && cases * pr->kinds.n < MOST_WORK && pr->lines < MOST_LINES &&
           !hsi_stop_is_due(pr->stop);
}

static hs_status grow_tree(hsi_prover *pr)
{
    const hsi_case root = {.parent = HS_NONE};
    hs_status      st = add_case(pr, root);

    if (st == HS_OK)
        st = bound_case(pr, 0);
    while (st == HS_OK && open_cases(pr) > 0 && may_go_on(pr)) {
        uint32_t index = pop_case(pr);

        if (hsi_case_at(pr, index)->bound >= pr->goal)
            break;
        st = split_case(pr, index);
    }
    return st == HS_OK && hsi_cancelled(pr->stop->settings) ? HS_ECANCELED : st;
}

/* Set each case's bound to the value proved by the case and its parts; return the root's bound. */
static double value_of_tree(hsi_prover *pr)
{
    size_t i = pr->cases.size / sizeof(hsi_case);

    while (i-- > 0) { /* parts have higher indices than their case */
        hsi_case *c = hsi_case_at(pr, i);

        c->bound = c->own;
        if (c->child != HS_NONE)
            c->bound = fmax(c->own, fmin(hsi_case_at(pr, c->child)->bound,
                                         hsi_case_at(pr, c->child + 1)->bound));
    }
    return fmin(hsi_case_at(pr, 0)->bound, pr->target);
}

/* Append the case to the certificate as a leaf or a branch. A leaf's worth moves to the
 * certificate. Return true for a branch. */
static bool write_case(hsi_case *c, hs_certificate *certificate)
{
    hsi_proof_node *node = &certificate->node[certificate->nodes++];
    bool            is_leaf = c->own >= certificate->value;

    *node = c->proof;
    c->proof.worth = NULL;
    if (is_leaf)
        return false;
    node->step = HSI_STEP_BRANCH;
    free(node->worth);
    node->worth = NULL;
    return true;
}

/* Write each case before its two parts, and all of the first part before the second. */
static hs_status write_cases(hsi_prover *pr, hs_certificate *certificate)
{
    size_t    count = pr->cases.size / sizeof(hsi_case), waiting = 0;
    uint32_t *stack = malloc((count + 1) * sizeof *stack);

    certificate->node = calloc(count, sizeof *certificate->node);
    if (!stack || !certificate->node) {
        free(stack);
        return HS_ENOMEM;
    }
    stack[waiting++] = 0;
    while (waiting > 0) {
        hsi_case *c = hsi_case_at(pr, stack[--waiting]);

        if (write_case(c, certificate)) {
            stack[waiting++] = c->child + 1;
            stack[waiting++] = c->child;
        }
    }
    free(stack);
    return HS_OK;
}

static hs_status write_kinds(const hsi_prover *pr, hs_certificate *certificate)
{
    size_t i;

    certificate->kind = calloc(pr->kinds.n + 1, sizeof *certificate->kind);
    if (!certificate->kind)
        return HS_ENOMEM;
    certificate->kinds = pr->kinds.n;
    for (i = 0; i < pr->kinds.n; i++)
        certificate->kind[i] = (hsi_certified_kind){pr->kinds.p[i], pr->kinds.q[i], 0};
    return HS_OK;
}

hs_status hsi_certify_by_cases(const hsi_problem *rows, double target, bool with_searches,
                               const hsi_stop *stop, hs_certificate *certificate)
{
    hsi_prover pr;
    hs_status  st;

    certificate->value = 0;
    certificate->computed = target;
    certificate->proof = HSI_PROOF_NONE;
    if (rows->n == 0 || !(target > 0))
        return HS_OK;
    st = hsi_prover_open(&pr, rows, target);
    pr.deep = with_searches;
    pr.stop = stop;
    if (st == HS_OK)
        st = grow_tree(&pr);
    if (st == HS_OK) {
        certificate->value = value_of_tree(&pr);
        certificate->proof = certificate->value > 0 ? HSI_PROOF_TREE : HSI_PROOF_NONE;
    }
    if (st == HS_OK && certificate->value > 0)
        st = write_kinds(&pr, certificate);
    if (st == HS_OK && certificate->value > 0)
        st = write_cases(&pr, certificate);
    hsi_prover_close(&pr);
    return st;
}
