/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/row_places.h"

struct jump {
    uint32_t row;     /* first row to which the jump applies */
    uint32_t skipped, high; /* lines skipped before the row, modulo 2^64, in two words */
};

hs_status hsi_places_begin_run(struct hsi_places *places, uint64_t line)
{
    uint64_t    skipped = line - places->first - places->rows;
    struct jump jump = {(uint32_t)places->rows, (uint32_t)skipped, (uint32_t)(skipped >> 32)};

    if (places->rows == 0) {
        places->first = line;
        return HS_OK;
    }
    places->skipped = skipped;
    return hsi_vector_append(&places->jumps, &jump, sizeof jump) ? HS_ENOMEM : HS_OK;
}

/*
 * Return the lines skipped before a row, from the last jump at or before it; jumps are sorted by
 * row.
 */
static uint64_t skipped_before(const struct hsi_places *places, size_t row)
{
    const struct jump *jumps = places->jumps.data;
    size_t             low = 0, high = places->jumps.size / sizeof *jumps;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (jumps[middle].row <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? jumps[low - 1].skipped | (uint64_t)jumps[low - 1].high << 32 : 0;
}

void hsi_places_find_row(const struct hsi_places *places, size_t row, uint64_t *line,
                         uint64_t *column)
{
    const uint32_t *columns = places->columns.data;

    *line = places->first + row + skipped_before(places, row);
    *column = columns && row < places->columns.size / sizeof *columns ? columns[row] : 1;
}

void hsi_places_close(struct hsi_places *places)
{
    hsi_vector_free(&places->jumps);
    hsi_vector_free(&places->columns);
}
