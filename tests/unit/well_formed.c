/* SPDX-License-Identifier: BSD-3-Clause */
#include "well_formed.h"

#include <stdbool.h>
#include <string.h>

/* Reader of the rest of a text; `at` is NULL after an error. */
typedef struct reader {
    const char *at, *end;
    int         depth;
} reader;

static bool fail(reader *r)
{
    r->at = NULL;
    return false;
}

static int peek(const reader *r)
{
    return r->at && r->at < r->end ? (unsigned char)*r->at : -1;
}

static bool take(reader *r, const char *word)
{
    size_t length = strlen(word);

    if (!r->at || (size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static bool is_one_of(int c, const char *set)
{
    return c > 0 && strchr(set, c) != NULL;
}

static size_t take_all_of(reader *r, const char *set)
{
    const char *start = r->at;

    while (is_one_of(peek(r), set))
        r->at++;
    return (size_t)(r->at - start);
}

static const char blank[] = " \t\r\n", digits[] = "0123456789";
static const char hexadecimal[] = "0123456789abcdefABCDEF";
static const char name_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:";

bool is_utf8(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;

    while (at < end) {
        int more = *at < 0x80 ? 0 : *at >= 0xc2 && *at < 0xe0 ? 1 : *at >= 0xe0 && *at < 0xf0 ? 2
                 : *at >= 0xf0 && *at < 0xf5 ? 3 : -1;

        if (more < 0 || end - at <= more)
            return false;
        if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] >= 0xa0) ||
            (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] >= 0x90))
            return false;
        for (at++; more > 0; more--, at++)
            if ((*at & 0xc0) != 0x80)
                return false;
    }
    return true;
}

static bool json_value(reader *r);

static bool json_escape(reader *r)
{
    if (take(r, "u")) {
        for (int i = 0; i < 4; i++, r->at++)
            if (!is_one_of(peek(r), hexadecimal))
                return fail(r);
        return true;
    }
    return is_one_of(peek(r), "\"\\/bfnrt") ? (r->at++, true) : fail(r);
}

static bool json_string(reader *r)
{
    if (!take(r, "\""))
        return fail(r);
    while (!take(r, "\"")) {
        if (peek(r) < 0x20)
            return fail(r);
        if (!take(r, "\\"))
            r->at++;
        else if (!json_escape(r))
            return false;
    }
    return true;
}

static bool json_number(reader *r)
{
    take(r, "-");
    if (!take(r, "0") && take_all_of(r, digits) == 0)
        return fail(r);
    if (take(r, ".") && take_all_of(r, digits) == 0)
        return fail(r);
    if (take(r, "e") || take(r, "E")) {
        if (!take(r, "+"))
            take(r, "-");
        if (take_all_of(r, digits) == 0)
            return fail(r);
    }
    return true;
}

/* Read the values after an opening bracket and the closing bracket; in an object, each value has a
 * key. */
static bool json_list(reader *r, const char *closing)
{
    take_all_of(r, blank);
    if (take(r, closing))
        return true;
    do {
        take_all_of(r, blank);
        if (closing[0] == '}') {
            if (!json_string(r))
                return false;
            take_all_of(r, blank);
            if (!take(r, ":"))
                return fail(r);
        }
        if (!json_value(r))
            return false;
        take_all_of(r, blank);
    } while (take(r, ","));
    return take(r, closing) || fail(r);
}

static bool json_value(reader *r)
{
    bool good;

    if (++r->depth > 64)
        return fail(r);
    take_all_of(r, blank);
    if (peek(r) == '"')
        good = json_string(r);
    else if (take(r, "{"))
        good = json_list(r, "}");
    else if (take(r, "["))
        good = json_list(r, "]");
    else
        good = take(r, "true") || take(r, "false") || take(r, "null") || json_number(r);
    r->depth--;
    return good;
}

bool is_json(const char *text, size_t length)
{
    reader r = {text, text + length, 0};

    if (!is_utf8(text, length) || !json_value(&r))
        return false;
    take_all_of(&r, blank);
    return r.at == r.end;
}

static bool xml_reference(reader *r)
{
    if (take(r, "#"))
        return take_all_of(r, digits) > 0 && take(r, ";") ? true : fail(r);
    return take(r, "amp;") || take(r, "lt;") || take(r, "gt;") || take(r, "quot;") || fail(r);
}

/* Read character data up to a character of `stop`. */
static bool xml_text(reader *r, const char *stop)
{
    while (peek(r) >= 0 && !is_one_of(peek(r), stop)) {
        if (peek(r) == '<' || (peek(r) < 0x20 && !is_one_of(peek(r), blank)))
            return fail(r);
        if (!take(r, "&"))
            r->at++;
        else if (!xml_reference(r))
            return false;
    }
    return r->at != NULL;
}

static bool xml_attributes(reader *r)
{
    while (take_all_of(r, blank) > 0 && is_one_of(peek(r), name_letters)) {
        take_all_of(r, name_letters);
        if (!take(r, "=\"") || !xml_text(r, "\"") || !take(r, "\""))
            return fail(r);
    }
    return true;
}

static bool xml_element(reader *r)
{
    const char *name;
    size_t      length;

    if (++r->depth > 64 || !take(r, "<"))
        return fail(r);
    name = r->at;
    length = take_all_of(r, name_letters);
    if (length == 0 || !xml_attributes(r))
        return fail(r);
    r->depth--;
    if (take(r, "/>"))
        return true;
    if (!take(r, ">"))
        return fail(r);
    r->depth++;
    while (xml_text(r, "<") && !take(r, "</"))
        if (!xml_element(r))
            return false;
    r->depth--;
    if (!r->at || (size_t)(r->end - r->at) < length || memcmp(r->at, name, length) != 0)
        return fail(r);
    r->at += length;
    return take(r, ">") || fail(r);
}

bool is_xml(const char *text, size_t length)
{
    reader r = {text, text + length, 0};

    if (!is_utf8(text, length) || memchr(text, '\0', length) ||
        !take(&r, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") || !xml_element(&r))
        return false;
    take_all_of(&r, blank);
    return r.at == r.end;
}

/* Return true if a control character begins here; `left` is the number of bytes up to the end. */
static bool is_harmful(const unsigned char *at, size_t left)
{
    if (*at < 0x20 || *at == 0x7f)
        return *at != '\n';
    if (left > 1 && at[0] == 0xc2)
        return at[1] < 0xa0;
    if (left > 1 && at[0] == 0xd8)
        return at[1] == 0x9c;
    if (left > 2 && at[0] == 0xe2 && at[1] == 0x80)
        return at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xa8 && at[2] <= 0xae);
    return left > 2 && at[0] == 0xe2 && at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xaf;
}

bool is_harmless(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (is_harmful((const unsigned char *)text + i, length - i))
            return false;
    return is_utf8(text, length);
}
