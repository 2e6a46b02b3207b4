/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/import/list_entry.h"

static size_t entry_length(hsi_text list)
{
    size_t i = 0;

    while (i < list.length && list.at[i] != ';')
        i += list.at[i] == '\\' && i + 1 < list.length ? 2 : 1;
    return i;
}

hs_status hsi_import_next_list_entry(hsi_text *list, hsi_arena *arena, hsi_text *name,
                                     hsi_text *word)
{
    size_t      length = entry_length(*list), taken = length < list->length ? length + 1 : length;
    const char *at = list->at, *end = at + length;
    char       *to, *colon = NULL;

    *name = *word = (hsi_text){0};
    if (list->length == 0)
        return HS_OK;
    to = hsi_arena_alloc(arena, length + 1, 1);
    if (!to)
        return HS_ENOMEM;
    name->at = to;
    for (; at < end; at++) {
        if (*at == ':') {
            colon = to;
            *word = (hsi_text){at + 1, (size_t)(end - at) - 1};
        } else if (*at == '\\' && at + 1 < end) {
            at++;
        }
        *to++ = *at;
    }
    if (colon)
        to = colon;
    *to = '\0';
    name->length = (size_t)(to - name->at);
    *list = (hsi_text){list->at + taken, list->length - taken};
    return HS_OK;
}
