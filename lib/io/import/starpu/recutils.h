/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_STARPU_RECUTILS_H
#define HSI_IO_IMPORT_STARPU_RECUTILS_H

#include "io/import/source_text.h"
#include "support/vector.h"

/*
 * A reader of recutils records: lines `Name: value` of any length, up to a blank line; '#' begins a
 * comment.
 */
typedef struct hsi_rec {
    const struct hsi_import_text *text;
    const char                   *at;     /* next byte to read */
    hsi_vector                    fields; /* hsi_rec_field: fields of the record last read */
    const char                   *start;  /* begin of the record last read */
} hsi_rec;

typedef struct hsi_rec_field {
    hsi_text name, value;
} hsi_rec_field;

/* Read the next record; *found = 0 after the last. HS_ESYNTAX, HS_ENOMEM. */
hs_status hsi_rec_next_record(hsi_rec *r, int *found);
void      hsi_rec_close(hsi_rec *r);

/*
 * Return the value of field `name` of the record last read; its `at` is NULL if the record lacks
 * the field.
 */
hsi_text hsi_rec_get_value(const hsi_rec *r, const char *name);

/* Remove the first word, without blanks around it, from *value. Return false if no word is left. */
bool hsi_rec_next_word(hsi_text *value, hsi_text *word);

/*
 * Parse field `name` of the record last read as a number >= 0. HS_ESYNTAX: missing or not such a
 * number.
 */
hs_status hsi_rec_get_number(const hsi_rec *r, const char *name, double *value);

#endif
