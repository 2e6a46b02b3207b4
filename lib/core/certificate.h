/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_CERTIFICATE_H
#define HSI_CORE_CERTIFICATE_H

#include <stdbool.h>

#include <hybridsched/certificate.h>

/* The kind of proof of a bound T; hsched-formats(5) has the arguments. */
typedef enum hsi_proof_kind {
    HSI_PROOF_NONE,          /* T is 0 */
    HSI_PROOF_TASK,          /* some task takes T or longer on every type */
    HSI_PROOF_MULTIPLIERS,   /* multipliers of the area LP's two constraints */
    HSI_PROOF_CONFIGURATION, /* multipliers of the tasks, and knapsacks */
    HSI_PROOF_TREE,          /* a tree of cases, each proved */
    HSI_PROOF_GRAPH,         /* multipliers of loads, and of paths through the graph */
    HSI_PROOF_GRAPH_TREE,    /* a tree of cases of a graph, each proved */
    HSI_PROOF_WINDOWS        /* windows of the tasks of a graph, with transfers */
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
    HSI_STEP_TYPE,   /* branch of a graph's tree by the type of a task */
    HSI_STEP_ORDER,  /* branch of a graph's tree by the order of two tasks: the one first, the
                        other first, or both at once */
    HSI_STEP_GRAPH,  /* leaf of the tree: multipliers of loads and of paths */
    HSI_STEP_CROWD,  /* leaf of the tree: too many tasks that run at the same time */
    HSI_STEP_WINDOWS /* leaf of the tree: rows that derive windows of the tasks */
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

/* What a row of a proof by windows derives. The last row of a proof is of one of the last two
 * kinds. */
typedef enum hsi_row_kind {
    HSI_ROW_HEAD,        /* a head, over the arc from a predecessor */
    HSI_ROW_TAIL,        /* a tail, over the arc to a successor */
    HSI_ROW_ANCESTORS,   /* the heads, by the load of some ancestors */
    HSI_ROW_DESCENDANTS, /* the tails, by the load of some descendants */
    HSI_ROW_WINDOW,      /* contradiction: the load of some tasks does not fit into their window */
    HSI_ROW_CLOSED       /* contradiction: a task can run on no type */
} hsi_row_kind;

static inline bool hsi_row_has_tasks(hsi_row_kind kind)
{
    return kind == HSI_ROW_ANCESTORS || kind == HSI_ROW_DESCENDANTS || kind == HSI_ROW_WINDOW;
}

typedef struct hsi_proof_row {
    hsi_row_kind kind;
    uint32_t     task;          /* unused in a window */
    uint32_t     type, other;   /* over an arc: the hs_type, and the task at the other end */
    double       multiplier[2]; /* multipliers of the loads of several tasks, by type */
    size_t       tasks;
    uint32_t    *list; /* the several tasks; NULL: none */
} hsi_proof_row;

typedef struct hsi_proof_node {
    hsi_proof_step step;
    uint32_t kind, cut; /* branch: at most `cut` tasks of the kind on CPUs, or more; in a graph
                           one or two tasks */
    double          multiplier[2]; /* multipliers of the loads, by type */
    int             grid;
    int64_t         capacity, most[2];
    int             type;  /* leaf HSI_STEP_PACKING: the type whose tasks do not fit */
    int64_t        *worth; /* worth of each class, HSI_CLASSES per kind; 0 for empty classes */
    size_t          paths; /* number of a graph's paths; or 1, the parallel tasks */
    hsi_proof_path *path;
    size_t          rows; /* rows of HSI_STEP_WINDOWS */
    hsi_proof_row  *row;
} hsi_proof_node;

#define HSI_OVER_CPUS (UINT32_MAX - 1)
#define HSI_OVER_GPUS UINT32_MAX

static inline bool hsi_step_is_jump(uint32_t step)
{
    return step >= HSI_OVER_CPUS;
}

/* A task on a path, which counts with its full time, or with its time on one type divided by the
 * number of workers of this type. */
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
    size_t              nodes; /* nodes of the tree, in preorder; or one with windows */
    hsi_proof_node     *node;
    size_t              paths; /* paths through the graph */
    hsi_proof_path     *path;
};

void hsi_proof_paths_free(size_t paths, hsi_proof_path *path);
void hsi_proof_node_free(hsi_proof_node *node);

#endif
