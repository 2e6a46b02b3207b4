/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_LIST_ENTRY_H
#define HSI_IO_IMPORT_LIST_ENTRY_H

#include "core/columns.h"
#include "support/arena.h"

/*
 * Take the next entry off a list NAME:WORD;NAME:WORD, as in instances. *name is without the
 * backslashes before ';', ':' and '\', NUL-terminated, and in the arena; *word is the text after
 * the last ':', empty if there is none. HS_ENOMEM. At the end of the list name->at is NULL.
 */
hs_status hsi_import_entry(hsi_text *list, hsi_arena *arena, hsi_text *name, hsi_text *word);

#endif
