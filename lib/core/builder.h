/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_BUILDER_H
#define HSI_CORE_BUILDER_H

#include "core/graph/graph.h"
#include "core/instance_store.h"

struct hs_builder {
    hsi_store content;     /* rows added so far; hs_builder_finish() sets the sizes of the cells */
    size_t    room;        /* capacity in rows of the started columns */
    uint32_t  begun;       /* started columns, a mask of HSI_BIT() */
    unsigned  cpus, gpus;
    bool      unordered;   /* whether the ids are not in ascending order */
    size_t    last_length; /* length of the previous row's id, while the ids ascend */
    hsi_fault fault;       /* fault described by the last HS_EGRAPH */

    hsi_relations_builder pending; /* edges and accesses added so far */
};

/* Maximal length of an id followed by the number of a copy, as in plans. */
#define HSI_MAX_NAME (HS_MAX_ID + 11)

/*
 * Add a validated row: positive times, and task count and name length within the limits. HS_ENOMEM.
 */
hs_status hsi_builder_add_row(hs_builder *b, const hsi_row *row);

/*
 * Reserve memory for the rest, given that the rows so far are about `share` of all. A hint only:
 * ignores a lack of memory.
 */
void hsi_builder_reserve_share(hs_builder *b, double share);

/* Skip the search for repeated ids: the caller guarantees that every row has a unique id. */
void hsi_builder_assume_unique_ids(hs_builder *b);

/* Return the handles' names so far; NULL: out of memory. */
hsi_data *hsi_builder_handles(hs_builder *b);

/* Find or create a handle as hs_builder_add_handle() does, except that `name` must not be empty. */
hs_status hsi_builder_add_handle(hs_builder *b, hsi_text name, size_t *data);

/*
 * Build relations and graph of the rows and reject cycles. *graph is NULL for independent tasks, or
 * if hsi_graph_of() will build it on demand. On HS_EGRAPH *row is the faulty row.
 */
hs_status hsi_builder_build_graph(hs_builder *b, hs_graph **graph, size_t *row);

/* Move notes, links and data, everything but the rows, from another builder. */
void hsi_builder_move_header(hs_builder *b, hs_builder *from);

/* Reserve memory for `edges` calls of hs_builder_add_predecessor(); a hint only. */
void hsi_builder_reserve_edges(hs_builder *b, size_t edges);

/*
 * Describe in *error (may be NULL) why hs_builder_finish() fails with `status` because of `row`;
 * return the status.
 */
hs_status hsi_builder_describe_failure(const hs_builder *b, hs_status status, size_t row,
                                       hs_error *error);

/* Return the details of the last HS_EGRAPH. */
const hsi_fault *hsi_builder_graph_fault(const hs_builder *b);

hs_status hsi_builder_add_note(hs_builder *b, hsi_text key, hsi_text value);

/* Append a node as hs_builder_add_node() does. */
hs_status hsi_builder_add_node(hs_builder *b, hsi_text name, unsigned cpus, unsigned gpus);

/* Forget the nodes so far. */
void hsi_builder_drop_nodes(hs_builder *b);

/* Return the rows so far; read-only, valid until the next row is added. */
const hsi_store *hsi_builder_rows(const hs_builder *b);

#endif
