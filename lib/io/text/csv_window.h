/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_CSV_WINDOW_H
#define HSI_IO_TEXT_CSV_WINDOW_H

#include "io/text/csv.h"

/* What is read at a time: large enough to forget the cost of a call, small enough for the
 * second-level cache. */
#define HSI_WINDOW ((size_t)256 * 1024)

/* Bytes behind the window that may be loaded (and mean nothing). */
#define HSI_SLACK 16

/**
 * Read on until the window is full or the text ends, the record at csv->record
 * moved to its front first; a window that it fills is doubled, so that looking
 * at the record from its start again costs O(its length) in all.
 */
hs_status hsi_csv_fill(struct hsi_csv *csv);

/** hsi_csv_fail() for a place in the window, of the record that is being read. */
hs_status hsi_csv_fail_here(struct hsi_csv *csv, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Bytes from where `fd` stands to the end of its file; 0 if it is none. */
uint64_t hsi_csv_total(int fd);

#endif
