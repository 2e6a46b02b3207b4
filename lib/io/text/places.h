/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_PLACES_H
#define HSI_IO_TEXT_PLACES_H

#include <stdint.h>

#include <hybridsched/status.h>

#include "support/vector.h"

/*
 * Where in its file each row of an instance stands, for what comes to light when
 * all have been read, or were put in another order. Rows mostly follow each other line by line and
 * begin with their id: only what differs is stored.
 */
struct hsi_places {
    uint64_t   first;   /* line of row 0 */
    uint64_t   skipped; /* lines between row 0 and the last row that hold no other */
    hsi_vector jumps;   /* where `skipped` has grown */
    hsi_vector columns; /* of the id; empty: all 1 */
    size_t     rows;
};

/** For hsi_places_add(): the next row does not stand on the line behind the last one. */
hs_status hsi_places_jump(struct hsi_places *places, uint64_t line);

/** The next row stands on `line`, its id in `column` (1 for all or none of the rows). */
static inline hs_status hsi_places_add(struct hsi_places *places, uint64_t line, uint64_t column)
{
    uint32_t stored = column < UINT32_MAX ? (uint32_t)column : UINT32_MAX;

    if ((line != places->first + places->rows + places->skipped &&
         hsi_places_jump(places, line) != HS_OK) ||
        (column != 1 && hsi_vector_append(&places->columns, &stored, sizeof stored)))
        return HS_ENOMEM;
    places->rows++;
    return HS_OK;
}

void hsi_places_find(const struct hsi_places *places, size_t row, uint64_t *line,
                     uint64_t *column);

void hsi_places_close(struct hsi_places *places);

#endif
