/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_PROOF_PROVE_H
#define HSI_BOUND_PROOF_PROVE_H

#include "core/certificate.h"
#include "core/problem.h"
#include "core/stop.h"
#include "support/vector.h"

/*
 * Proofs by cases that no schedule is shorter than a target. A case says of each kind
 * of tasks (those with the same two times) that at least so many of them run on CPUs,
 * and at most so many. It is proved by multipliers, by knapsacks, or because what one type
 * has to run cannot be packed on its workers; or it is split in two: at most `cut` of one
 * kind on CPUs, or more.
 */

#define HSI_NO_CASE UINT32_MAX

typedef enum hsi_case_state { HSI_CASE_OPEN, HSI_CASE_PROVED, HSI_CASE_STUCK } hsi_case_state;

typedef struct hsi_case {
    uint32_t       parent, child; /* the first of two, side by side; or HSI_NO_CASE */
    uint32_t       depth;
    int            above; /* more than the parent's cut; else at most that */
    hsi_case_state state;
    double         bound; /* proved for it, by itself or by its parents */
    double         own;   /* by `proof` alone */
    hsi_proof_node proof; /* kind and cut: where to split it, if it is open */
    double        *worth; /* HSI_CLASSES a kind, to begin the children's bounds with; may be NULL */
} hsi_case;

typedef struct hsi_prover {
    hsi_problem     kinds; /* one item a kind */
    double          target;
    double          goal; /* a hair below: as good as proved */
    double          unit; /* all makespans are multiples of it; 0: nothing is known */
    int             deep; /* knapsacks and packings too */
    const hsi_stop *stop;
    hsi_vector      cases;    /* of hsi_case */
    hsi_vector      heap;     /* uint32_t: the open ones, least bound first */
    size_t          lines;    /* that the knapsacks' proofs may take in a file */
    uint64_t        searched; /* nodes, in all packings */

    /* The case at hand: */
    uint32_t      *low, *high; /* of each kind, on CPUs */
    hsi_problem    classes;    /* one row a class that has tasks; its arrays are these */
    double        *class_p, *class_q;
    uint32_t      *class_count;
    hsi_arena      arena;      /* of those arrays */
    uint32_t      *row_kind;   /* of each of those rows */
    unsigned char *row_class;  /* hsi_class */
} hsi_prover;

hs_status hsi_prover_open(hsi_prover *pr, const hsi_problem *rows, double target);
void      hsi_prover_close(hsi_prover *pr);

static inline hsi_case *hsi_case_at(const hsi_prover *pr, size_t index)
{
    return (hsi_case *)pr->cases.data + index;
}

/* Turns to a case: sets low, high and the classes. */
void hsi_prover_turn_to(hsi_prover *pr, uint32_t index);

/* May the kind's tasks run on either type in less than the target, and are some still free? */
int hsi_prover_is_free(const hsi_prover *pr, size_t kind);

/* A bound on makespans, which may be multiples of a unit: up to the next one. */
double hsi_prover_round(const hsi_prover *pr, double bound);

/* Takes a proof of the case if it is the best so far; frees its worth otherwise. */
void hsi_case_keep(hsi_case *c, const hsi_proof_node *proof, double proved);

/* Splits it by that cut of that kind, within what is possible. */
void hsi_prover_split_at(const hsi_prover *pr, hsi_case *c, size_t kind, double on_cpu);

/* Proves what it can of the case that is turned to, and chooses where to split it. */
hs_status hsi_prover_bound(hsi_prover *pr, hsi_case *c);

/* Proves what it can by how many tasks workers of one type must have. */
hs_status hsi_prover_crowd(hsi_prover *pr, hsi_case *c);

/* Packs what the case that is turned to leaves to one type only, with so many nodes a type. */
hs_status hsi_prover_pack(hsi_prover *pr, hsi_case *c, uint64_t most_nodes);

#endif
