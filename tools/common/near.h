/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_NEAR_H
#define TOOLS_NEAR_H

#include "common/options.h"

/* Messages about unknown names, with a suggestion. */

/** The word nearest to `given`, the first of several as near; NULL if none is near. */
const char *near_word(const char *given, word_at words);

/**
 * Call usage_error(): "WHERE: there is no KIND 'GIVEN'; did you mean 'NAME'? LISTED". `listed`
 * tells how to list all words; `where` may be NULL.
 */
_Noreturn void unknown_word(const char *where, const char *kind, const char *given, word_at words,
                            const char *listed);

#endif
