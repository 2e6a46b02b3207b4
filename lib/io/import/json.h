/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_JSON_H
#define HSI_IO_IMPORT_JSON_H

#include "io/import/source_text.h"
#include "support/arena.h"

/*
 * A cursor over JSON text (RFC 8259) without a tree: the caller reads the wanted values and skips
 * the rest. Every failing call reports the place and the error; nesting is limited to
 * HSI_JSON_DEPTH.
 */
enum { HSI_JSON_DEPTH = 256 };

typedef struct hsi_json {
    const struct hsi_import_text *text;
    const char                   *at;
    hsi_arena                    *arena; /* memory for decoded strings; owned by the caller */
} hsi_json;

/* Return the first character of the next value; HS_ESYNTAX: not a value. */
hs_status hsi_json_peek_value(hsi_json *j, char *first);

/*
 * Iterate over the members of the object at the cursor: *found = 1 with the name, and the cursor at
 * the value, which the caller reads or skips before the next call; *found = 0 at the end of the
 * object. *first is 1 at the first call.
 */
hs_status hsi_json_next_member(hsi_json *j, int *first, int *found, hsi_text *name);
/* the same for the elements of an array */
hs_status hsi_json_next_element(hsi_json *j, int *first, int *found);

hs_status hsi_json_read_string(hsi_json *j, hsi_text *value);
hs_status hsi_json_read_number(hsi_json *j, double *value);
hs_status hsi_json_skip_value(hsi_json *j);

/* Return HS_ESYNTAX unless only blanks are left in the text. */
hs_status hsi_json_expect_end(hsi_json *j);

#endif
