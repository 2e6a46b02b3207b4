/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_FIELD_VALUE_H
#define HSI_IO_TEXT_FIELD_VALUE_H

#include "io/text/csv.h"

/*
 * Conversion of fields to values. `name` is the field's name in messages. A refusal reports the
 * place of the field, its text and the expected value.
 */

/** Read a task's time: a positive number; `inf` or an empty field gives INFINITY. */
hs_status hsi_field_read_time(struct hsi_csv *csv, const struct hsi_field *field, const char *name,
                              double *value);

/** Read a finite number, at least `least`. */
hs_status hsi_field_read_number(struct hsi_csv *csv, const struct hsi_field *field,
                                const char *name, double least, double *value);

/** Read a whole number from `least` to `most`. */
hs_status hsi_field_read_whole(struct hsi_csv *csv, const struct hsi_field *field, const char *name,
                               uint64_t least, uint64_t most, uint64_t *value);

/** Read a signed whole number of 64 bits. */
hs_status hsi_field_read_signed(struct hsi_csv *csv, const struct hsi_field *field,
                                const char *name, int64_t *value);

/** Check the length of a task's name, at most `most_bytes` bytes. */
hs_status hsi_field_check_name(struct hsi_csv *csv, const struct hsi_field *field,
                               size_t most_bytes);

/** Convert a worker's name, `cpu3` or `gpu0`, to its number. */
hs_status hsi_field_read_worker(struct hsi_csv *csv, const struct hsi_field *field, unsigned cpus,
                                unsigned gpus, uint32_t *worker);

/** Convert digits to a number of at most 64 bits: return true and *value, or false. */
bool hsi_text_to_whole(const char *at, size_t length, uint64_t *value);

/** Convert text to a finite number: return true and *value, or false. */
bool hsi_text_to_number(const char *at, size_t length, double *value);

#endif
