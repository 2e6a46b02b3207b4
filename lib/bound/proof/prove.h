/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_PROOF_PROVE_H
#define HSI_BOUND_PROOF_PROVE_H

#include "core/certificate.h"
#include "core/problem.h"
#include "core/time_limit.h"
#include "support/vector.h"

/*
 * Proofs by cases that no schedule is shorter than a target. A case limits for each kind of tasks
 * (tasks with equal times) how many of them run on CPUs, from below and above. A case is proved by
 * multipliers, by knapsacks, or because the tasks that one type must run cannot be packed on its
 * workers; or it is split in two: at most `cut` tasks of a kind on CPUs, or more.
 */

typedef enum hsi_case_state { HSI_CASE_OPEN, HSI_CASE_PROVED, HSI_CASE_STUCK } hsi_case_state;

typedef struct hsi_case {
    uint32_t parent, child; /* indices of the parent and of the first of two consecutive
                               children; HS_NONE: none */
    uint32_t       depth;
    int            above; /* whether this part has more tasks on CPUs than the parent's cut; else
                             at most the cut */
    hsi_case_state state;
    double         bound; /* bound proved for the case, by itself or by an ancestor */
    double         own;   /* bound proved by `proof` alone */
    hsi_proof_node proof; /* kind and cut: where to split an open case */
    double        *worth; /* HSI_CLASSES worths for each kind, to start the children's bounds; may
                             be NULL */
} hsi_case;

typedef struct hsi_prover {
    hsi_problem     kinds; /* knapsack with an item for each kind */
    double          target;
    double          goal; /* slightly below the target: a case with this bound counts as proved */
    double          unit; /* every makespan is a multiple of this unit; 0: unknown */
    bool            deep; /* whether knapsacks and packings may be used too */
    const hsi_stop *stop;
    hsi_vector      cases;    /* of hsi_case */
    hsi_vector      heap;     /* uint32_t: the open cases, least bound first */
    size_t          lines;    /* estimated lines of the knapsacks' proofs in a file */
    uint64_t        searched; /* nodes of all packing searches */

    /* The present case: */
    uint32_t   *low, *high; /* least and largest number of tasks on CPUs, by kind */
    hsi_problem classes;    /* problem with a row for each class that has tasks; its arrays
                               are below */
    double        *class_p, *class_q;
    uint32_t      *class_count;
    hsi_arena      arena;      /* owns the arrays */
    uint32_t      *row_kind;   /* kind of each row of `classes` */
    unsigned char *row_class;  /* hsi_class of each row of `classes` */
} hsi_prover;

hs_status hsi_prover_open(hsi_prover *pr, const hsi_problem *rows, double target);
void      hsi_prover_close(hsi_prover *pr);

static inline hsi_case *hsi_case_at(const hsi_prover *pr, size_t index)
{
    return (hsi_case *)pr->cases.data + index;
}

/* Turn to a case: set low, high and the classes. */
void hsi_prover_enter_case(hsi_prover *pr, uint32_t index);

/* Return true if tasks of the kind may run on either type in less than the target, and some have no
 * type yet. */
bool hsi_prover_is_free(const hsi_prover *pr, size_t kind);

/* Round a bound on makespans up to a multiple of the unit, if that is known. */
double hsi_prover_round_bound_up(const hsi_prover *pr, double bound);

/* Store a proof of the case if no better proof is stored; else free the proof's worth. */
void hsi_case_store_proof(hsi_case *c, const hsi_proof_node *proof, double proved);

/* Split the case at a cut of the kind, within the kind's limits. */
void hsi_prover_split_at(const hsi_prover *pr, hsi_case *c, size_t kind, double cpu_tasks);

/* Prove as high a bound as possible for the present case, and choose where to split the case. */
hs_status hsi_prover_bound_case(hsi_prover *pr, hsi_case *c);

/* Prove a bound by the number of tasks that workers of one type must run. */
hs_status hsi_prover_bound_by_task_count(hsi_prover *pr, hsi_case *c);

/* Pack the tasks that must run on one type, with at most `most_nodes` for each type. */
hs_status hsi_prover_pack_type_tasks(hsi_prover *pr, hsi_case *c, uint64_t most_nodes);

#endif
