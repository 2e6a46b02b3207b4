/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_FIELD_H
#define HSI_IO_TEXT_FIELD_H

#include "io/text/csv.h"

/*
 * From the text of a field to a value. `name` is what messages call it. All
 * refuse with the field's place, what stands there and what was expected.
 */

/** A time of a task: a positive number, or INFINITY for `inf` or an empty field. */
hs_status hsi_field_time(struct hsi_csv *csv, const struct hsi_field *field, const char *name,
                         double *value);

/** A finite number, at least `least`. */
hs_status hsi_field_number(struct hsi_csv *csv, const struct hsi_field *field, const char *name,
                           double least, double *value);

/** A whole number from `least` to `most`. */
hs_status hsi_field_whole(struct hsi_csv *csv, const struct hsi_field *field, const char *name,
                          uint64_t least, uint64_t most, uint64_t *value);

/** A whole number of 64 bits with its sign. */
hs_status hsi_field_signed(struct hsi_csv *csv, const struct hsi_field *field, const char *name,
                           int64_t *value);

/** A task's name, of no more than so many bytes. */
hs_status hsi_field_name(struct hsi_csv *csv, const struct hsi_field *field, size_t most);

/** A worker's name, `cpu3` or `gpu0`, as its number. */
hs_status hsi_field_worker(struct hsi_csv *csv, const struct hsi_field *field, unsigned cpus,
                           unsigned gpus, uint32_t *worker);

/** The text as digits of a number of at most 64 bits: 1 and *value, or 0. */
int hsi_text_whole(const char *at, size_t length, uint64_t *value);

/** The text as a finite number: 1 and *value, or 0. */
int hsi_text_number(const char *at, size_t length, double *value);

#endif
