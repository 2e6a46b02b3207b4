/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_DOT_POINTS_H
#define HSI_IO_IMPORT_DOT_POINTS_H

#include "io/import/dot/parser.h"
#include "io/import/import.h"

#define HSI_DOT_POINT UINT32_MAX

/*
 * The edges, as those of rows: `row` has that of each node, or HSI_DOT_POINT. What goes through
 * points goes from each task before them to each behind them.
 */
hs_status hsi_dot_edges(hsi_dot *d, const uint32_t *row, hsi_import *r);

#endif
