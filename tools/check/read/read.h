/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_READ_READ_H
#define TOOLS_CHECK_READ_READ_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

typedef enum proof_kind {
    PROOF_NONE,
    PROOF_TASK,
    PROOF_MULTIPLIERS,
    PROOF_CONFIGURATION,
    PROOF_TREE
} proof_kind;

/** The tasks with these times, and the multiplier of each. */
typedef struct certified_kind {
    double   time[2];
    int64_t  multiplier;
    uint64_t count; /* for the checker */
} certified_kind;

/** mantissa 2^exponent */
typedef struct dyadic {
    int64_t mantissa;
    long    exponent;
} dyadic;

/** What a node of a tree says: two cases, or what proves the case. */
typedef enum tree_step {
    STEP_BRANCH,
    STEP_MULTIPLIERS,
    STEP_CONFIGURATION,
    STEP_SEARCH,
    STEP_PATTERNS
} tree_step;

/** Tasks of a kind in a case: free to run anywhere, and settled for a type. */
enum { CLASS_FREE, CLASS_CPU, CLASS_GPU, CLASSES };

typedef struct tree_node {
    tree_step step;
    uint64_t  kind, cut;     /* at most `cut` of the kind on CPUs, or more */
    dyadic    multiplier[2]; /* CPU, GPU */
    long      grid;
    int64_t   capacity, most[2];
    uint64_t  nodes;         /* that the search took who wrote it */
    int       listed;        /* the type whose workers' patterns are */
    int64_t   fine[CLASSES]; /* of each worth, what a worker of the other type can run */
    size_t    worth;         /* where in the certificate's those of this node begin */
} tree_node;

/** A certificate as hsched-formats(5) defines it. */
typedef struct certificate {
    char            bound[32];
    mpq_t           value;
    char            value_text[32];
    uint64_t        digest;
    proof_kind      proof;
    mpq_t           multiplier[2]; /* CPU, GPU */
    long            grid;
    int64_t         capacity, most[2];
    size_t          kinds;
    certified_kind *kind;
    size_t          nodes;
    tree_node      *node;  /* each before its cases */
    int64_t        *worth; /* for each node that has them CLASSES a kind */
} certificate;

/** 0, or an exit code after a message. The caller frees in any case. */
int  certificate_read(const char *path, certificate *c);
void certificate_free(certificate *c);

#endif
