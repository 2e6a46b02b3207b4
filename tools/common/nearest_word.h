/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_NEAREST_WORD_H
#define TOOLS_NEAREST_WORD_H

#include "common/options.h"

/* Messages about unknown names, with the nearest known name as a suggestion. */

/** Return the word nearest to `given`, the first of equally near words; NULL if no word is near. */
const char *nearest_word_to(const char *given, word_at words);

/**
 * Call usage_error(): "WHERE: there is no KIND 'GIVEN'; did you mean 'NAME'? LISTED". `listed` says
 * how to list all words; `where` may be NULL.
 */
_Noreturn void report_unknown_word(const char *where, const char *kind, const char *given,
                                   word_at words, const char *listed);

#endif
