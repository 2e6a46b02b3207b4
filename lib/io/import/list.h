/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_LIST_H
#define HSI_IO_IMPORT_LIST_H

#include "core/columns.h"
#include "support/arena.h"

/*
 * The next entry of a list such as instances have, NAME:WORD;NAME:WORD: takes it off `list`.
 * Backslashes before ';', ':' and '\' are taken out of *name, which is in the arena and has a NUL
 * behind it; *word is what is behind the last ':', empty if there is none. HS_ENOMEM; at the end of
 * the list *name has no text.
 */
hs_status hsi_import_entry(hsi_text *list, hsi_arena *arena, hsi_text *name, hsi_text *word);

#endif
