/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_BUILDER_H
#define HSI_CORE_BUILDER_H

#include "core/graph/graph.h"
#include "core/store.h"

struct hs_builder {
    hsi_store content;     /* the sizes of `at` in its cells are behind until it is finished */
    size_t    room;        /* rows that the columns that have begun may have */
    uint32_t  begun;       /* HSI_BIT() of them */
    unsigned  cpus, gpus;
    int       unordered;   /* the ids so far do not ascend */
    size_t    last_length; /* of the last row's id, as long as they do */
    hsi_telling telling;     /* of the graph */
    hsi_fault   fault;       /* what was wrong with that last */
};

/* An id with the number of a copy behind it, as plans have them. */
#define HSI_MAX_NAME (HS_MAX_ID + 11)

/* A row that was found right: positive times, no task too many, no name too long. HS_ENOMEM. */
hs_status hsi_builder_add(hs_builder *b, const hsi_row *row);

/*
 * What was added so far is this share of all that will come, about: take the
 * memory for the rest. Only a hint; nothing comes of it if there is too little.
 */
void hsi_builder_expect(hs_builder *b, double share);

/* Every row has an id and no other row has the same: it need not be found out. */
void hsi_builder_distinct(hs_builder *b);

/* The names of data so far; NULL: there is no memory. */
hsi_data *hsi_builder_names(hs_builder *b);

/* As hs_builder_data(), which does not take the empty name. */
hs_status hsi_builder_data(hs_builder *b, hsi_text name, size_t *data);

/*
 * What was told, and the graph of it, which shows that there is no cycle; NULL if there is none,
 * or if it is to be made when it is asked for. On HS_EGRAPH *row is to blame.
 */
hs_status hsi_builder_graph(hs_builder *b, hs_graph **graph, size_t *row);

/* All but the rows of another builder, which loses it: notes, links, data. */
void hsi_builder_inherit(hs_builder *b, hs_builder *from);

/* So many calls of hs_builder_after() are to come: only a hint. */
void hsi_builder_expect_edges(hs_builder *b, size_t edges);

/* What is wrong after HS_EGRAPH. */
const hsi_fault *hsi_builder_fault(const hs_builder *b);

hs_status hsi_builder_note(hs_builder *b, hsi_text key, hsi_text value);

/* What is there so far, to be read only and until the next row. */
const hsi_store *hsi_builder_store(const hs_builder *b);

#endif
