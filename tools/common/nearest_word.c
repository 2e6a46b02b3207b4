/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/nearest_word.h"

#include <stdio.h>
#include <string.h>

#include <hybridsched/io.h>

#include "common/message.h"

const char *nearest_word_to(const char *given, word_at words)
{
    const char *word, *nearest = NULL;
    size_t      length = strlen(given);
    unsigned    least = HS_NOT_NEAR;

    for (size_t i = 0; (word = words(i)); i++) {
        unsigned distance = hs_name_distance(given, length, word);

        if (distance < least) {
            least = distance;
            nearest = word;
        }
    }
    return nearest;
}

_Noreturn void report_unknown_word(const char *where, const char *kind, const char *given,
                                   word_at words, const char *listed)
{
    const char *near = nearest_word_to(given, words);
    char        meant[128] = "; ";

    if (near)
        snprintf(meant, sizeof meant, "; did you mean '%s'? ", near);
    usage_error("%s%sthere is no %s '%s'%s%s", where ? where : "", where ? ": " : "", kind, given,
                meant, listed);
}
