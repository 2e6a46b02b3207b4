/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_STARPU_REC_H
#define HSI_IO_IMPORT_STARPU_REC_H

#include "io/import/text.h"
#include "support/vector.h"

/* Records of recutils: lines `Name: value`, of any length, up to a blank one; '#' begins a remark.
 */
typedef struct hsi_rec {
    const struct hsi_import_text *text;
    const char                   *at;     /* what is next */
    hsi_vector                    fields; /* hsi_rec_field: of the record at hand */
    const char                   *start;  /* of it */
} hsi_rec;

typedef struct hsi_rec_field {
    hsi_text name, value;
} hsi_rec_field;

/* The next record; not found behind the last. HS_ESYNTAX, HS_ENOMEM. */
hs_status hsi_rec_next(hsi_rec *r, int *found);
void      hsi_rec_close(hsi_rec *r);

/* The value of a field of it; its `at` is NULL where there is none. */
hsi_text hsi_rec_value(const hsi_rec *r, const char *name);

/* The next word of a value, without the blanks around it; 0: there is none. Takes it off. */
int hsi_rec_word(hsi_text *value, hsi_text *word);

/* A number of a field that must be there, of at least 0. */
hs_status hsi_rec_number(const hsi_rec *r, const char *name, double *value);

#endif
