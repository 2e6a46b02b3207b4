/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_COLUMNS_H
#define HSI_IO_TEXT_COLUMNS_H

#include "core/builder.h"
#include "io/text/csv.h"

/* The columns that instances and plans share, in the order of HSI_COLUMN_NAMES. */
enum hsi_column {
    HSI_CPU,
    HSI_GPU, /* these two are required */
    HSI_PRIORITY,
    HSI_KERNEL,
    HSI_CPU_COMMAND,
    HSI_GPU_COMMAND,
    HSI_RESTARTABLE,
    HSI_COLUMNS
};

#define HSI_COLUMN_NAMES \
    "cpu", "gpu", "priority", "kernel", "cpu_command", "gpu_command", "restartable"

/**
 * Those fields of the record last read into *row, whose id and count are not
 * touched. column[c] is the number of the field, or -1. A task that none of
 * `cpus` CPUs and `gpus` GPUs can run is refused.
 */
hs_status hsi_columns_read(struct hsi_csv *csv, const int column[HSI_COLUMNS], unsigned cpus,
                           unsigned gpus, hsi_row *row);

/**
 * What each of the `width` fields of a row is: the index into `column`, or `columns` where no
 * column is in that field. The caller frees it; NULL: out of memory.
 */
unsigned char *hsi_columns_kinds(const int *column, int columns, size_t width);

/** The id in `field`, refused beyond `most` bytes. */
hs_status hsi_columns_id(struct hsi_csv *csv, const struct hsi_field *field, size_t most,
                         hsi_text *id);

#endif
