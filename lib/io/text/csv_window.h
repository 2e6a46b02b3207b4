/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_CSV_WINDOW_H
#define HSI_IO_TEXT_CSV_WINDOW_H

#include "io/text/csv.h"

/*
 * Bytes read at a time: large enough to amortise a system call, small enough for the second-level
 * cache.
 */
#define HSI_WINDOW ((size_t)256 * 1024)

/**
 * Move the record at csv->record to the front of the window, and read until the window is full or
 * the text ends. A record that fills the window doubles it, so that repeated scans of a record cost
 * O(its length) in all.
 */
hs_status hsi_csv_fill_window(struct hsi_csv *csv);

/** Report an error at a place in the window, in the record being read. */
hs_status hsi_csv_fail_here(struct hsi_csv *csv, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/**
 * Return the bytes from the position of `fd` to the end of its file; 0 if it is not a regular file.
 */
uint64_t hsi_csv_bytes_to_end(int fd);

#endif
