/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_ROW_PLACES_H
#define HSI_IO_TEXT_ROW_PLACES_H

#include <stdint.h>

#include <hybridsched/status.h>

#include "support/vector.h"

/*
 * The place of each row of an instance in its file, for errors found after all rows are read or
 * reordered. Rows usually follow each other line by line and begin with their id: only deviations
 * are stored.
 */
struct hsi_places {
    uint64_t   first;   /* line of row 0 */
    uint64_t   skipped; /* lines without a row between row 0 and the last row */
    hsi_vector jumps;   /* rows at which `skipped` changes */
    hsi_vector columns; /* column of each id; empty: all 1 */
    size_t     rows;
};

/** Note that the next row is not on the line after the last row; called by hsi_places_add(). */
hs_status hsi_places_begin_run(struct hsi_places *places, uint64_t line);

/**
 * Add the place of the next row: `line`, and the `column` of its id (1 for all rows or for none).
 */
static inline hs_status hsi_places_add(struct hsi_places *places, uint64_t line, uint64_t column)
{
    uint32_t stored = column < UINT32_MAX ? (uint32_t)column : UINT32_MAX;

    if ((line != places->first + places->rows + places->skipped &&
         hsi_places_begin_run(places, line) != HS_OK) ||
        (column != 1 && hsi_vector_append(&places->columns, &stored, sizeof stored)))
        return HS_ENOMEM;
    places->rows++;
    return HS_OK;
}

void hsi_places_find_row(const struct hsi_places *places, size_t row, uint64_t *line,
                         uint64_t *column);

void hsi_places_close(struct hsi_places *places);

#endif
