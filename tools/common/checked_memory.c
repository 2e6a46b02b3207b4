/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/checked_memory.h"

#include <stdlib.h>
#include <string.h>

#include "common/message.h"

/* Return `memory`; NULL ends the program. */
static void *check(void *memory)
{
    if (!memory) {
        message_redirect(NULL); /* print the message at once: no caller will print held messages */
        message("%s", hs_status_text(HS_ENOMEM));
        exit(EXIT_RESOURCE);
    }
    return memory;
}

void *checked_calloc(size_t count, size_t size)
{
    return check(calloc(count ? count : 1, size));
}

void *checked_realloc(void *memory, size_t size)
{
    return check(realloc(memory, size ? size : 1));
}

FILE *checked_memory_stream(char **text, size_t *length)
{
    return check(open_memstream(text, length));
}

char *checked_strdup(const char *text)
{
    return check(strdup(text));
}
