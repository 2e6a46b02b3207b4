/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/svg.h"
#include "support/decimal/decimal.h"
#include "support/utf8.h"

#define THIN "\xe2\x80\xaf" /* narrow no-break space */

/*
 * The style of shapes besides tasks. Class names have one letter. Colours are given for light
 * pages, and in a media query for dark screens; paper is never dark. A reader without media queries
 * skips the dark rules.
 */
const char hsi_svg_style[] =
    "text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,"
    "\"DejaVu Sans\",sans-serif;font-size:12px;fill:#1f2937}\n"
    ".h{font-size:20px;font-weight:600}.b{font-weight:600}.s{font-size:13px;fill:#4b5563}"
    ".m{fill:#374151}.p{font-size:15px;font-weight:600}\n"
    ".e{text-anchor:end}.i{text-anchor:middle}.k{font-size:11px;fill:#4b5563}\n"
    ".n{font-size:10.5px;text-anchor:middle;pointer-events:none;fill:#000}.w{fill:#fff}\n"
    ".z{fill:#fff}.l{fill:#dfe3ea}.g{stroke:#fff;stroke-width:1}"
    ".x{stroke:#9ca3af;stroke-width:1}.t{fill:#4b5563}\n"
    ".v{stroke:#111827;stroke-width:1.5}"
    ".u{stroke:#111827;stroke-width:1.5;stroke-dasharray:1.5 4}"
    ".d{stroke:#b0006d;stroke-width:1.5;stroke-dasharray:6 3}.o{fill:#b0006d}"
    ".q{stroke:#c81e1e;stroke-width:2.5;fill:none}\n";

const char hsi_svg_dark_style[] =
    "@media screen and (prefers-color-scheme:dark){\n"
    "text{fill:#e5e7eb}.s,.k{fill:#9aa3b2}.m{fill:#cbd2dc}"
    ".z{fill:#1d2128}.l{fill:#323842}.g{stroke:#1d2128}.x{stroke:#6b7280}.t{fill:#cbd2dc}\n"
    ".v,.u{stroke:#f3f4f6}.d{stroke:#ff7ac6}.o{fill:#ff7ac6}.q{stroke:#ff5c5c}\n";

const char *hsi_unit_text(hs_unit unit)
{
    return unit == HS_MICROSECONDS ? "\xc2\xb5s" : hs_unit_name(unit);
}

void hsi_put_time(hsi_output *out, double time, hs_unit unit)
{
    char text[32];

    hs_format_rounded(time, 6, text);
    hsi_output_format(out, "%s %s", text, hsi_unit_text(unit));
}

void hsi_put_time_and_duration(hsi_output *out, double time, hs_unit unit)
{
    char text[32];

    hsi_put_time(out, time, unit);
    if (hs_format_long_duration(time * hs_unit_seconds(unit), text) > 0)
        hsi_output_format(out, " (%s)", text);
}

void hsi_put_interval(hsi_output *out, double from, double to, int digits, hs_unit unit)
{
    char start[32], end[32];

    hs_format_rounded(from, digits, start);
    hs_format_rounded(to, digits, end);
    hsi_output_format(out, "%s \xe2\x80\x93 %s %s", start, end, hsi_unit_text(unit));
}

void hsi_put_count(hsi_output *out, uint64_t count)
{
    char   text[32];
    size_t length = hsi_decimal_write_u64(count, text);

    for (size_t i = 0; i < length; i++) {
        if (i > 0 && length > 4 && (length - i) % 3 == 0)
            hsi_output_text(out, THIN);
        hsi_output_char(out, text[i]);
    }
}

void hsi_put_bytes(hsi_output *out, double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    unsigned                 unit = 0;
    char                     text[32];

    for (; bytes >= 999.5 && unit < 5; bytes /= 1000)
        unit++;
    hs_format_rounded(bytes, 3, text);
    hsi_output_format(out, "%s %s", text, units[unit]);
}

void hsi_put_percent(hsi_output *out, double share)
{
    unsigned tenths = share >= 1 ? 1000 : (unsigned)fmin(round(share * 1000), 999);

    if (tenths > 0 && tenths < 1000)
        hsi_output_format(out, "%u.%u" THIN "%%", tenths / 10, tenths % 10);
    else
        hsi_output_format(out, "%u" THIN "%%", tenths / 10);
}

void hsi_put_name(hsi_output *out, const char *text, size_t limit)
{
    size_t length = strlen(text);

    if (length <= limit) {
        hsi_output_xml(out, text, length);
        return;
    }
    while (limit > 0 && ((unsigned char)text[limit] & 0xc0) == 0x80)
        limit--;
    hsi_output_xml(out, text, limit);
    hsi_output_text(out, "\xe2\x80\xa6");
}

unsigned hsi_text_columns(const char *text, size_t length)
{
    unsigned columns = 0;

    for (size_t i = 0, size; i < length; i += size)
        columns += hsi_utf8_decode(text + i, length - i, &size) >= 0x1100 ? 2 : 1;
    return columns;
}

void hsi_put_rect(hsi_output *out, const char *css_class, double x, double y, double width,
                  double height)
{
    hsi_output_format(out, "<rect class=\"%s\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"",
                      css_class, x, y, width, height);
}

void hsi_put_class_rect(hsi_output *out, unsigned task_class, bool aborted, double x, double y,
                        double width, double height)
{
    char kind[16];

    snprintf(kind, sizeof kind, "%c%u", aborted ? 'a' : 'c', task_class);
    hsi_put_rect(out, kind, x, y, width, height);
}

void hsi_put_class_path(hsi_output *out, unsigned task_class, bool aborted, double x, double y,
                        double width, double height)
{
    hsi_output_format(out, "<path class=\"%c%u\" d=\"M%f %fh%fv%fH%fz\"/>", aborted ? 'a' : 'c',
                      task_class, x, y, width, height, x);
}

void hsi_put_text_at(hsi_output *out, const char *css_class, double x, double y)
{
    hsi_output_format(out, "<text class=\"%s\" x=\"%f\" y=\"%f\">", css_class, x, y);
}

void hsi_put_label(hsi_output *out, const char *css_class, double x, double y, const char *text)
{
    hsi_put_text_at(out, css_class, x, y);
    hsi_output_format(out, "%s</text>\n", text);
}

void hsi_put_cross(hsi_output *out, double x, double y, double half_width)
{
    double left = x - half_width, right = x + half_width, top = y - half_width,
           bottom = y + half_width;

    hsi_output_format(out, "<path class=\"q\" d=\"M%f %fL%f %fM%f %fL%f %f\"", left, top, right,
                      bottom, left, bottom, right, top);
}

void hsi_put_line(hsi_output *out, const char *css_class, double x1, double y1, double x2,
                  double y2)
{
    hsi_output_format(out, "<line class=\"%s\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>\n",
                      css_class, x1, y1, x2, y2);
}
