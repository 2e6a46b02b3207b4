/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_PLAIN_H
#define HSI_IO_TEXT_PLAIN_H

#include "io/text/columns.h"
#include "io/text/csv_scan.h"
#include "support/decimal/decimal.h"

/*
 * Fields of plain rows, converted where they stand: each returns where the field ends,
 * or NULL if it is not plain. The careful reader says what is wrong with that, if anything is.
 */

/* A number that needs no thought: less than 18 digits, perhaps after a sign. NULL: another. */
static inline const char *hsi_plain_whole(const char *at, const char *end, int64_t *value)
{
    const char *start, *stop;
    int64_t     number = 0;
    int         negative = at < end && *at == '-';

    at += negative;
    stop = end - at > 18 ? at + 18 : end;
    for (start = at; at < stop && *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (*at - '0');
    *value = negative ? -number : number;
    return at == start || at == stop ? NULL : at;
}

static inline const char *hsi_plain_text(const char *at, const char *end, hsi_text *value)
{
    const char *stop = hsi_find_special(at, end);

    *value = (hsi_text){at, (size_t)(stop - at)};
    return stop;
}

/* A field of the columns that instances and plans share. */
static inline const char *hsi_plain_field(int column, const char *at, const char *end, hsi_row *row)
{
    hsi_text ignored;

    switch (column) {
    case HSI_CPU:
        return hsi_decimal_read(at, end, &row->cpu);
    case HSI_GPU:
        return hsi_decimal_read(at, end, &row->gpu);
    case HSI_PRIORITY:
        return hsi_plain_whole(at, end, &row->priority);
    case HSI_KERNEL:
        return hsi_plain_text(at, end, &row->kernel);
    case HSI_CPU_COMMAND:
        return hsi_plain_text(at, end, &row->cpu_command);
    case HSI_GPU_COMMAND:
        return hsi_plain_text(at, end, &row->gpu_command);
    default: /* HSI_RESTARTABLE */
        return hsi_plain_text(at, end, &ignored) == at ? at : NULL;
    }
}

#endif
