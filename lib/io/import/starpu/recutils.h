/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_STARPU_RECUTILS_H
#define HSI_IO_IMPORT_STARPU_RECUTILS_H

#include "io/import/source_text.h"
#include "support/vector.h"

/*
 * Reader of recutils records: lines `Name: value` of any length, up to a blank line; '#' begins a
 * remark.
 */
typedef struct hsi_rec {
    const struct hsi_import_text *text;
    const char                   *at;     /* next byte to read */
    hsi_vector                    fields; /* hsi_rec_field: of the present record */
    const char                   *start;  /* begin of the present record */
} hsi_rec;

typedef struct hsi_rec_field {
    hsi_text name, value;
} hsi_rec_field;

/* Read the next record; *found = 0 after the last. HS_ESYNTAX, HS_ENOMEM. */
hs_status hsi_rec_next(hsi_rec *r, int *found);
void      hsi_rec_close(hsi_rec *r);

/* Return the value of a field of the record; its `at` is NULL if the field is missing. */
hsi_text hsi_rec_value(const hsi_rec *r, const char *name);

/* Take the next word off a value, without surrounding blanks; return false if there is none. */
bool hsi_rec_word(hsi_text *value, hsi_text *word);

/* Read a required field as a number of at least 0. */
hs_status hsi_rec_number(const hsi_rec *r, const char *name, double *value);

#endif
