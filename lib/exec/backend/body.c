/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "exec/backend/backends.h"

hs_status hsi_body_copy_to_heap(const void *body, size_t size, hs_body **out)
{
    hs_body *kept = malloc(size);

    if (!kept)
        return HS_ENOMEM;
    memcpy(kept, body, size);
    *out = kept;
    return HS_OK;
}

void hsi_body_free(hs_body *body)
{
    free(body);
}
