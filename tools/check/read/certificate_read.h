/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_READ_CERTIFICATE_READ_H
#define TOOLS_CHECK_READ_CERTIFICATE_READ_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The number mantissa 2^exponent. */
typedef struct dyadic {
    int64_t mantissa;
    long    exponent;
} dyadic;

/** The kind of a node of a proof: a branch into cases, or a leaf that proves its case. */
typedef enum proof_step {
    STEP_BRANCH,
    STEP_MULTIPLIERS,
    STEP_CONFIGURATION,
    STEP_PACKING,
    STEP_GRAPH, /* the only node, or a leaf of a graph's tree, which also has: */
    STEP_TYPE,  /* two cases: a task runs on a CPU, or on a GPU */
    STEP_ORDER, /* three cases: of two tasks either is first, or both overlap */
    STEP_CROWD
} proof_step;

/** Classes of a kind's tasks in a case: free to run anywhere, or fixed to a type. */
enum { CLASS_FREE, CLASS_CPU, CLASS_GPU, CLASSES };

typedef struct proof_node {
    proof_step step;
    int        type;        /* of a packing */
    size_t     path, paths; /* paths of STEP_GRAPH: first, number; crowd of STEP_CROWD */
    union {
        struct {
            uint32_t kind, cut; /* at most `cut` of the kind on CPUs, or more; or two tasks */
        } branch;
        dyadic multiplier[2]; /* CPU, GPU; of a graph, too */
        struct {
            long    grid;
            int64_t capacity, most[2];
            size_t  worth; /* index of this node's first entry in certificate.worth */
        } knapsacks;
    };
} proof_node;

/** In place of a task: all tasks between its neighbours, shared by the CPUs or by the GPUs. */
#define PATH_OVER_CPUS (UINT32_MAX - 1)
#define PATH_OVER_GPUS UINT32_MAX

/** A path: tasks of which each depends on the one before; `count` steps from `first` on. */
typedef struct proof_path {
    dyadic multiplier;
    size_t first, count;
} proof_path;

/** A certificate as hsched-certificates(5) defines it; a proof without cases is one node. */
typedef struct certificate {
    char     bound[32];
    mpq_t    value;
    char     value_text[32];
    uint64_t digest;
    size_t   size;      /* size of the file in bytes */
    bool     has_cases; /* cases of a graph */
    bool     has_kinds;
    size_t   kinds;
    double (*kind)[2]; /* times of each kind */
    size_t      nodes;
    proof_node *node;  /* each node before its cases; none: nothing is proved */
    int64_t    *worth; /* CLASSES entries per kind, for each knapsack node */
    size_t      paths; /* total of all nodes */
    proof_path *path;
    size_t      steps;
    uint32_t   *path_step;
} certificate;

/** Read a certificate. Return 0, or an exit code after a message. Free `c` also after a failure. */
int  certificate_read(const char *path, certificate *c);
void certificate_free(certificate *c);

#endif
