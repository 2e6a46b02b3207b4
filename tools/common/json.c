/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked_memory.h"

enum { DEPTH_MOST = 64, BLOCK = 1024 };

/* Block of values, the unit of allocation. */
typedef struct block {
    struct block *before;
    size_t        used;
    json_value    value[BLOCK];
} block;

struct json_tree {
    char       *text;
    block      *last;
    json_value *root;
};

typedef struct parser {
    json_tree     *tree;
    /* position in the text, and its end; *end is a NUL, which ends every scan */
    char          *at, *end;
    const char    *line_begin;
    uint64_t       line;
    hs_error      *error;
} parser;

/* Describe a fault at position `at` in p->error. Return false. */
__attribute__((format(printf, 3, 4))) static bool fail(parser *p, const char *at,
                                                       const char *format,
                                                       ...)
{
    va_list args;

    p->error->line = p->line;
    p->error->column = (uint64_t)(at - p->line_begin) + 1;
    va_start(args, format);
    vsnprintf(p->error->why, sizeof p->error->why, format, args);
    va_end(args);
    return false;
}

static bool refuse(parser *p, const char *expected)
{
    if (p->at >= p->end)
        return fail(p, p->end, "the file ends here; expected %s", expected);
    return fail(p, p->at, "'%c' is not expected here, but %s", *p->at ? *p->at : '?', expected);
}

/* Skip blanks and count lines; valid JSON has no line ends elsewhere. */
static void skip_blanks(parser *p)
{
    for (; *p->at && strchr(" \t\r\n", *p->at); p->at++)
        if (*p->at == '\n') {
            p->line++;
            p->line_begin = p->at + 1;
        }
}

static json_value *add_value(parser *p, json_kind kind)
{
    json_tree  *tree = p->tree;
    block      *last = tree->last;
    json_value *value;

    if (!last || last->used == BLOCK) {
        last = checked_calloc(1, sizeof *last);
        last->before = tree->last;
        tree->last = last;
    }
    value = &last->value[last->used++];
    value->kind = kind;
    value->number = NAN;
    return value;
}

/* Return the value of four hexadecimal digits; -1: not four digits. */
static long read_hex(const char *at)
{
    char digits[5] = "";

    for (int i = 0; i < 4; i++) {
        if (!at[i] || !strchr("0123456789abcdefABCDEF", at[i]))
            return -1;
        digits[i] = at[i];
    }
    return strtol(digits, NULL, 16);
}

/*
 * Return the character of \uXXXX, or of a surrogate pair, at *at and advance *at past it. Return 0
 * for an invalid escape and for the NUL, which strings cannot hold.
 */
static long read_unicode(const char **at)
{
    long high = read_hex(*at + 2), low;

    if (high < 0)
        return 0;
    *at += 6;
    if (high < 0xd800 || high > 0xdfff)
        return high;
    if (high > 0xdbff || (*at)[0] != '\\' || (*at)[1] != 'u')
        return 0;
    low = read_hex(*at + 2);
    if (low < 0xdc00 || low > 0xdfff)
        return 0;
    *at += 6;
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static char *put_utf8(char *to, long c)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    int                        bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    *to++ = (char)(bytes == 1 ? c : lead[bytes] | c >> 6 * (bytes - 1));
    while (--bytes > 0)
        *to++ = (char)(0x80 | (c >> 6 * (bytes - 1) & 0x3f));
    return to;
}

/*
 * Decode the escape at *from to *to and advance both pointers. Return false after describing a
 * fault.
 */
static bool unescape(parser *p, const char **from, char **to)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char       *start = *from, *letter;
    long              c;

    if (start[1] == 'u') {
        c = read_unicode(from);
        if (c == 0)
            return fail(p, start, "this escape is not a character");
        *to = put_utf8(*to, c);
        return true;
    }
    letter = start[1] ? strchr(letters, start[1]) : NULL;
    if (!letter)
        return fail(p, start, "this escape is not a character");
    *(*to)++ = meant[letter - letters];
    *from += 2;
    return true;
}

/* Read a string and decode it in place: a decoded string is never longer than its source. */
static bool read_string(parser *p, const char **text)
{
    const char *from;
    char       *to, *start = p->at;

    if (*p->at != '"')
        return refuse(p, "a string");
    from = to = p->at + 1;
    *text = to;
    while (*from != '"') {
        if (from >= p->end)
            return fail(p, start, "this string does not end");
        if ((unsigned char)*from < 0x20)
            return fail(p, from, "a string contains a control character");
        if (*from != '\\')
            *to++ = *from++;
        else if (!unescape(p, &from, &to))
            return false;
    }
    p->at += from + 1 - p->at;
    *to = '\0';
    return true;
}

static const char *skip_digits(const char *at)
{
    return at + strspn(at, "0123456789");
}

/* Return the end of the number at `at`; NULL: not a number. */
static const char *number_end(const char *at)
{
    const char *start = at += *at == '-', *digits;

    at = skip_digits(at);
    if (at == start || (at > start + 1 && *start == '0'))
        return NULL;
    if (*at == '.') {
        digits = at + 1;
        at = skip_digits(digits);
        if (at == digits)
            return NULL;
    }
    if (*at == 'e' || *at == 'E') {
        digits = at + 1 + (at[1] == '+' || at[1] == '-');
        at = skip_digits(digits);
        if (at == digits)
            return NULL;
    }
    return at;
}

static bool read_number(parser *p, json_value **value)
{
    const char *end = number_end(p->at);

    if (!end)
        return refuse(p, "a number");
    *value = add_value(p, JSON_NUMBER);
    (*value)->number = strtod(p->at, NULL);
    if (!isfinite((*value)->number))
        return fail(p, p->at, "this number is too large");
    p->at += end - p->at;
    return true;
}

static bool read_word(parser *p, json_value **value)
{
    static const char *const words[] = {
        [JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true"};

    for (int kind = JSON_NULL; kind <= JSON_TRUE; kind++)
        if (strncmp(p->at, words[kind], strlen(words[kind])) == 0) {
            p->at += strlen(words[kind]);
            *value = add_value(p, (json_kind)kind);
            return true;
        }
    return refuse(p, "a value");
}

static bool read_value(parser *p, int depth, json_value **value);

/* Read an array's element or an object's member, whose name goes into the value. */
static bool read_entry(parser *p, bool is_object, int depth, json_value **entry)
{
    const char *name = NULL;

    skip_blanks(p);
    if (is_object) {
        if (!read_string(p, &name))
            return false;
        skip_blanks(p);
        if (*p->at != ':')
            return refuse(p, "':'");
        p->at++;
    }
    if (!read_value(p, depth, entry))
        return false;
    (*entry)->name = name;
    return true;
}

static bool read_entries(parser *p, int depth, json_value **value)
{
    bool         is_object = *p->at == '{';
    char         close = is_object ? '}' : ']';
    json_value **last;

    if (depth == DEPTH_MOST)
        return fail(p, p->at, "values are nested more than %d deep", DEPTH_MOST);
    *value = add_value(p, is_object ? JSON_OBJECT : JSON_ARRAY);
    last = &(*value)->first;
    p->at++;
    skip_blanks(p);
    while (*p->at != close) {
        if (*last) { /* a comma precedes every entry but the first */
            if (*p->at != ',')
                return refuse(p, is_object ? "',' or '}'" : "',' or ']'");
            p->at++;
            last = &(*last)->next;
        }
        if (!read_entry(p, is_object, depth + 1, last))
            return false;
        skip_blanks(p);
    }
    p->at++;
    return true;
}

static bool read_value(parser *p, int depth, json_value **value)
{
    skip_blanks(p);
    if (*p->at == '{' || *p->at == '[')
        return read_entries(p, depth, value);
    if (*p->at == '"') {
        *value = add_value(p, JSON_STRING);
        return read_string(p, &(*value)->text);
    }
    if (*p->at == '-' || (*p->at >= '0' && *p->at <= '9'))
        return read_number(p, value);
    return read_word(p, value);
}

json_tree *json_parse(char *text, size_t length, hs_error *error)
{
    json_tree *tree = checked_calloc(1, sizeof *tree);
    parser     p = {.tree = tree,
                    .at = text,
                    .end = text + length,
                    .error = error,
                    .line_begin = text,
                    .line = 1};

    tree->text = text;
    if (read_value(&p, 0, &tree->root)) {
        skip_blanks(&p);
        if (p.at == p.end)
            return tree;
        refuse(&p, "the end of the file");
    }
    json_free(tree);
    return NULL;
}

const json_value *json_root(const json_tree *tree)
{
    return tree->root;
}

void json_free(json_tree *tree)
{
    if (!tree)
        return;
    for (block *b = tree->last, *before; b; b = before) {
        before = b->before;
        free(b);
    }
    free(tree->text);
    free(tree);
}

const json_value *json_member(const json_value *object, const char *name)
{
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    for (const json_value *m = object->first; m; m = m->next)
        if (strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

double json_number_of(const json_value *object, const char *name)
{
    const json_value *m = json_member(object, name);

    return m ? m->number : NAN;
}

const char *json_text_of(const json_value *object, const char *name)
{
    const json_value *m = json_member(object, name);

    return m ? m->text : NULL;
}

const json_value *json_first_of(const json_value *object, const char *name)
{
    const json_value *m = json_member(object, name);

    return m && m->kind == JSON_ARRAY ? m->first : NULL;
}
