/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/proof/prove.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/grid.h"

enum { MOST_EXPONENT = 1000 };

/* Set the unit of makespans, if consecutive multiples of it are different doubles. */
static void find_unit(hsi_prover *pr)
{
    int    least = MOST_EXPONENT, other;
    size_t i;

    for (i = 0; i < pr->kinds.n; i++) {
        other = hsi_grid_exponent(pr->kinds.p[i]);
        least = other < least ? other : least;
        other = hsi_grid_exponent(pr->kinds.q[i]);
        least = other < least ? other : least;
    }
    if (least > -MOST_EXPONENT && pr->target < ldexp(1, least) * 0x1p51)
        pr->unit = ldexp(1, least);
}

static hs_status open_classes(hsi_prover *pr)
{
    size_t room = HSI_CLASSES * pr->kinds.n + 1;

    pr->class_p = hsi_arena_alloc(&pr->arena, room, sizeof *pr->class_p);
    pr->class_q = hsi_arena_alloc(&pr->arena, room, sizeof *pr->class_q);
    pr->class_count = hsi_arena_alloc(&pr->arena, room, sizeof *pr->class_count);
    pr->classes = (hsi_problem){.m = pr->kinds.m,
                                .k = pr->kinds.k,
                                .p = pr->class_p,
                                .q = pr->class_q,
                                .count = pr->class_count};
    pr->low = hsi_arena_alloc_zeroed(&pr->arena, pr->kinds.n + 1, sizeof *pr->low);
    pr->high = hsi_arena_alloc_zeroed(&pr->arena, pr->kinds.n + 1, sizeof *pr->high);
    pr->row_kind = hsi_arena_alloc(&pr->arena, room, sizeof *pr->row_kind);
    pr->row_class = hsi_arena_alloc(&pr->arena, room, 1);
    return pr->class_p && pr->class_q && pr->class_count && pr->low && pr->high && pr->row_kind &&
                   pr->row_class
               ? HS_OK
               : HS_ENOMEM;
}

hs_status hsi_prover_open(hsi_prover *pr, const hsi_problem *rows, double target)
{
    hs_status st;

    memset(pr, 0, sizeof *pr);
    st = hsi_problem_of_kinds(rows, SIZE_MAX, &pr->kinds, NULL);
    if (st == HS_OK)
        st = open_classes(pr);
    pr->target = target;
    pr->goal = target * (1 - 0x1p-45);
    find_unit(pr);
    return st;
}

void hsi_prover_close(hsi_prover *pr)
{
    size_t i, count = pr->cases.size / sizeof(hsi_case);

    for (i = 0; i < count; i++) {
        free(hsi_case_at(pr, i)->proof.worth);
        free(hsi_case_at(pr, i)->worth);
    }
    hsi_vector_free(&pr->cases);
    hsi_vector_free(&pr->heap);
    hsi_arena_close(&pr->arena);
    hsi_problem_close(&pr->kinds);
}

static void add_class(hsi_prover *pr, size_t kind, hsi_class class, uint32_t count)
{
    hsi_problem *classes = &pr->classes;
    size_t       row = classes->n;

    if (count == 0)
        return;
    pr->class_p[row] = class == HSI_GPU_TASKS ? INFINITY : pr->kinds.p[kind];
    pr->class_q[row] = class == HSI_CPU_TASKS ? INFINITY : pr->kinds.q[kind];
    pr->class_count[row] = count;
    pr->row_kind[row] = (uint32_t)kind;
    pr->row_class[row] = (unsigned char)class;
    classes->n++;
}

void hsi_prover_enter_case(hsi_prover *pr, uint32_t index)
{
    size_t kind;

    memset(pr->low, 0, pr->kinds.n * sizeof *pr->low);
    memcpy(pr->high, pr->kinds.count, pr->kinds.n * sizeof *pr->high);
    while (hsi_case_at(pr, index)->parent != HS_NONE) {
        const hsi_case       *c = hsi_case_at(pr, index);
        const hsi_proof_node *split = &hsi_case_at(pr, c->parent)->proof;

        if (c->above && pr->low[split->kind] <= split->cut)
            pr->low[split->kind] = split->cut + 1;
        if (!c->above && pr->high[split->kind] > split->cut)
            pr->high[split->kind] = split->cut;
        index = c->parent;
    }
    pr->classes.n = 0;
    for (kind = 0; kind < pr->kinds.n; kind++) {
        add_class(pr, kind, HSI_CPU_TASKS, pr->low[kind]);
        add_class(pr, kind, HSI_FREE_TASKS, pr->high[kind] - pr->low[kind]);
        add_class(pr, kind, HSI_GPU_TASKS, pr->kinds.count[kind] - pr->high[kind]);
    }
}

bool hsi_prover_is_free(const hsi_prover *pr, size_t kind)
{
    return pr->low[kind] < pr->high[kind] && pr->kinds.p[kind] < pr->target &&
           pr->kinds.q[kind] < pr->target;
}

double hsi_prover_round_bound_up(const hsi_prover *pr, double bound)
{
    return pr->unit > 0 && bound < pr->unit * 0x1p51 ? ceil(bound / pr->unit) * pr->unit : bound;
}

void hsi_case_store_proof(hsi_case *c, const hsi_proof_node *proof, double proved)
{
    hsi_proof_node split = c->proof;

    if (!(proved > c->own)) {
        free(proof->worth);
        return;
    }
    free(c->proof.worth);
    c->proof = *proof;
    c->proof.kind = split.kind;
    c->proof.cut = split.cut;
    c->own = proved;
    c->bound = fmax(c->bound, proved);
}

void hsi_prover_split_at(const hsi_prover *pr, hsi_case *c, size_t kind, double cpu_tasks)
{
    double least = pr->low[kind], most = (double)pr->high[kind] - 1;

    c->proof.kind = (uint32_t)kind;
    c->proof.cut = (uint32_t)fmin(fmax(floor(cpu_tasks), least), most);
}
