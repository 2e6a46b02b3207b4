/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prove a target by cases of a graph. The open case with the least bound is split, until all cases
 * are proved or a limit is reached. The certified value is the most that some cut through the tree
 * proves: a case proves its own value, or the least of its parts' values.
 */
#include "bound/proof/graph/tree.h"

#include <math.h>
#include <stdlib.h>

#include "support/heap.h"

enum { MOST_CASES = 1 << 18, MOST_DEPTH = 1000 };

static size_t case_count(const hsi_graph_prover *pr)
{
    return pr->cases.size / sizeof(hsi_graph_case);
}

static uint32_t parts_of(const hsi_graph_case *c)
{
    return c->split.step == HSI_STEP_ORDER ? 3 : 2;
}

void hsi_graph_prover_end(hsi_graph_prover *pr)
{
    for (size_t i = 0; i < case_count(pr); i++)
        hsi_proof_node_free(&hsi_graph_case_at(pr, i)->proof);
    hsi_vector_free(&pr->cases);
    hsi_vector_free(&pr->heap);
    hsi_arena_close(&pr->arena);
}

/* Order cases by their bounds, equal bounds by falling depth. */
static int comes_before(const void *context, uint32_t a, uint32_t b)
{
    const hsi_graph_case *first = hsi_graph_case_at(context, a);
    const hsi_graph_case *second = hsi_graph_case_at(context, b);

    if (first->bound < second->bound || first->bound > second->bound)
        return first->bound < second->bound;
    return first->depth > second->depth;
}

static size_t open_cases(const hsi_graph_prover *pr)
{
    return pr->heap.size / sizeof(uint32_t);
}

/* Append and bound a case. If its bound is too low, open it; if it cannot be split, lower the
 * goal. */
static hs_status add_case(hsi_graph_prover *pr, hsi_graph_case content)
{
    uint32_t        index = (uint32_t)case_count(pr);
    hsi_graph_case *c;
    hs_status       st;

    content.child = HS_NONE;
    content.split.step = HSI_STEP_GRAPH;
    if (hsi_vector_append(&pr->cases, &content, sizeof content) ||
        hsi_vector_reserve(&pr->heap, sizeof index))
        return HS_ENOMEM;
    c = hsi_graph_case_at(pr, index);
    hsi_graph_prover_enter_case(pr, index);
    st = hsi_graph_prover_bound_case(pr, c);
    c->bound = fmax(c->bound, c->own);
    if (st != HS_OK || c->own >= pr->goal)
        return st;
    if (c->split.step == HSI_STEP_GRAPH || c->depth == MOST_DEPTH) {
        pr->goal = fmin(pr->goal, c->bound);
        return st;
    }
    hsi_vector_append(&pr->heap, &index, sizeof index);
    hsi_heap_push(pr->heap.data, open_cases(pr) - 1, index, comes_before, pr);
    return st;
}

static hs_status split_case(hsi_graph_prover *pr, uint32_t index)
{
    hsi_graph_case *c = hsi_graph_case_at(pr, index);
    hsi_graph_case  part = {.parent = index, .depth = c->depth + 1, .bound = c->bound};
    uint32_t        parts = parts_of(c);
    hs_status       st = HS_OK;

    c->child = (uint32_t)case_count(pr);
    for (; part.part < parts && st == HS_OK; part.part++)
        st = add_case(pr, part);
    return st;
}

static hs_status grow_tree(hsi_graph_prover *pr)
{
    const hsi_graph_case root = {.parent = HS_NONE};
    hs_status            st = add_case(pr, root);

    while (st == HS_OK && open_cases(pr) > 0 && case_count(pr) < MOST_CASES &&
           !hsi_stop_is_due(pr->stop)) {
        uint32_t index = hsi_heap_pop(pr->heap.data, open_cases(pr), comes_before, pr);

        pr->heap.size -= sizeof index;
        if (hsi_graph_case_at(pr, index)->bound >= pr->goal)
            break;
        st = split_case(pr, index);
    }
    return st == HS_OK && hsi_cancelled(pr->stop->settings) ? HS_ECANCELED : st;
}

/* Set each case's bound to the value proved by the case and its parts; return the root's bound. */
static double value_of_tree(hsi_graph_prover *pr)
{
    for (size_t i = case_count(pr); i-- > 0;) { /* parts have higher indices than their case */
        hsi_graph_case *c = hsi_graph_case_at(pr, i);
        double          least = INFINITY;

        c->bound = c->own;
        for (uint32_t part = 0; c->child != HS_NONE && part < parts_of(c); part++)
            least = fmin(least, hsi_graph_case_at(pr, c->child + part)->bound);
        if (c->child != HS_NONE)
            c->bound = fmax(c->own, least);
    }
    return fmin(hsi_graph_case_at(pr, 0)->bound, pr->target);
}

/* Append the case and the parts to the certificate, and move the proofs' paths there. */
static void write_case(hsi_graph_prover *pr, uint32_t index, hs_certificate *certificate)
{
    hsi_graph_case *c = hsi_graph_case_at(pr, index);
    hsi_proof_node *node = &certificate->node[certificate->nodes++];

    if (c->own >= certificate->value) {
        *node = c->proof;
        c->proof = (hsi_proof_node){.paths = 0};
        return;
    }
    *node = c->split;
    for (uint32_t part = 0; part < parts_of(c); part++)
        write_case(pr, c->child + part, certificate);
}

static hs_status prove_target(hsi_graph_prover *pr, hs_certificate *certificate)
{
    hs_status st = grow_tree(pr);

    if (st != HS_OK)
        return st;
    certificate->value = value_of_tree(pr);
    if (!(certificate->value > 0))
        return HS_OK;
    certificate->node = calloc(case_count(pr), sizeof *certificate->node);
    if (!certificate->node)
        return HS_ENOMEM;
    certificate->proof = HSI_PROOF_GRAPH_TREE;
    write_case(pr, 0, certificate);
    return HS_OK;
}

hs_status hsi_certify_graph(const hsi_problem *pb, double target, const hsi_stop *stop,
                            hs_certificate *certificate)
{
    hsi_graph_prover pr;
    hs_status        st = hsi_graph_prover_begin(&pr, pb, target);

    pr.stop = stop;
    certificate->computed = target;
    if (st == HS_OK && pb->n > 0 && target > 0)
        st = prove_target(&pr, certificate);
    hsi_graph_prover_end(&pr);
    return st;
}
