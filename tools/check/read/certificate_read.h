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
    STEP_GRAPH,  /* leaf of the proof for a graph, by paths; the next three occur there too */
    STEP_TYPE,   /* two cases: a task runs on a CPU, or on a GPU */
    STEP_ORDER,  /* three cases: of two tasks either is first, or both overlap */
    STEP_CROWD,  /* leaf: more tasks run at the same time than their type has workers */
    STEP_WINDOWS /* leaf: rows that derive the windows of tasks */
} proof_step;

/** Classes of a kind's tasks in a case: free to run anywhere, or fixed to a type. */
enum { CLASS_FREE, CLASS_CPU, CLASS_GPU, CLASSES };

typedef struct proof_node {
    proof_step step;
    int        type;        /* type of the workers of a packing */
    size_t     path, paths; /* first path and number of paths of STEP_GRAPH; crowd of STEP_CROWD;
                                rows of STEP_WINDOWS */
    union {
        struct {
            /* STEP_BRANCH: at most `cut` tasks of `kind` on CPUs, or more; STEP_ORDER: two tasks */
            uint32_t kind, cut;
        } branch;
        dyadic multiplier[2]; /* multipliers of the loads of CPUs and GPUs */
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

/** What a row of STEP_WINDOWS derives. The last row of a node is of one of the last two kinds. */
typedef enum row_kind {
    ROW_HEAD,
    ROW_TAIL,
    ROW_ANCESTORS,
    ROW_DESCENDANTS,
    ROW_WINDOW,
    ROW_CLOSED
} row_kind;

typedef struct window_row {
    row_kind kind;
    int      type;
    uint32_t task, other;   /* other: the task at the other end of an arc */
    dyadic   multiplier[2]; /* multipliers of the loads of several tasks */
    size_t   first, count;  /* several tasks, in certificate.path_step */
} window_row;

/** A certificate as hsched-certificates(5) defines it; a proof without cases is one node. */
typedef struct certificate {
    char     bound[32];
    mpq_t    value;
    char     value_text[32];
    uint64_t digest;
    size_t   size;      /* size of the file in bytes */
    bool     has_cases; /* whether the proof has cases of a graph */
    bool     has_kinds;
    size_t   kinds;
    double (*kind)[2]; /* CPU and GPU time of each kind */
    size_t      nodes;
    proof_node *node;  /* nodes, each before its cases; without nodes nothing is proved */
    int64_t    *worth; /* worths, CLASSES per kind, for each knapsack node */
    size_t      paths; /* number of paths of all nodes */
    proof_path *path;
    size_t      rows; /* number of rows of all nodes */
    window_row *row;
    size_t      steps;
    uint32_t   *path_step;
} certificate;

/** Read a certificate. Return 0, or an exit code after a message. Free `c` also after a failure. */
int  certificate_read(const char *path, certificate *c);
void certificate_free(certificate *c);

#endif
