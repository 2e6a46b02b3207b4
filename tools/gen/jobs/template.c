/* SPDX-License-Identifier: BSD-3-Clause */
#include "gen/jobs/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked_memory.h"
#include "gen/jobs/shell_place.h"

void jobs_text_add(jobs_text *text, const char *at, size_t length)
{
    if (text->room - text->length < length + 1) {
        size_t room = 2 * (text->length + length + 1);
        char  *larger = checked_calloc(room, 1);

        if (text->length > 0)
            memcpy(larger, text->at, text->length);
        free(text->at);
        text->at = larger;
        text->room = room;
    }
    memcpy(text->at + text->length, at, length);
    text->length += length;
    text->at[text->length] = '\0';
}

void jobs_template_free(jobs_template *t)
{
    free(t->pieces);
    *t = (jobs_template){0};
}

/* Read the form behind a replacement string's position; return its length with the brace, or 0. */
static size_t read_form(const char *at, jobs_form *form)
{
    static const char *const forms[] = {
        [JOBS_WHOLE] = "}",  [JOBS_STEM] = ".}",       [JOBS_BASE] = "/}",
        [JOBS_FOLDER] = "//}", [JOBS_BASE_STEM] = "/.}"};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strncmp(at, forms[i], strlen(forms[i])) == 0) {
            *form = (jobs_form)i;
            return strlen(forms[i]);
        }
    return 0;
}

/*
 * Read a replacement string {N.}, with N counted from the last list if it is negative. Return its
 * length, 0: it is none. piece->list is beyond t->lists if there is no such list.
 */
static size_t read_value(const jobs_template *t, const char *at, jobs_piece *piece)
{
    const char   *number = at + 1 + (at[1] == '-');
    size_t        digits = strspn(number, "0123456789"), rest;
    unsigned long list = digits > 0 && digits < 10 ? strtoul(number, NULL, 10) : 0;

    rest = read_form(number + digits, &piece->form);
    if (rest == 0 || (digits == 0 && at[1] == '-'))
        return 0;
    piece->kind = JOBS_VALUE;
    piece->list = list;
    if (digits > 0 && (list == 0 || list > t->lists))
        piece->list = t->lists + 1;
    else if (digits > 0 && at[1] == '-')
        piece->list = t->lists + 1 - list;
    return (size_t)(number - at) + digits + rest;
}

/* Return the length of the replacement string at `at`; 0: there is none. */
static size_t read_replacement(const jobs_template *t, const char *at, jobs_piece *piece)
{
    *piece = (jobs_piece){.kind = JOBS_NUMBER};
    if (*at != '{')
        return 0;
    return strncmp(at, "{#}", 3) == 0 ? 3 : read_value(t, at, piece);
}

/* Say why a replacement string of `length` bytes cannot be replaced; return false. */
static bool refuse(const shell_scan *scan, const char *at, size_t length, char why[JOBS_WHY])
{
    char text[2 * JOBS_WHY];

    if (scan->place == SHELL_BACKQUOTES)
        snprintf(text, sizeof text, "%.*s stands inside backquotes, where no value can be quoted "
                 "safely; write $(...) instead of them", (int)length, at);
    else if (scan->place == SHELL_COMMENT)
        snprintf(text, sizeof text, "%.*s stands in a comment; remove the comment", (int)length,
                 at);
    else if (scan->place == SHELL_UNCERTAIN)
        snprintf(text, sizeof text, "%.*s stands behind %s, where no value can be quoted safely; "
                 "move it before that, or put the command into a script", (int)length, at,
                 scan->odd);
    else
        snprintf(text, sizeof text, "%.*s stands inside quotes, but its value is quoted already; "
                 "close the quotes before it, as in \"a b/\"%.*s", (int)length, at, (int)length,
                 at);
    snprintf(why, JOBS_WHY, "%.*s", JOBS_WHY - 1, text);
    return false;
}

static bool refuse_list(const jobs_template *t, const char *at, size_t length, char why[JOBS_WHY])
{
    snprintf(why, JOBS_WHY, "there is no list of values for %.*s; the lists have the numbers 1 to "
             "%zu", (int)(length < 40 ? length : 40), at, t->lists);
    return false;
}

static bool check_place(const jobs_template *t, const shell_scan *scan, const jobs_piece *piece,
                        const char *at, size_t length, char why[JOBS_WHY])
{
    if (piece->kind == JOBS_NUMBER)
        return true;
    if (piece->list > t->lists)
        return refuse_list(t, at, length, why);
    return scan->place == SHELL_WORDS || refuse(scan, at, length, why);
}

static void add_literal(jobs_template *t, const char *from, const char *to)
{
    if (to > from)
        t->pieces[t->count++] = (jobs_piece){.at = from, .length = (size_t)(to - from)};
}

/*
 * Return whether a value before the text `rest` needs quotes whatever its characters, because it
 * would lengthen the name of a variable or be the number of a redirected file.
 */
static bool needs_quotes(const shell_scan *scan, const char *rest)
{
    rest += strspn(rest, "0123456789");
    return scan->place == SHELL_WORDS &&
           (scan->in_name || *rest == '<' || *rest == '>' || strncmp(rest, "\\\n", 2) == 0);
}

/* Append a blank and {} to a template without replacement strings. */
static bool append_values(jobs_template *t, shell_scan *scan, char why[JOBS_WHY])
{
    static const char blank[] = " ", label[] = "{}, appended,";
    jobs_piece        all = {.kind = JOBS_VALUE};

    shell_scan_next(scan, blank);
    add_literal(t, blank, blank + 1);
    t->pieces[t->count++] = all;
    return check_place(t, scan, &all, label, strlen(label), why);
}

bool jobs_template_parse(const char *text, size_t lists, jobs_template *out, char why[JOBS_WHY])
{
    const char *at = text, *literal = text;
    shell_scan  scan = {.word_began = false};
    bool        has_values = false;
    jobs_piece  piece;

    *out = (jobs_template){.pieces = checked_calloc(strlen(text) + 3, sizeof *out->pieces),
                           .lists = lists};
    while (*at) {
        size_t length = scan.after_dollar ? 0 : read_replacement(out, at, &piece);

        if (length == 0 && !scan.after_dollar && strncmp(at, "{%}", 3) == 0) {
            snprintf(why, JOBS_WHY, "{%%} is not known before the run; use $HSCHED_WORKER, which "
                     "each command gets");
            return false;
        }
        if (length == 0) {
            at += shell_scan_next(&scan, at);
            continue;
        }
        if (!check_place(out, &scan, &piece, at, length, why))
            return false;
        add_literal(out, literal, at);
        literal = at += length;
        piece.is_quoted = needs_quotes(&scan, at);
        out->pieces[out->count++] = piece;
        shell_scan_word(&scan);
        has_values = true;
    }
    add_literal(out, literal, at);
    return has_values || append_values(out, &scan, why);
}

/* A part of a value. */
typedef struct slice {
    const char *at;
    size_t      length;
} slice;

/* Return the value without the text from the last dot behind the last slash. */
static slice stem_of(slice value)
{
    for (size_t i = value.length; i > 0 && value.at[i - 1] != '/'; i--)
        if (value.at[i - 1] == '.')
            return (slice){value.at, i - 1};
    return value;
}

static slice base_of(slice value)
{
    size_t i = value.length;

    while (i > 0 && value.at[i - 1] != '/')
        i--;
    return (slice){value.at + i, value.length - i};
}

static size_t without_slashes(const char *at, size_t length)
{
    while (length > 1 && at[length - 1] == '/')
        length--;
    return length;
}

static slice folder_of(slice value)
{
    size_t length = without_slashes(value.at, value.length);

    if (length == 1 && *value.at == '/')
        return (slice){value.at, 1};
    while (length > 0 && value.at[length - 1] != '/')
        length--;
    return length == 0 ? (slice){".", 1} : (slice){value.at, without_slashes(value.at, length)};
}

static slice part_of(slice value, jobs_form form)
{
    switch (form) {
    case JOBS_STEM:
        return stem_of(value);
    case JOBS_BASE:
        return base_of(value);
    case JOBS_FOLDER:
        return folder_of(value);
    case JOBS_BASE_STEM:
        return stem_of(base_of(value));
    default:
        return value;
    }
}

/* Add a word of the shell that stands for the text, in single quotes if they are needed. */
static void add_word(jobs_text *out, slice text, bool is_quoted)
{
    /* Characters without a special meaning in shells; '=' makes assignments. */
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:@_";
    const char *quote;

    if (text.length > 0 && !is_quoted) {
        size_t i = 0;

        while (i < text.length && strchr(plain, text.at[i]))
            i++;
        if (i == text.length) {
            jobs_text_add(out, text.at, text.length);
            return;
        }
    }
    jobs_text_add(out, "'", 1);
    while ((quote = memchr(text.at, '\'', text.length))) {
        size_t before = (size_t)(quote - text.at);

        jobs_text_add(out, text.at, before);
        jobs_text_add(out, "'\\''", 4);
        text = (slice){quote + 1, text.length - before - 1};
    }
    jobs_text_add(out, text.at, text.length);
    jobs_text_add(out, "'", 1);
}

static void add_values(jobs_text *out, const jobs_template *t, const jobs_piece *piece,
                       const char *const *values)
{
    size_t first = piece->list == 0 ? 0 : piece->list - 1;
    size_t end = piece->list == 0 ? t->lists : piece->list;

    for (size_t i = first; i < end; i++) {
        slice value = {values[i], strlen(values[i])};

        if (i > first)
            jobs_text_add(out, " ", 1);
        add_word(out, part_of(value, piece->form), piece->is_quoted);
    }
}

void jobs_template_expand(const jobs_template *t, const char *const *values, uint64_t number,
                          jobs_text *out)
{
    char digits[24];
    int  length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);

    for (size_t i = 0; i < t->count; i++) {
        const jobs_piece *piece = &t->pieces[i];

        if (piece->kind == JOBS_LITERAL)
            jobs_text_add(out, piece->at, piece->length);
        else if (piece->kind == JOBS_NUMBER)
            add_word(out, (slice){digits, (size_t)length}, piece->is_quoted);
        else
            add_values(out, t, piece, values);
    }
}
