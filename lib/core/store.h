/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_STORE_H
#define HSI_CORE_STORE_H

#include <stdatomic.h>
#include <string.h>

#include "core/columns.h"
#include "core/graph/told.h"
#include "support/vector.h"

/*
 * A column as an instance has it: nothing where every row has the default, as in most columns
 * of most instances; or else a value a row, in the type of its descriptor. A TEXT has there
 * where in `text` it begins, 0 for the empty one; a NUL is behind each, and they stand in the order
 * of rows.
 */
typedef struct hsi_cells {
    hsi_vector at;
    hsi_vector text;
} hsi_cells;

/* The columns of an instance; instances on other workers share them. */
typedef struct hsi_store {
    atomic_uint references;
    size_t      rows, tasks;
    hsi_cells   cells[HSI_COLUMNS];
    uint32_t   *first;       /* where there are counts: first task of each row, and `tasks` */
    hsi_vector  notes;       /* key NUL value NUL ... */
    hsi_told   *told;        /* NULL: nothing of links, data or what comes after what */
    _Atomic(hs_graph *) graph; /* see hsi_graph_of() */
    hs_unit     unit;
    int         is_borrowed; /* the cells are the caller's */
} hsi_store;

static inline int hsi_store_has(const hsi_store *store, int column)
{
    if (column == HSI_AFTER)
        return store->told && store->told->edge_at;
    if (column == HSI_DATA)
        return store->told && store->told->access_at;
    return store->cells[column].at.data != NULL;
}

/* Is there anything by which tasks depend on each other? */
static inline int hsi_store_has_graph(const hsi_store *store)
{
    return hsi_store_has(store, HSI_AFTER) || hsi_store_has(store, HSI_DATA);
}

static inline const double *hsi_store_times(const hsi_store *store, int column)
{
    return store->cells[column].at.data;
}

/* NULL: all 0. */
static inline const int64_t *hsi_store_priorities(const hsi_store *store)
{
    return store->cells[HSI_PRIORITY].at.data;
}

/* NULL: all 1. */
static inline const uint32_t *hsi_store_counts(const hsi_store *store)
{
    return store->cells[HSI_COUNT].at.data;
}

static inline uint32_t hsi_store_count(const hsi_store *store, size_t row)
{
    const uint32_t *count = hsi_store_counts(store);

    return count ? count[row] : 1;
}

/* A text with its NUL; NULL: an empty one. */
static inline const char *hsi_store_text(const hsi_store *store, int column, size_t row)
{
    const hsi_cells *cells = &store->cells[column];
    const size_t    *at = cells->at.data;

    return at && at[row] ? (const char *)cells->text.data + at[row] : NULL;
}

/* Up to the NUL before the next row's, where that has one. */
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
        return hsi_default(column);
    switch (hsi_columns[column].is.type) {
    case HS_COLUMN_TIME:
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

void hsi_store_release(hsi_store *store);

/* What the store owns, not itself. */
void hsi_store_free_columns(hsi_store *store);

/* Checks numbers of workers, and every row against them; *row is the one to blame. */
hs_status hsi_store_validate(const hsi_store *store, unsigned cpus, unsigned gpus, size_t *row);

/* The first of the columns before `end`, lists apart, in which the row is not as `other`; -1: there
 * is none. */
int hsi_store_difference(const hsi_store *store, size_t row, const hsi_row *other, int end);

/* As hs_instance_row_name(). */
size_t hsi_store_name(const hsi_store *store, size_t row, uint32_t copy, char *buffer, size_t size);

/* Task of a row without counts, first task of one with. */
static inline size_t hsi_store_first(const hsi_store *store, size_t row)
{
    return store->first ? store->first[row] : row;
}

#endif
