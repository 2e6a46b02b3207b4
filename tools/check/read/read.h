/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_READ_READ_H
#define TOOLS_CHECK_READ_READ_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

/** mantissa 2^exponent */
typedef struct dyadic {
    int64_t mantissa;
    long    exponent;
} dyadic;

/** What a node of a proof says: two cases, or what proves the case. */
typedef enum proof_step {
    STEP_BRANCH,
    STEP_MULTIPLIERS,
    STEP_CONFIGURATION,
    STEP_PACKING,
    STEP_GRAPH, /* the only node, or a leaf of a graph's tree, in which are also: */
    STEP_TYPE,  /* two cases: a task runs on a CPU, or on a GPU */
    STEP_ORDER, /* three: of two tasks one comes first, or the other, or they run at one time */
    STEP_CROWD
} proof_step;

/** Tasks of a kind in a case: free to run anywhere, and settled for a type. */
enum { CLASS_FREE, CLASS_CPU, CLASS_GPU, CLASSES };

typedef struct proof_node {
    proof_step step;
    int        type;      /* of a packing */
    size_t     way, ways; /* of STEP_GRAPH: the first of them, and how many; of STEP_CROWD 1 */
    union {
        struct {
            uint32_t kind, cut; /* at most `cut` of the kind on CPUs, or more; or tasks */
        } branch;
        dyadic multiplier[2]; /* CPU, GPU; of a graph, too */
        struct {
            long    grid;
            int64_t capacity, most[2];
            size_t  worth; /* where in the certificate's those of this node begin */
        } knapsacks;
    };
} proof_node;

/** In place of a task: what lies between its neighbours, shared by the CPUs or by the GPUs. */
#define WAY_OVER_CPUS (UINT32_MAX - 1)
#define WAY_OVER_GPUS UINT32_MAX

/** Tasks, each of which depends on the one before it: `count` of way_step from `first` on. */
typedef struct proof_way {
    dyadic multiplier;
    size_t first, count;
} proof_way;

/** A certificate as hsched-certificates(5) defines it; a proof without cases is one node. */
typedef struct certificate {
    char     bound[32];
    mpq_t    value;
    char     value_text[32];
    uint64_t digest;
    size_t   size;      /* of the file, in bytes */
    int      has_cases; /* of a graph */
    int      has_kinds;
    size_t   kinds;
    double (*kind)[2]; /* the times of each */
    size_t      nodes;
    proof_node *node;  /* each before its cases; none: nothing is proved */
    int64_t    *worth; /* for each node that has them CLASSES a kind */
    size_t      ways;  /* of all nodes */
    proof_way  *way;
    size_t      steps;
    uint32_t   *way_step;
} certificate;

/** 0, or an exit code after a message. The caller frees in any case. */
int  certificate_read(const char *path, certificate *c);
void certificate_free(certificate *c);

#endif
