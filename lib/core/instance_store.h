/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_INSTANCE_STORE_H
#define HSI_CORE_INSTANCE_STORE_H

#include <stdatomic.h>
#include <string.h>

#include "core/columns.h"
#include "core/graph/relations.h"
#include "support/vector.h"

/*
 * A column of an instance: empty if every row has the default, as for most columns of most
 * instances; else a value per row, in the type of the column. A TEXT column has in `at` the offset
 * of each row's text within `text`, 0 for an empty text; texts are NUL-terminated and in the order
 * of rows.
 */
typedef struct hsi_cells {
    hsi_vector at;
    hsi_vector text;
} hsi_cells;

/* Rows of an instance that a policy reuses for tasks that arrive while it runs. The arrays are by
 * row. The graph has no edges: the policy keeps them. */
typedef struct hsi_recycled_rows {
    const hs_graph      *graph;
    const unsigned char *restartable; /* whether the task may be aborted */
    unsigned char       *kernel;      /* class of the kernel, see hsi_history */
} hsi_recycled_rows;

/* Columns of an instance; shared between instances on different workers. */
typedef struct hsi_store {
    atomic_uint         references;
    size_t              rows, tasks;
    size_t              unknown; /* rows with an unknown time */
    hsi_cells           cells[HSI_COLUMNS];
    uint32_t           *first; /* with counts: first task of each row, and the number of tasks */
    hsi_vector          notes; /* notes of the header, one after another: key NUL value NUL */
    hsi_relations      *relations; /* links, data and dependencies; NULL: none */
    _Atomic(hs_graph *) graph;     /* built on demand, see hsi_graph_of() */
    hsi_node_list       nodes;     /* empty: the file or program lists none */
    hs_unit             unit;
    bool                is_borrowed; /* whether the cells belong to the caller, and are not freed */
    const hsi_recycled_rows *recycled; /* NULL: the instance is immutable */
    unsigned char *source; /* hs_cost_source of the CPU and GPU time of each row; NULL: given */
} hsi_store;

static inline bool hsi_store_has(const hsi_store *store, int column)
{
    if (column == HSI_AFTER)
        return store->relations && store->relations->edge_at;
    if (column == HSI_DATA)
        return store->relations && store->relations->access_at;
    return store->cells[column].at.data != NULL;
}

/* Return true if tasks depend on each other. */
static inline bool hsi_store_has_graph(const hsi_store *store)
{
    return hsi_store_has(store, HSI_AFTER) || hsi_store_has(store, HSI_DATA);
}

static inline const double *hsi_store_times(const hsi_store *store, int column)
{
    return store->cells[column].at.data;
}

/* Return the priorities of the rows; NULL: all 0. */
static inline const int64_t *hsi_store_priorities(const hsi_store *store)
{
    return store->cells[HSI_PRIORITY].at.data;
}

/* Return the counts of the rows; NULL: all 1. */
static inline const uint32_t *hsi_store_counts(const hsi_store *store)
{
    return store->cells[HSI_COUNT].at.data;
}

static inline uint32_t hsi_store_count(const hsi_store *store, size_t row)
{
    const uint32_t *count = hsi_store_counts(store);

    return count ? count[row] : 1;
}

/* Return the text of a row with its NUL; NULL: empty. */
static inline const char *hsi_store_text(const hsi_store *store, int column, size_t row)
{
    const hsi_cells *cells = &store->cells[column];
    const size_t    *at = cells->at.data;

    return at && at[row] ? (const char *)cells->text.data + at[row] : NULL;
}

/* Return a text's length from the start of the next row's text, if nonempty, else by strlen(). */
static inline size_t hsi_store_text_length(const hsi_store *store, int column, size_t row)
{
    const hsi_cells *cells = &store->cells[column];
    const size_t    *at = cells->at.data;
    size_t           next;

    if (!at || at[row] == 0)
        return 0;
    next = row + 1 < store->rows ? at[row + 1] : cells->text.size;
    return next ? next - at[row] - 1 : strlen((const char *)cells->text.data + at[row]);
}

static inline hsi_value hsi_store_value(const hsi_store *store, int column, size_t row)
{
    const void *at = store->cells[column].at.data;

    if (!at)
        return hsi_column_default(column);
    switch (hsi_columns[column].is.type) {
    case HS_COLUMN_TIME:
    case HS_COLUMN_NUMBER:
        return (hsi_value){.time = ((const double *)at)[row]};
    case HS_COLUMN_INTEGER:
        return (hsi_value){.integer = ((const int64_t *)at)[row]};
    case HS_COLUMN_COUNT:
        return (hsi_value){.integer = ((const uint32_t *)at)[row]};
    case HS_COLUMN_WORD:
        return (hsi_value){.integer = ((const unsigned char *)at)[row]};
    default:
        return (hsi_value){.text = {hsi_store_text(store, column, row),
                                    hsi_store_text_length(store, column, row)}};
    }
}

struct hs_instance {
    hsi_store *store;
    unsigned   cpus, gpus;
};

/* Return the listed nodes of an instance; NULL: none, or they have other workers. */
static inline const hsi_node_list *hsi_listed_nodes(const hs_instance *in)
{
    return hsi_nodes_have(&in->store->nodes, in->cpus, in->gpus) ? &in->store->nodes : NULL;
}

/* Return the nodes of an instance; NULL: one node. */
static inline const hsi_node_list *hsi_several_nodes(const hs_instance *in)
{
    return in->store->nodes.count > 1 ? hsi_listed_nodes(in) : NULL;
}

void hsi_store_release(hsi_store *store);

/* Free the members owned by the store, but not the store itself. */
void hsi_store_free_content(hsi_store *store);

/* Count the rows with an unknown time. */
size_t hsi_store_count_unknown(const hsi_store *store);

/* Return HS_EUNKNOWN if the instance has an unknown time, else HS_OK. */
static inline hs_status hsi_require_known_times(const hs_instance *in)
{
    return in->store->unknown ? HS_EUNKNOWN : HS_OK;
}

/* Check the numbers of workers, and every row against them; on failure *row is the faulty row. */
hs_status hsi_store_validate(const hsi_store *store, unsigned cpus, unsigned gpus, size_t *row);

/*
 * Return the first column before `end`, lists excluded, in which the row differs from `other`; -1:
 * none.
 */
int hsi_store_first_difference(const hsi_store *store, size_t row, const hsi_row *other, int end);

/* Write a row's name as hs_instance_row_name() does. */
size_t hsi_store_row_name(const hsi_store *store, size_t row, uint32_t copy, char *buffer,
                          size_t size);

/* Return the first task of a row. */
static inline size_t hsi_store_first_task(const hsi_store *store, size_t row)
{
    return store->first ? store->first[row] : row;
}

#endif
