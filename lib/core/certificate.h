/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_CERTIFICATE_H
#define HSI_CORE_CERTIFICATE_H

#include <hybridsched/certificate.h>

/* How a bound T is proved; the arguments stand in hsched-formats(5). */
typedef enum hsi_proof_kind {
    HSI_PROOF_NONE,          /* T is 0 */
    HSI_PROOF_TASK,          /* a task takes T or longer everywhere */
    HSI_PROOF_MULTIPLIERS,   /* of the area LP's two constraints */
    HSI_PROOF_CONFIGURATION, /* of the tasks, and knapsacks */
    HSI_PROOF_TREE,          /* by cases, each of them proved */
    HSI_PROOF_GRAPH,         /* multipliers of the loads, and of ways through the graph */
    HSI_PROOF_GRAPH_TREE     /* by cases of a graph, each of them proved */
} hsi_proof_kind;

/* Tasks with these times, and the multiplier of each of them. */
typedef struct hsi_certified_kind {
    double  cpu, gpu;
    int64_t multiplier; /* not in a tree */
} hsi_certified_kind;

/* What a node of a tree does: it has two children, or is a leaf that is proved so. */
typedef enum hsi_proof_step {
    HSI_STEP_BRANCH,
    HSI_STEP_MULTIPLIERS,
    HSI_STEP_CONFIGURATION,
    HSI_STEP_PACKING,
    HSI_STEP_TYPE,  /* of a graph's tree: the type of a task */
    HSI_STEP_ORDER, /* the same: who comes first of two, or neither: three children */
    HSI_STEP_GRAPH, /* multipliers and ways */
    HSI_STEP_CROWD  /* too many tasks beside each other */
} hsi_proof_step;

/*
 * A node's tasks of a kind are settled for CPUs, settled for GPUs, or free, which are
 * three classes; each has a worth of its own.
 */
typedef enum hsi_class { HSI_FREE_TASKS, HSI_CPU_TASKS, HSI_GPU_TASKS, HSI_CLASSES } hsi_class;

/*
 * Tasks, each of which depends on the one before it, and between two of them, before the first or
 * behind the last perhaps HSI_OVER_CPUS or HSI_OVER_GPUS: what lies there, shared by the workers of
 * that type. All of that together takes T at most.
 */
typedef struct hsi_proof_way {
    double    multiplier;
    size_t    steps;
    uint32_t *step;
} hsi_proof_way;

typedef struct hsi_proof_node {
    hsi_proof_step step;
    uint32_t kind, cut; /* at most `cut` of the kind on CPUs, or more; a graph's one or two tasks */
    double   multiplier[2]; /* by type */
    int      grid;
    int64_t  capacity, most[2];
    int      type;  /* whose tasks cannot be packed */
    int64_t *worth; /* HSI_CLASSES a kind; 0 for classes without tasks */
    size_t   ways;  /* of a graph; or the crowd alone */
    hsi_proof_way *way;
} hsi_proof_node;

#define HSI_OVER_CPUS (UINT32_MAX - 1)
#define HSI_OVER_GPUS UINT32_MAX

static inline int hsi_is_over(uint32_t step)
{
    return step >= HSI_OVER_CPUS;
}

/* A task that counts on a way: by itself, or only what it is on one type, shared by its workers. */
typedef struct hsi_counted {
    uint32_t task;
    uint32_t over; /* 0: by itself; or HSI_OVER_CPUS, HSI_OVER_GPUS */
} hsi_counted;

struct hs_certificate {
    char                bound[32];
    double              value;
    double              computed; /* what was to be proved */
    uint64_t            digest;
    hsi_proof_kind      proof;
    double              multiplier[2]; /* by type */
    int                 grid;
    int64_t             capacity, most[2];
    size_t              kinds;
    hsi_certified_kind *kind;
    size_t              nodes; /* of the tree, each before its children */
    hsi_proof_node     *node;
    size_t              ways; /* through the graph */
    hsi_proof_way      *way;
};

void hsi_proof_ways_free(size_t ways, hsi_proof_way *way);
void hsi_proof_node_free(hsi_proof_node *node);

#endif
