/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_POINTS_H
#define HSI_IO_IMPORT_POINTS_H

#include "io/import/import.h"

/* What a file has between tasks, some of which take no time and are only waited for: points. */
typedef struct hsi_point_edge {
    uint32_t    later, earlier; /* nodes */
    double      bytes;
    int         is_data; /* it follows from data; for the reader */
    const char *at;
} hsi_point_edge;

#define HSI_POINT UINT32_MAX

/*
 * The edges, which are sorted, as those of rows: `row` has that of each node, or HSI_POINT. What
 * goes through points goes from each task before them to each behind them.
 */
hs_status hsi_point_edges(hsi_import *r, hsi_point_edge *edges, size_t count, size_t nodes,
                          const uint32_t *row);

/* More edges than a text of that size could mean. */
size_t hsi_import_most_edges(const hsi_import *r);

#endif
