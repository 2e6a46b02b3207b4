/* SPDX-License-Identifier: BSD-3-Clause */
#include "gen/jobs/shell_place.h"

#include <string.h>

static const char name_characters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

static bool begins(const char *at, const char *text)
{
    return strncmp(at, text, strlen(text)) == 0;
}

/* Go to another place; return the length of the text that leads there. */
static size_t enter(shell_scan *scan, shell_place place, size_t length)
{
    scan->place = place;
    return length;
}

/* Give up at text that begins with `odd`; return its length. */
static size_t give_up(shell_scan *scan, const char *odd)
{
    scan->odd = odd;
    return enter(scan, SHELL_UNCERTAIN, strlen(odd));
}

/* Scan outside quotes. */
static size_t scan_words(shell_scan *scan, const char *at)
{
    static const char *const odd[] = {"<<", "((", "$[", "$'"};

    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        if (begins(at, odd[i]))
            return give_up(scan, odd[i]);
    switch (*at) {
    case '\'':
        return enter(scan, SHELL_SINGLE, 1);
    case '"':
        return enter(scan, SHELL_DOUBLE, 1);
    case '`':
        return enter(scan, SHELL_BACKQUOTES, 1);
    case '#':
        return enter(scan, scan->word_began ? SHELL_WORDS : SHELL_COMMENT, 1);
    default:
        return 1;
    }
}

/* Scan inside "...". A nested substitution may have quotes of its own, except in "${NAME}". */
static size_t scan_double(shell_scan *scan, const char *at)
{
    size_t length;

    if (*at == '"')
        return enter(scan, SHELL_WORDS, 1);
    if (*at == '`')
        return give_up(scan, "`");
    if (begins(at, "$("))
        return give_up(scan, "$(");
    if (!begins(at, "${"))
        return 1;
    length = 2 + strspn(at + 2, name_characters);
    return at[length] == '}' ? length + 1 : give_up(scan, "${");
}

/* Scan to the character that ends the place. */
static size_t scan_to(shell_scan *scan, const char *at, char end)
{
    if (*at == end)
        scan->place = SHELL_WORDS;
    return 1;
}

static size_t scan_place(shell_scan *scan, const char *at)
{
    bool has_escapes = scan->place != SHELL_SINGLE && scan->place != SHELL_COMMENT;

    /* The shell removes the pair before it reads words: it may stand inside "<<" or before '#'. */
    if (begins(at, "\\\n") && (scan->place == SHELL_WORDS || scan->place == SHELL_DOUBLE)) {
        scan->odd = "a line that ends with a backslash";
        return enter(scan, SHELL_UNCERTAIN, 2);
    }
    if (*at == '\\' && at[1] && has_escapes)
        return 2;
    switch (scan->place) {
    case SHELL_WORDS:
        return scan_words(scan, at);
    case SHELL_SINGLE:
        return scan_to(scan, at, '\'');
    case SHELL_DOUBLE:
        return scan_double(scan, at);
    case SHELL_BACKQUOTES:
        return scan_to(scan, at, '`');
    case SHELL_COMMENT:
        return scan_to(scan, at, '\n');
    default:
        return 1;
    }
}

size_t shell_scan_next(shell_scan *scan, const char *at)
{
    size_t length = scan_place(scan, at);

    scan->word_began = length > 1 || !strchr(" \t\n;&|()<>", *at);
    scan->in_name = (scan->after_dollar || scan->in_name) && strchr(name_characters, *at);
    scan->after_dollar = length == 1 && *at == '$';
    return length;
}

void shell_scan_word(shell_scan *scan)
{
    *scan = (shell_scan){.place = scan->place, .odd = scan->odd, .word_began = true};
}
