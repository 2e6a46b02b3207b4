/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in the encoding WinAnsi of PDF, and their width. */
#include <string.h>

#include "common/pdf/content.h"

/* Widths of Helvetica's characters from the blank on, in thousandths of the font size. */
static const unsigned short widths[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};

/* Read an XML entity (&lt;, &#64;) at `text`. Return the length of the entity; 0: no entity. */
static size_t read_entity(const char *text, unsigned *character)
{
    static const struct {
        const char *name;
        unsigned    character;
    } known[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(text, known[i].name, strlen(known[i].name)) == 0) {
            *character = known[i].character;
            return strlen(known[i].name);
        }
    return 0;
}

/* Read a character of valid UTF-8; return its length. */
static size_t read_character(const char *text, unsigned *character)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t               length = *at < 0x80 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;

    *character = length == 1 ? *at : *at & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++)
        *character = *character << 6 | (at[i] & 0x3fu);
    return length;
}

/* Return the code of a character in WinAnsi. */
static unsigned code_of(unsigned character)
{
    static const struct {
        unsigned character, code;
    } others[] = {{0x2013, 0x96}, {0x2014, 0x97}, {0x2018, 0x91}, {0x2019, 0x92}, {0x201c, 0x93},
                  {0x201d, 0x94}, {0x2022, 0x95}, {0x2026, 0x85}, {0x20ac, 0x80}, {0x2122, 0x99}};

    if ((character >= 0x20 && character < 0x7f) || (character >= 0xa0 && character <= 0xff))
        return character;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].character == character)
            return others[i].code;
    return '?';
}

static double width_of(unsigned code)
{
    if (code == 0x85)
        return 1; /* the ellipsis */
    return (code < 0x7f ? widths[code - 0x20] : 556) / 1000.0;
}

double pdf_text(FILE *out, const char *text, size_t length)
{
    double      width = 0;
    const char *end = text + length;

    putc('(', out);
    while (text < end) {
        unsigned character, code;
        size_t   used = read_entity(text, &character);

        text += used ? used : read_character(text, &character);
        code = code_of(character);
        width += width_of(code);
        if (code >= 0x7f)
            fprintf(out, "\\%03o", code);
        else
            fprintf(out, "%s%c", strchr("()\\", (int)code) ? "\\" : "", (int)code);
    }
    putc(')', out);
    return width;
}
