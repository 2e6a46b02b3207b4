/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/notes.h"

hs_status notes_copy(const hs_instance *in, hs_builder *b)
{
    const char *key, *value;
    hs_status   status = HS_OK;

    for (size_t i = 0; status == HS_OK && (key = hs_instance_note(in, i, &value)); i++)
        status = hs_builder_add_note(b, key, value);
    return status;
}
