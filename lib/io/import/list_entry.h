/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_LIST_ENTRY_H
#define HSI_IO_IMPORT_LIST_ENTRY_H

#include "core/columns.h"
#include "support/arena.h"

/*
 * Remove the first entry of a list NAME:WORD;NAME:WORD, as in the columns of instances. *name is
 * NUL-terminated, without the backslashes before ';', ':' and '\', and in the arena; *word is the
 * text after the last ':', empty without a colon. At the end of the list name->at is NULL.
 * HS_ENOMEM.
 */
hs_status hsi_import_next_list_entry(hsi_text *list, hsi_arena *arena, hsi_text *name,
                                     hsi_text *word);

#endif
