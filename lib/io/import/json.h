/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_JSON_H
#define HSI_IO_IMPORT_JSON_H

#include "io/import/text.h"
#include "support/arena.h"

/*
 * A cursor over JSON text (RFC 8259), which builds nothing: who reads asks for what is next, and
 * skips the rest. Every failing call has said where and what; nesting is at most HSI_JSON_DEPTH
 * deep.
 */
enum { HSI_JSON_DEPTH = 256 };

typedef struct hsi_json {
    const struct hsi_import_text *text;
    const char                   *at;
    hsi_arena                    *arena; /* for strings with escapes */
} hsi_json;

/* At the value that comes next: its first character, or NUL at the end. HS_ESYNTAX: it is none. */
hs_status hsi_json_peek(hsi_json *j, char *first);

/*
 * Members of the object at the cursor, one after the other: `found` and the name, with the cursor
 * at the value, which is to be read or skipped before the next call; then not found, behind the
 * object. *first is 1 at the first call.
 */
hs_status hsi_json_member(hsi_json *j, int *first, int *found, hsi_text *name);
hs_status hsi_json_element(hsi_json *j, int *first, int *found); /* the same of an array */

hs_status hsi_json_string(hsi_json *j, hsi_text *value);
hs_status hsi_json_number(hsi_json *j, double *value);
hs_status hsi_json_skip(hsi_json *j);

/* Nothing but blanks is left. */
hs_status hsi_json_end(hsi_json *j);

#endif
