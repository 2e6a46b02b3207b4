/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_TOLD_H
#define HSI_CORE_GRAPH_TOLD_H

#include "core/graph/data.h"
#include "core/graph/links.h"

#define HSI_MOST_DATA ((size_t)1 << 30) /* an access has its mode in the two bits left */

/*
 * What was told of a graph: links, data, and by rows what each comes after and accesses. graph.h
 * says what is made of it.
 */
typedef struct hsi_told {
    hsi_data  data;
    hsi_links links;
    double    transfers; /* what all of them together may take at most */
    size_t   *edge_at;   /* of each row, and the number of all; NULL: no row comes after any */
    uint32_t *from;      /* rows, ascending within those of one */
    uint32_t *copy;      /* which one of them, from 1, or 0: all; NULL: all 0 */
    double   *bytes;     /* NULL: all 0 */
    size_t   *access_at; /* NULL: no row accesses data */
    uint32_t *access;    /* data << 2 | mode, as told */
} hsi_told;

/* A row comes after another. */
typedef struct hsi_edge {
    uint32_t to, from, copy;
} hsi_edge;

/* So many accesses more are of a row. */
typedef struct hsi_turn {
    uint32_t row, count;
} hsi_turn;

/* The same while it is being told, in any order. All zero is nothing. */
typedef struct hsi_telling {
    hsi_vector edges;    /* hsi_edge */
    hsi_vector bytes;    /* double: of the edges; empty: all 0 */
    hsi_vector accesses; /* uint32_t */
    hsi_vector turns;    /* hsi_turn: which rows they are of */
} hsi_telling;

/* What is wrong with it. */
typedef enum hsi_fault_kind {
    HSI_FAULT_NONE,
    HSI_FAULT_NO_ROW,       /* `row` or `other` is not there, or has no such copy */
    HSI_FAULT_SELF,         /* `row` comes after itself */
    HSI_FAULT_TWICE,        /* `row` comes after `other`, or its `copy`, twice */
    HSI_FAULT_ACCESS_TWICE, /* `row` accesses data `other` twice */
    HSI_FAULT_CYCLE
} hsi_fault_kind;

typedef struct hsi_fault {
    hsi_fault_kind kind;
    size_t         row, other;
    uint32_t       copy;
    hsi_vector     cycle; /* size_t: rows, each before the next and the last before the first */
} hsi_fault;

hs_status hsi_tell_edge(hsi_telling *telling, const hsi_edge *edge, double bytes);

/* As hsi_told has it. HS_ENOMEM. */
static inline hs_status hsi_tell_access(hsi_telling *telling, size_t row, uint32_t access)
{
    hsi_turn turn = {(uint32_t)row, 1}, *turns;
    size_t   count = telling->turns.size / sizeof turn;

    if (hsi_vector_reserve(&telling->turns, sizeof turn) ||
        hsi_vector_append(&telling->accesses, &access, sizeof access))
        return HS_ENOMEM;
    turns = telling->turns.data;
    if (count > 0 && turns[count - 1].row == row && turns[count - 1].count < UINT32_MAX)
        turns[count - 1].count++;
    else
        (void)hsi_vector_append(&telling->turns, &turn, sizeof turn);
    return HS_OK;
}

void hsi_telling_close(hsi_telling *telling);

/*
 * From what is being told of so many rows with these counts (NULL: all 1) to what was told.
 * HS_EGRAPH and *fault. What was there of edges and accesses is replaced; accesses that were told
 * in the order of rows are not copied, but taken. O(rows + edges log edges).
 */
hs_status hsi_told_finish(hsi_told *told, hsi_telling *telling, size_t rows,
                          const uint32_t *counts, hsi_fault *fault);

/* They are given back: something else is wrong. */
void hsi_told_undo(hsi_told *told, hsi_telling *telling);

/* NULL is fine. */
void hsi_told_free(hsi_told *told);

#endif
