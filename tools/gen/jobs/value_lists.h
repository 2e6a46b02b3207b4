/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_JOBS_VALUE_LISTS_H
#define TOOLS_GEN_JOBS_VALUE_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The lists of values of the family `jobs`, as in GNU parallel: ::: VALUE... is a list, :::: FILE...
 * a list for each file with a value in each line, and a + links a list with the one before it.
 */

typedef struct value_list {
    const char **values;
    size_t       count;
    bool         is_linked; /* whether it goes in step with the list before it */
    const char  *file;      /* name of its file in messages; NULL: values of the command line */
    char        *text;      /* text of the file, with NULs between its lines; NULL: none */
} value_list;

typedef struct value_lists {
    value_list *list;
    size_t      count;
} value_lists;

/** Return whether the word begins a list: ":::", ":::+", "::::" or "::::+". */
bool value_lists_begin(const char *word);

/**
 * Read the lists in `count` words, of which the first begins a list. Wrong usage ends the program.
 * Return 0, or an exit code after a message. The texts in *out point into `words`; the caller calls
 * value_lists_free() in any case.
 */
int  value_lists_read(char **words, size_t count, value_lists *out);
void value_lists_free(value_lists *lists);

/** Number of combinations of values; UINT64_MAX: too many to count. */
uint64_t value_lists_combinations(const value_lists *lists);

/** Get combination `index`, a value from each list; the last list varies fastest. */
void value_lists_combination(const value_lists *lists, uint64_t index, const char **values);

#endif
