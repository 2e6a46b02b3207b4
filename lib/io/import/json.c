/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/import/json.h"

#include <string.h>

#include "io/text/field_value.h"

static void skip_blanks(hsi_json *j)
{
    while (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r')
        j->at++;
}

static hs_status refuse(const hsi_json *j, const char *expected)
{
    hsi_text piece = {j->at, 0};
    char     shown[HSI_SHOWN];

    if (j->at == j->text->end)
        return hsi_import_fail(j->text, j->at, "the file ends here; expected %s", expected);
    while (piece.length < 20 && j->at + piece.length < j->text->end &&
           !strchr(" \t\r\n,:]}", j->at[piece.length]))
        piece.length++;
    piece.length += piece.length == 0;
    return hsi_import_fail(j->text, j->at, "%s; expected %s", hsi_import_quote(piece, shown),
                           expected);
}

hs_status hsi_json_peek_value(hsi_json *j, char *first)
{
    skip_blanks(j);
    *first = *j->at;
    if (*first && strchr("{[\"-0123456789tfn", *first))
        return HS_OK;
    return refuse(j, "a value");
}

static hs_status expect(hsi_json *j, char what, const char *name)
{
    skip_blanks(j);
    if (*j->at != what)
        return refuse(j, name);
    j->at++;
    return HS_OK;
}

/* Advance into an object or array to its next entry, or to its end. */
static hs_status step(hsi_json *j, const char *brackets, const char *name, int *first, int *found)
{
    hs_status st = *first ? expect(j, brackets[0], name) : HS_OK;

    if (st != HS_OK)
        return st;
    skip_blanks(j);
    *found = *j->at != brackets[1];
    if (!*found)
        j->at++;
    else if (!*first)
        st = expect(j, ',', brackets[1] == '}' ? "',' or '}'" : "',' or ']'");
    *first = 0;
    return st;
}

hs_status hsi_json_next_member(hsi_json *j, int *first, int *found, hsi_text *name)
{
    hs_status st = step(j, "{}", "an object", first, found);

    if (st != HS_OK || !*found)
        return st;
    st = hsi_json_read_string(j, name);
    return st == HS_OK ? expect(j, ':', "':'") : st;
}

hs_status hsi_json_next_element(hsi_json *j, int *first, int *found)
{
    return step(j, "[]", "an array", first, found);
}

/* Return the value of four hexadecimal digits; -1: not four digits. */
static long hexadecimal(const char *at)
{
    long value = 0;

    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *digit = at[i] ? strchr(digits, at[i]) : NULL;

        if (!digit)
            return -1;
        value = value * 16 + (digit - digits) % 16;
    }
    return value;
}

/* Return the character of \uXXXX, or of a surrogate pair, and advance *at past it; 0: invalid. */
static long unicode(const char **at)
{
    long high = hexadecimal(*at + 2), low;

    *at += 6;
    if (high < 0xd800 || high > 0xdfff)
        return high > 0 ? high : 0;
    if (high > 0xdbff || (*at)[0] != '\\' || (*at)[1] != 'u')
        return 0;
    low = hexadecimal(*at + 2);
    *at += 6;
    return low >= 0xdc00 && low <= 0xdfff ? 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00) : 0;
}

static size_t put_utf8(char *to, long c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3f));
        to[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3f));
    to[2] = (char)(0x80 | (c >> 6 & 0x3f));
    to[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* Decode the escapes of a string; the result is never longer than the source. */
static hs_status unescape(hsi_json *j, hsi_text raw, hsi_text *value)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char       *at = raw.at, *end = raw.at + raw.length;
    char             *to = hsi_arena_alloc(j->arena, raw.length, 1);

    if (!to)
        return HS_ENOMEM;
    *value = (hsi_text){to, 0};
    while (at < end) {
        const char *start = at, *letter;
        long        c;

        if (*at != '\\') {
            to[value->length++] = *at++;
        } else if (at[1] == 'u' && (c = unicode(&at)) > 0 && at <= end) {
            value->length += put_utf8(to + value->length, c);
        } else if (at == start && at[1] != 'u' && (letter = strchr(letters, at[1]))) {
            to[value->length++] = meant[letter - letters];
            at += 2;
        } else {
            return hsi_import_fail(j->text, start,
                                   "an escape that is no character; expected one "
                                   "of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
        }
    }
    return HS_OK;
}

hs_status hsi_json_read_string(hsi_json *j, hsi_text *value)
{
    const char *start, *end;
    bool        escaped = false;

    skip_blanks(j);
    if (*j->at != '"')
        return refuse(j, "a string");
    start = end = j->at + 1;
    for (; *end != '"'; end++) {
        if (end == j->text->end)
            return hsi_import_fail(j->text, j->at, "a string that does not end; expected '\"'");
        if ((unsigned char)*end < 0x20)
            return hsi_import_fail(j->text, end,
                                   "a control character in a string; expected an "
                                   "escape");
        if (*end == '\\' && end + 1 < j->text->end) {
            escaped = true;
            end++;
        }
    }
    *value = (hsi_text){start, (size_t)(end - start)};
    j->at = end + 1;
    return escaped ? unescape(j, *value, value) : HS_OK;
}

static size_t digits(const char *at)
{
    size_t count = 0;

    while (at[count] >= '0' && at[count] <= '9')
        count++;
    return count;
}

/* Return the end of a JSON number; NULL: not a number. */
static const char *number_end(const char *at)
{
    size_t count;

    at += *at == '-';
    count = digits(at);
    if (count == 0 || (count > 1 && *at == '0'))
        return NULL;
    at += count;
    if (*at == '.') {
        count = digits(at + 1);
        if (count == 0)
            return NULL;
        at += 1 + count;
    }
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '+' || at[1] == '-');
        count = digits(at);
        if (count == 0)
            return NULL;
        at += count;
    }
    return at;
}

hs_status hsi_json_read_number(hsi_json *j, double *value)
{
    const char *end;

    skip_blanks(j);
    end = number_end(j->at);
    if (!end || !hsi_text_to_number(j->at, (size_t)(end - j->at), value))
        return refuse(j, "a number");
    j->at = end;
    return HS_OK;
}

static hs_status skip_word(hsi_json *j)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < 3; i++)
        if (strncmp(j->at, words[i], strlen(words[i])) == 0) {
            j->at += strlen(words[i]);
            return HS_OK;
        }
    return refuse(j, "a value");
}

/* Skip a value with all nested values; a stack holds the open arrays and objects. */
hs_status hsi_json_skip_value(hsi_json *j)
{
    char      open[HSI_JSON_DEPTH + 1];
    int       first[HSI_JSON_DEPTH + 1], depth = 0, found;
    hs_status st = HS_OK;

    do {
        hsi_text text;
        double   number;
        char     c = '\0';

        st = hsi_json_peek_value(j, &c);
        if (st == HS_OK && (c == '{' || c == '[')) {
            if (depth == HSI_JSON_DEPTH)
                return refuse(j, "values that are less deep in each other");
            open[++depth] = c;
            first[depth] = 1;
        } else if (st == HS_OK && c == '"') {
            st = hsi_json_read_string(j, &text);
        } else if (st == HS_OK && strchr("tfn", c)) {
            st = skip_word(j);
        } else if (st == HS_OK) {
            st = hsi_json_read_number(j, &number);
        }
        found = 0;
        while (st == HS_OK && depth > 0 && !found) {
            st = open[depth] == '{' ? hsi_json_next_member(j, &first[depth], &found, &text)
                                    : hsi_json_next_element(j, &first[depth], &found);
            depth -= !found;
        }
    } while (st == HS_OK && depth > 0);
    return st;
}

hs_status hsi_json_expect_end(hsi_json *j)
{
    skip_blanks(j);
    return j->at == j->text->end ? HS_OK : refuse(j, "nothing behind the value");
}
