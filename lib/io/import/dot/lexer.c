/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/import/dot/lexer.h"

#include <string.h>
#include <strings.h>

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t left(const hsi_dot_lexer *l)
{
    return (size_t)(l->text->end - l->next);
}

static bool begins(const hsi_dot_lexer *l, const char *with)
{
    return left(l) >= strlen(with) && memcmp(l->next, with, strlen(with)) == 0;
}

static void skip_line(hsi_dot_lexer *l)
{
    const char *end = memchr(l->next, '\n', left(l));

    l->next = end ? end : l->text->end;
}

static hs_status skip_comment(hsi_dot_lexer *l)
{
    const char *start = l->next;

    for (l->next += 2; l->next < l->text->end; l->next++)
        if (begins(l, "*/")) {
            l->next += 2;
            return HS_OK;
        }
    return hsi_import_fail(l->text, start, "a comment that does not end; expected '*/'");
}

/* Skip blanks and comments; a line that begins with '#' is a comment too. */
static hs_status skip(hsi_dot_lexer *l)
{
    hs_status st = HS_OK;

    while (st == HS_OK && l->next < l->text->end) {
        char c = *l->next;

        if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
            l->next++;
        else if (begins(l, "//") || (c == '#' && (l->next == l->text->at || l->next[-1] == '\n')))
            skip_line(l);
        else if (begins(l, "/*"))
            st = skip_comment(l);
        else
            break;
    }
    return st;
}

/*
 * Decode a quoted text: \" is a quote, \\ a backslash, and a backslash at the end of a line joins
 * lines.
 */
static hs_status unquote(hsi_dot_lexer *l, const char *at, const char *end, hsi_text *out)
{
    char *to;

    *out = (hsi_text){at, (size_t)(end - at)};
    if (!memchr(at, '\\', out->length))
        return HS_OK;
    to = hsi_arena_alloc(&l->arena, out->length, 1);
    if (!to)
        return HS_ENOMEM;
    *out = (hsi_text){to, 0};
    while (at < end) {
        if (*at == '\\' && (at[1] == '"' || at[1] == '\\')) {
            at++;
        } else if (*at == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))) {
            at += at[1] == '\n' ? 2 : 3;
            continue;
        }
        to[out->length++] = *at++;
    }
    return HS_OK;
}

static hs_status read_quoted(hsi_dot_lexer *l, hsi_text *out)
{
    const char *start = l->next++, *end = l->text->end;

    while (l->next < end && *l->next != '"')
        l->next += *l->next == '\\' && l->next + 1 < end ? 2 : 1;
    if (l->next >= end)
        return hsi_import_fail(l->text, start, "a text in quotes that does not end; expected '\"'");
    return unquote(l, start + 1, l->next++, out);
}

/* Read a quoted text; "..." + "..." is one text. */
static hs_status join_quoted(hsi_dot_lexer *l)
{
    hs_status st = read_quoted(l, &l->token.text);

    for (;;) {
        hsi_text    more, whole;
        const char *before = l->next;
        char       *to;

        if (st == HS_OK)
            st = skip(l);
        if (st != HS_OK || l->next == l->text->end || *l->next != '+') {
            l->next = before;
            return st;
        }
        l->next++;
        st = skip(l);
        if (st == HS_OK && (l->next == l->text->end || *l->next != '"'))
            return hsi_import_fail(l->text, l->next, "no text in quotes behind '+'");
        if (st == HS_OK)
            st = read_quoted(l, &more);
        if (st != HS_OK)
            return st;
        whole.length = l->token.text.length + more.length;
        whole.at = to = hsi_arena_alloc(&l->arena, whole.length, 1);
        if (!to)
            return HS_ENOMEM;
        memcpy(to, l->token.text.at, l->token.text.length);
        memcpy(to + l->token.text.length, more.at, more.length);
        l->token.text = whole;
    }
}

/* Read HTML in balanced <...>, unchanged. */
static hs_status read_html(hsi_dot_lexer *l)
{
    const char *start = l->next;
    size_t      depth = 0;

    for (; l->next < l->text->end; l->next++) {
        depth += *l->next == '<';
        if (*l->next == '>' && --depth == 0) {
            l->next++;
            l->token.text = (hsi_text){start + 1, (size_t)(l->next - start) - 2};
            return HS_OK;
        }
    }
    return hsi_import_fail(l->text, start, "HTML that does not end; expected '>'");
}

/* Read a number. `1e6`, which Graphviz splits into `1` and `e6` with a warning, is refused. */
static hs_status read_number(hsi_dot_lexer *l)
{
    const char *start = l->next;
    int         points = 0;

    l->next += *l->next == '-';
    for (; l->next < l->text->end && (is_digit(*l->next) || (*l->next == '.' && !points));
         l->next++)
        points += *l->next == '.';
    if (l->next == l->text->end || (!starts_name(*l->next) && *l->next != '.'))
        return HS_OK;
    return hsi_import_fail(l->text, start,
                           "a number that goes on as a name; expected it in quotes");
}

static void read_name(hsi_dot_lexer *l)
{
    while (l->next < l->text->end && (starts_name(*l->next) || is_digit(*l->next)))
        l->next++;
}

static bool is_keyword(hsi_text text)
{
    static const char *const words[] = {"node", "edge", "graph", "digraph", "subgraph", "strict"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text.length == strlen(words[i]) && strncasecmp(text.at, words[i], text.length) == 0)
            return true;
    return false;
}

/* Read a token without quotes; its text is unchanged. */
static hs_status read_plain(hsi_dot_lexer *l)
{
    hsi_dot_token *t = &l->token;
    char           c = *l->next, second = l->next[1]; /* `second` may be the final NUL */
    hs_status      st = HS_OK;

    t->kind = HSI_DOT_ID;
    if (starts_name(c)) {
        read_name(l);
    } else if (is_digit(c) ||
               ((c == '-' || c == '.') && (is_digit(second) || (c == '-' && second == '.')))) {
        st = read_number(l);
    } else if (c == '-' && (second == '>' || second == '-')) {
        t->kind = second == '>' ? HSI_DOT_ARROW : HSI_DOT_LINE;
        l->next += 2;
    } else if (strchr("{}[];,=:+", c)) {
        t->kind = HSI_DOT_SIGN;
        l->next++;
    } else {
        return hsi_import_fail(l->text, l->next, "'%c' is no part of the DOT language", c);
    }
    t->text = (hsi_text){t->at, (size_t)(l->next - t->at)};
    if (starts_name(c) && is_keyword(t->text))
        t->kind = HSI_DOT_KEYWORD;
    return st;
}

hs_status hsi_dot_next(hsi_dot_lexer *l)
{
    hs_status st = skip(l);

    if (st != HS_OK)
        return st;
    l->token = (hsi_dot_token){HSI_DOT_END, {l->next, 0}, l->next};
    if (l->next == l->text->end)
        return HS_OK;
    l->token.kind = HSI_DOT_ID;
    if (*l->next == '"')
        return join_quoted(l);
    return *l->next == '<' ? read_html(l) : read_plain(l);
}

bool hsi_dot_is_keyword(const hsi_dot_lexer *l, const char *word)
{
    return l->token.kind == HSI_DOT_KEYWORD && l->token.text.length == strlen(word) &&
           strncasecmp(l->token.text.at, word, l->token.text.length) == 0;
}

hs_status hsi_dot_unexpected(const hsi_dot_lexer *l, const char *expected)
{
    char shown[HSI_SHOWN];

    if (l->token.kind == HSI_DOT_END)
        return hsi_import_fail(l->text, l->token.at, "the file ends here; expected %s", expected);
    return hsi_import_fail(l->text, l->token.at, "%s; expected %s",
                           hsi_import_quote(l->token.text, shown), expected);
}
