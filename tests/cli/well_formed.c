/* SPDX-License-Identifier: BSD-3-Clause */
/* well_formed json|xml|harmless FILE...: prints whether each file is well-formed; fails if a file
 * is not. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/well_formed.h"

static char *read_file(const char *path, size_t *length)
{
    FILE  *file = fopen(path, "rb");
    char  *text = NULL, *more;
    size_t got;

    *length = 0;
    if (!file)
        return NULL;
    do {
        more = realloc(text, *length + 65536);
        if (!more)
            break;
        text = more;
        got = fread(text + *length, 1, 65536, file);
        *length += got;
    } while (got > 0);
    fclose(file);
    return text;
}

static bool is_good(const char *kind, const char *text, size_t length)
{
    if (strcmp(kind, "harmless") == 0)
        return is_harmless(text, length);
    return strcmp(kind, "json") == 0 ? is_json(text, length) : is_xml(text, length);
}

int main(int argc, char **argv)
{
    bool failed = argc < 3;

    for (int i = 2; i < argc; i++) {
        size_t length;
        char  *text = read_file(argv[i], &length);
        bool   good = text && is_good(argv[1], text, length);

        printf("%s is %s%s\n", argv[i], good ? "well-formed " : "no ", argv[1]);
        failed |= !good;
        free(text);
    }
    return failed;
}
