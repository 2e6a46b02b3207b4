/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/memory.h"

#include <stdlib.h>

#include "common/message.h"

void *checked_calloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);

    if (!memory) {
        message_hold(NULL); /* no caller will print held messages */
        message("%s", hs_status_text(HS_ENOMEM));
        exit(EXIT_RESOURCE);
    }
    return memory;
}
