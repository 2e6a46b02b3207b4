/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/plot/svg.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "common/escape.h"

/*
 * Class names have one letter and are those of Gantt charts, because a page may contain both. Paper
 * is never dark. A reader without media queries skips the dark rules.
 */
const char svg_style[] =
    "text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,"
    "\"DejaVu Sans\",sans-serif;font-size:12px;fill:#1f2937}\n"
    ".b{font-weight:600}.e{text-anchor:end}.i{text-anchor:middle}.k{font-size:11px;fill:#4b5563}"
    ".z{fill:#fff}.x{stroke:#9ca3af;stroke-width:1}.v{stroke:#111827;stroke-width:1.5}"
    ".u{stroke:#111827;stroke-width:1.5;stroke-dasharray:1.5 4}\n";

const char svg_dark_style[] =
    "@media screen and (prefers-color-scheme:dark){\n"
    "text{fill:#e5e7eb}.k{fill:#9aa3b2}.z{fill:#1d2128}.x{stroke:#6b7280}.v,.u{stroke:#f3f4f6}\n";

static void put_coordinate(FILE *out, double value)
{
    unsigned long hundredths = (unsigned long)floor(fabs(value) * 100 + 0.5);
    unsigned      fraction = (unsigned)(hundredths % 100);

    fprintf(out, "%s%lu", value < 0 && hundredths > 0 ? "-" : "", hundredths / 100);
    if (fraction % 10)
        fprintf(out, ".%02u", fraction);
    else if (fraction)
        fprintf(out, ".%u", fraction / 10);
}

/* Write the argument for a conversion. */
static void put_argument(FILE *out, char conversion, va_list *arguments)
{
    switch (conversion) {
    case 's':
        fputs(va_arg(*arguments, const char *), out);
        break;
    case 'c':
        putc(va_arg(*arguments, int), out);
        break;
    case 'u':
        fprintf(out, "%u", va_arg(*arguments, unsigned));
        break;
    case 'f':
        put_coordinate(out, va_arg(*arguments, double));
        break;
    default:
        putc('%', out);
    }
}

void svg_format(FILE *out, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    for (; *format; format++)
        if (*format == '%')
            put_argument(out, *++format, &arguments);
        else
            putc(*format, out);
    va_end(arguments);
}

void svg_name(FILE *out, const char *text, size_t limit)
{
    char cut[128];

    if (strlen(text) <= limit) {
        html_text(out, text);
        return;
    }
    limit = limit < sizeof cut ? limit : sizeof cut - 1;
    while (limit > 0 && ((unsigned char)text[limit] & 0xc0) == 0x80)
        limit--;
    memcpy(cut, text, limit);
    cut[limit] = '\0';
    html_text(out, cut);
    fputs("\xe2\x80\xa6", out);
}

/* Characters from U+1000 on, whose first byte is 0xe1 or more, count as wide. */
unsigned svg_text_columns(const char *text)
{
    unsigned columns = 0;

    for (; *text; text++)
        if (((unsigned char)*text & 0xc0) != 0x80)
            columns += (unsigned char)*text >= 0xe1 ? 2 : 1;
    return columns;
}

void svg_rect(FILE *out, const char *css_class, double x, double y, double width, double height)
{
    svg_format(out, "<rect class=\"%s\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"", css_class, x,
               y, width, height);
}

void svg_text_begin(FILE *out, const char *css_class, double x, double y)
{
    svg_format(out, "<text class=\"%s\" x=\"%f\" y=\"%f\">", css_class, x, y);
}

void svg_line(FILE *out, const char *css_class, double x1, double y1, double x2, double y2)
{
    svg_format(out, "<line class=\"%s\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>\n", css_class, x1,
               y1, x2, y2);
}
