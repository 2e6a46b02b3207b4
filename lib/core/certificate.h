/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_CERTIFICATE_H
#define HSI_CORE_CERTIFICATE_H

#include <hybridsched/certificate.h>

/* The kind of proof of a bound T; hsched-formats(5) has the arguments. */
typedef enum hsi_proof_kind {
    HSI_PROOF_NONE,          /* T is 0 */
    HSI_PROOF_TASK,          /* some task takes T or longer on every type */
    HSI_PROOF_MULTIPLIERS,   /* multipliers of the area LP's two constraints */
    HSI_PROOF_CONFIGURATION, /* multipliers of the tasks, and knapsacks */
    HSI_PROOF_TREE,          /* a tree of cases, each proved */
    HSI_PROOF_GRAPH,         /* multipliers of loads, and of paths through the graph */
    HSI_PROOF_GRAPH_TREE     /* a tree of cases of a graph, each proved */
} hsi_proof_kind;

/* A class of tasks with equal times, and the multiplier of each task. */
typedef struct hsi_certified_kind {
    double  cpu, gpu;
    int64_t multiplier; /* multiplier of each task of the class; unused in a tree of cases */
} hsi_certified_kind;

/* A node of a proof tree: a branch with children, or a leaf with the kind of its proof. */
typedef enum hsi_proof_step {
    HSI_STEP_BRANCH,
    HSI_STEP_MULTIPLIERS,
    HSI_STEP_CONFIGURATION,
    HSI_STEP_PACKING,
    HSI_STEP_TYPE,  /* branch of a graph's tree by the type of a task */
    HSI_STEP_ORDER, /* branch of a graph's tree by the order of two tasks: the one first, the
                       other first, or both at once */
    HSI_STEP_GRAPH, /* leaf of the tree: multipliers of loads and of paths */
    HSI_STEP_CROWD  /* leaf of the tree: too many tasks that run at the same time */
} hsi_proof_step;

/*
 * The three classes of a kind's tasks at a node: fixed to CPUs, fixed to GPUs, or free. Each class
 * has its own worth.
 */
typedef enum hsi_class { HSI_FREE_TASKS, HSI_CPU_TASKS, HSI_GPU_TASKS, HSI_CLASSES } hsi_class;

/*
 * A path: tasks, each dependent on the previous one. Before, between and after them may stand
 * HSI_OVER_CPUS or HSI_OVER_GPUS: the tasks at this position, shared by the workers of the type.
 * The whole path takes at most T.
 */
typedef struct hsi_proof_path {
    double    multiplier;
    size_t    steps;
    uint32_t *step;
} hsi_proof_path;

typedef struct hsi_proof_node {
    hsi_proof_step step;
    uint32_t kind, cut; /* branch: at most `cut` tasks of the kind on CPUs, or more; in a graph
                           one or two tasks */
    double          multiplier[2]; /* multipliers of the loads, by type */
    int      grid;
    int64_t  capacity, most[2];
    int      type;  /* leaf HSI_STEP_PACKING: the type whose tasks do not fit */
    int64_t *worth; /* worth of each class, HSI_CLASSES per kind; 0 for empty classes */
    size_t          paths; /* number of a graph's paths; or 1, the parallel tasks */
    hsi_proof_path *path;
} hsi_proof_node;

#define HSI_OVER_CPUS (UINT32_MAX - 1)
#define HSI_OVER_GPUS UINT32_MAX

static inline bool hsi_step_is_jump(uint32_t step)
{
    return step >= HSI_OVER_CPUS;
}

/* A task that counts on a path: fully, or only its time on one type, shared by the workers. */
typedef struct hsi_counted {
    uint32_t task;
    uint32_t over; /* 0: fully; or HSI_OVER_CPUS, HSI_OVER_GPUS */
} hsi_counted;

struct hs_certificate {
    char                bound[32];
    double              value;
    double              computed; /* value requested */
    uint64_t            digest;
    hsi_proof_kind      proof;
    double              multiplier[2]; /* multipliers of the loads, by type */
    int                 grid;
    int64_t             capacity, most[2];
    size_t              kinds;
    hsi_certified_kind *kind;
    size_t              nodes; /* nodes of the tree, in preorder */
    hsi_proof_node     *node;
    size_t              paths; /* paths through the graph */
    hsi_proof_path     *path;
};

void hsi_proof_paths_free(size_t paths, hsi_proof_path *path);
void hsi_proof_node_free(hsi_proof_node *node);

#endif
