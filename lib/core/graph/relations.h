/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_RELATIONS_H
#define HSI_CORE_GRAPH_RELATIONS_H

#include "core/graph/data.h"
#include "core/graph/links.h"

#define HSI_MOST_DATA ((size_t)1 << 30) /* limit by 32 bits, two of which hold the access mode */

/*
 * Relations between rows: links, handles, and by row its predecessors and accesses. graph.h
 * describes the graph built from them.
 */
typedef struct hsi_relations {
    hsi_data  data;
    hsi_links links;
    double    transfers; /* upper bound on the total time of all transfers */
    size_t   *edge_at;   /* start of each row's edges, and the number of edges; NULL: no edges */
    uint32_t *from;      /* predecessor rows, ascending for each row */
    uint32_t *copy;      /* copy of the predecessor row, from 1, or 0: all; NULL: all 0 */
    double   *bytes;     /* NULL: all 0 */
    size_t   *access_at; /* start of each row's accesses; NULL: no accesses */
    uint32_t *access;    /* data << 2 | mode, in the order of calls */
} hsi_relations;

/* An edge between rows. */
typedef struct hsi_edge {
    uint32_t to, from, copy;
} hsi_edge;

/* A number of consecutive accesses of one row. */
typedef struct hsi_access_run {
    uint32_t row, count;
} hsi_access_run;

/* Edges and accesses in the order of the builder's calls. A zeroed structure is empty. */
typedef struct hsi_relations_builder {
    hsi_vector edges;    /* hsi_edge */
    hsi_vector bytes;    /* double: bytes of the edges; empty: all 0 */
    hsi_vector accesses; /* uint32_t */
    hsi_vector runs;     /* rows of the accesses, in runs */
} hsi_relations_builder;

/* A fault in the relations. */
typedef enum hsi_fault_kind {
    HSI_FAULT_NONE,
    HSI_FAULT_NO_ROW,       /* `row` or `other` does not exist, or the row has no copy of this
                               number */
    HSI_FAULT_SELF,         /* `row` is its own predecessor */
    HSI_FAULT_TWICE,        /* `row` lists the predecessor `other`, or its copy `copy`, twice */
    HSI_FAULT_ACCESS_TWICE, /* `row` accesses handle `other` twice */
    HSI_FAULT_CYCLE
} hsi_fault_kind;

typedef struct hsi_fault {
    hsi_fault_kind kind;
    size_t         row, other;
    uint32_t       copy;
    hsi_vector     cycle; /* size_t: rows, each a predecessor of the next and the last of the
                             first */
} hsi_fault;

hs_status hsi_add_edge(hsi_relations_builder *builder, const hsi_edge *edge, double bytes);

/* Add an access, encoded as in hsi_relations.access. HS_ENOMEM. */
static inline hs_status hsi_add_access(hsi_relations_builder *builder, size_t row, uint32_t access)
{
    hsi_access_run run = {(uint32_t)row, 1}, *runs;
    size_t         count = builder->runs.size / sizeof run;

    if (hsi_vector_reserve(&builder->runs, sizeof run) ||
        hsi_vector_append(&builder->accesses, &access, sizeof access))
        return HS_ENOMEM;
    runs = builder->runs.data;
    if (count > 0 && runs[count - 1].row == row && runs[count - 1].count < UINT32_MAX)
        runs[count - 1].count++;
    else
        (void)hsi_vector_append(&builder->runs, &run, sizeof run);
    return HS_OK;
}

void hsi_relations_builder_close(hsi_relations_builder *builder);

/*
 * Build the relations of `rows` rows with these counts (NULL: all 1). HS_EGRAPH with *fault.
 * Replaces previous edges and accesses; accesses added in the order of rows are moved, not copied.
 * O(rows + edges log edges).
 */
hs_status hsi_relations_finish(hsi_relations *relations, hsi_relations_builder *builder,
                               size_t rows, const uint32_t *counts, hsi_fault *fault);

/* Move the accesses back after a later failure. */
void hsi_relations_return_accesses(hsi_relations *relations, hsi_relations_builder *builder);

/* Free the relations; NULL has no effect. */
void hsi_relations_free(hsi_relations *relations);

#endif
