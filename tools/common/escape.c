/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/escape.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include <hybridsched/io.h>

#include "common/checked_memory.h"

/* Return the length of the UTF-8 character at `text` in bytes; 0: invalid. */
static size_t utf8_length(const unsigned char *text)
{
    size_t length = text[0] < 0x80 ? 1 : text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;

    if ((text[0] >= 0x80 && text[0] < 0xc2) || text[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    /* Refuse overlong forms, surrogates, and code points past the last plane. */
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

bool utf8_is_valid(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t               length;

    for (; *at; at += length)
        if ((length = utf8_length(at)) == 0)
            return false;
    return true;
}

static unsigned code_point(const unsigned char *text, size_t length)
{
    if (length == 1)
        return text[0];
    if (length == 2)
        return (text[0] & 0x1fu) << 6 | (text[1] & 0x3fu);
    return (text[0] & 0x0fu) << 12 | (text[1] & 0x3fu) << 6 | (text[2] & 0x3fu);
}

/* Return whether a terminal may get the character unchanged. */
static bool is_shown(const unsigned char *text, size_t length)
{
    char character[5], form[32];

    memcpy(character, text, length);
    character[length] = '\0';
    return hs_printable(character, form, sizeof form) == length;
}

/*
 * Write a JSON string with its quotes. Characters not printable on a terminal are escaped, which
 * does not change the string.
 */
static void json_string(FILE *out, const char *string)
{
    const unsigned char *text = (const unsigned char *)string;

    putc('"', out);
    while (*text) {
        size_t length = utf8_length(text);

        if (length == 0)
            fputs("\\ufffd", out);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (!is_shown(text, length)) /* unprintable characters have at most 3 bytes */
            fprintf(out, "\\u%04x", code_point(text, length));
        else
            fwrite(text, 1, length, out);
        text += length ? length : 1;
    }
    putc('"', out);
}

/* Write a number in the shortest form that reads back to `value`; null if it is not finite. */
static void json_number(FILE *out, double value)
{
    char text[32];

    hs_format_double(value, text);
    fputs(isfinite(value) ? text : "null", out);
}

/* Write the argument for the conversion at `at`, behind a '%'. Return the rest of the format. */
static const char *json_argument(FILE *out, const char *at, va_list *args)
{
    if (*at == 's')
        json_string(out, va_arg(*args, const char *));
    else if (*at == 'g')
        json_number(out, va_arg(*args, double));
    else if (*at == 'u')
        fprintf(out, "%u", va_arg(*args, unsigned));
    else if (*at == 'z') /* %zu */
        fprintf(out, "%zu", va_arg(*args, size_t));
    return at + (*at == 'z' ? 2 : 1);
}

void json_format(FILE *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    while (*format) {
        if (*format == '%')
            format = json_argument(out, format + 1, &args);
        else
            putc(*format++, out);
    }
    va_end(args);
}

static const char *html_entity(unsigned char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

const char *shown(const char *text, char buffer[SHOWN_SIZE])
{
    hs_printable(text, buffer, SHOWN_SIZE);
    return buffer;
}

void html_text(FILE *out, const char *string)
{
    const unsigned char *text = (const unsigned char *)string;

    while (*text) {
        size_t      length = utf8_length(text);
        const char *entity = html_entity(*text);
        bool        control = *text < 0x20 && *text != '\n' && *text != '\t';

        if (length == 0 || control || *text == 0x7f)
            fputs("&#xfffd;", out);
        else if (entity)
            fputs(entity, out);
        else
            fwrite(text, 1, length, out);
        text += length ? length : 1;
    }
}

char *shell_word(const char *word)
{
    /* Characters without a special meaning in shells. */
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:=@_";
    char  *quoted = checked_calloc(4 * strlen(word) + 3, 1), *end = quoted;
    size_t length = strspn(word, plain);

    if (length > 0 && !word[length])
        return strcpy(quoted, word);
    *end++ = '\'';
    for (; *word; word++)
        if (*word == '\'')
            end = stpcpy(end, "'\\''");
        else
            *end++ = *word;
    *end = '\'';
    return quoted;
}
