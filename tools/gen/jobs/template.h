/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_JOBS_TEMPLATE_H
#define TOOLS_GEN_JOBS_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A template of shell commands with replacement strings as in GNU parallel: {}, {1}, {.}, {2/.}. */

/** A growing text, terminated by NUL once something was added. A zeroed structure is empty. */
typedef struct jobs_text {
    char  *at;
    size_t length, room;
} jobs_text;

/** Add `length` bytes; without memory the program ends (exit 3). The caller frees text->at. */
void jobs_text_add(jobs_text *text, const char *at, size_t length);

/** The part of a value that a replacement string stands for. */
typedef enum jobs_form {
    JOBS_WHOLE,          /* {} */
    JOBS_STEM,           /* {.}: without the extension */
    JOBS_BASE,           /* {/}: behind the last slash */
    JOBS_FOLDER,         /* {//}: as dirname(1) */
    JOBS_BASE_STEM       /* {/.} */
} jobs_form;

/** A part of a template: literal text, the number of the task, or a replacement string. */
typedef struct jobs_piece {
    enum { JOBS_LITERAL, JOBS_NUMBER, JOBS_VALUE } kind;
    const char *at; /* literal text, within the template */
    size_t      length;
    size_t      list;      /* list of the value, from 1; 0: one word for each list */
    jobs_form   form;
    bool        is_quoted; /* whether to quote words that need no quotes, too */
} jobs_piece;

typedef struct jobs_template {
    jobs_piece *pieces;
    size_t      count;
    size_t      lists; /* number of lists of values */
} jobs_template;

/**
 * Parse a template for `lists` lists of values; if it has no replacement string, append {}. Return
 * false and set `why` if a replacement string is not known, or stands where no value can be quoted
 * safely. The text must outlive *out, which the caller frees in any case.
 */
enum { JOBS_WHY = 320 };
bool jobs_template_parse(const char *text, size_t lists, jobs_template *out, char why[JOBS_WHY]);
void jobs_template_free(jobs_template *t);

/** Add the command for these values, one from each list, and the number of the task to `out`. */
void jobs_template_expand(const jobs_template *t, const char *const *values, uint64_t number,
                          jobs_text *out);

#endif
