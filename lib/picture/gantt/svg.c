/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/gantt/svg.h"
#include "support/decimal/decimal.h"
#include "support/utf8.h"

#define THIN "\xe2\x80\xaf" /* a narrow space that does not break */

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

void hsi_put_long_time(hsi_output *out, double time, hs_unit unit)
{
    char text[32];

    hsi_put_time(out, time, unit);
    if (hs_format_duration(time * hs_unit_seconds(unit), text) > 0)
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
        columns += hsi_utf8_next(text + i, length - i, &size) >= 0x1100 ? 2 : 1;
    return columns;
}

void hsi_put_rect(hsi_output *out, const char *kind, double x, double y, double width,
                  double height)
{
    hsi_output_format(out, "<rect class=\"%s\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"", kind,
                      x, y, width, height);
}

void hsi_put_class_rect(hsi_output *out, unsigned class, int aborted, double x, double y,
                        double width, double height)
{
    char kind[16];

    snprintf(kind, sizeof kind, "%c%u", aborted ? 'a' : 'c', class);
    hsi_put_rect(out, kind, x, y, width, height);
}

void hsi_put_text_at(hsi_output *out, const char *kind, double x, double y)
{
    hsi_output_format(out, "<text class=\"%s\" x=\"%f\" y=\"%f\">", kind, x, y);
}

void hsi_put_label(hsi_output *out, const char *kind, double x, double y, const char *text)
{
    hsi_put_text_at(out, kind, x, y);
    hsi_output_format(out, "%s</text>\n", text);
}

void hsi_put_cross(hsi_output *out, double x, double y, double reach)
{
    double left = x - reach, right = x + reach, top = y - reach, bottom = y + reach;

    hsi_output_format(out, "<path class=\"q\" d=\"M%f %fL%f %fM%f %fL%f %f\"", left, top, right,
                      bottom, left, bottom, right, top);
}

void hsi_put_line(hsi_output *out, const char *kind, double x1, double y1, double x2, double y2)
{
    hsi_output_format(out, "<line class=\"%s\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>\n", kind,
                      x1, y1, x2, y2);
}
