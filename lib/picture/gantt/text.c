/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/gantt/gantt.h"
#include "support/decimal/decimal.h"

const char *hsi_unit_text(hs_unit unit)
{
    static const char names[][4] = {"s", "ms", "\xc2\xb5s", "ns"};

    return names[unit];
}

/* A number >= 0 as 0.DIGITS * 10^point. */
typedef struct decimal {
    char digits[HSI_DECIMAL_MAX];
    int  count, point;
} decimal;

static decimal decimal_of(double value)
{
    char    text[HSI_DECIMAL_MAX];
    decimal d = {.count = 0};
    int     fraction = 0;

    hsi_decimal_write(value, text);
    for (const char *c = text; *c; c++) {
        if (*c == '.') {
            fraction = 1;
        } else if (*c == 'e') {
            d.point += (int)strtol(c + 1, NULL, 10);
            break;
        } else if (d.count > 0 || *c != '0') {
            d.digits[d.count++] = *c;
            d.point += !fraction;
        } else {
            d.point -= fraction; /* a zero between the point and the first digit */
        }
    }
    return d;
}

static void round_decimal(decimal *d, int digits)
{
    int up = d->count > digits && d->digits[digits] >= '5';

    d->count = d->count < digits ? d->count : digits;
    while (up && d->count > 0 && d->digits[d->count - 1] == '9')
        d->count--;
    if (up && d->count > 0) {
        d->digits[d->count - 1]++;
    } else if (up) { /* nines alone: the next power of ten */
        d->digits[d->count++] = '1';
        d->point++;
    }
    while (d->count > 0 && d->digits[d->count - 1] == '0')
        d->count--;
}

/* `places` digits from number `from` on, those past the last being zeros. */
static char *copy_digits(char *at, const decimal *d, int from, int places)
{
    for (int i = from; i < from + places; i++)
        *at++ = i >= 0 && i < d->count ? d->digits[i] : '0';
    return at;
}

static char *write_plain(char *at, const decimal *d)
{
    at = d->point > 0 ? copy_digits(at, d, 0, d->point) : copy_digits(at, d, -1, 1);
    if (d->count > d->point) {
        *at++ = '.';
        at = copy_digits(at, d, d->point, d->count - d->point);
    }
    return at;
}

static char *write_scientific(char *at, const decimal *d)
{
    at = copy_digits(at, d, 0, 1);
    if (d->count > 1) {
        *at++ = '.';
        at = copy_digits(at, d, 1, d->count - 1);
    }
    *at++ = 'e';
    return at + hsi_decimal_write_i64(d->point - 1, at);
}

size_t hsi_round_text(double value, int digits, char buffer[HSI_ROUND_TEXT])
{
    decimal d;
    char   *end;

    if (!(value > 0) || isinf(value))
        return hsi_decimal_write(value, buffer);
    d = decimal_of(value);
    round_decimal(&d, digits);
    end = d.point > -4 && d.point <= 12 ? write_plain(buffer, &d) : write_scientific(buffer, &d);
    *end = '\0';
    return (size_t)(end - buffer);
}

void hsi_put_time(hsi_output *out, double time, hs_unit unit)
{
    char text[HSI_ROUND_TEXT];

    hsi_output_bytes(out, text, hsi_round_text(time, 6, text));
    hsi_output_char(out, ' ');
    hsi_output_text(out, hsi_unit_text(unit));
}

void hsi_put_count(hsi_output *out, uint64_t count)
{
    char   text[32];
    size_t length = hsi_decimal_write_u64(count, text);

    for (size_t i = 0; i < length; i++) {
        if (i > 0 && length > 4 && (length - i) % 3 == 0)
            hsi_output_text(out, "\xe2\x80\xaf");
        hsi_output_char(out, text[i]);
    }
}

void hsi_put_percent(hsi_output *out, double share)
{
    unsigned tenths = share >= 1 ? 1000 : (unsigned)fmin(round(share * 1000), 999);

    hsi_output_u64(out, tenths / 10);
    if (tenths > 0 && tenths < 1000) {
        hsi_output_char(out, '.');
        hsi_output_char(out, (char)('0' + tenths % 10));
    }
    hsi_output_text(out, "\xe2\x80\xaf%");
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

void hsi_put_attribute(hsi_output *out, const char *opening, double value)
{
    hsi_output_text(out, opening);
    hsi_output_coordinate(out, value);
    hsi_output_char(out, '"');
}

static void put_geometry(hsi_output *out, double x, double y, double width, double height)
{
    hsi_put_attribute(out, "\" x=\"", x);
    hsi_put_attribute(out, " y=\"", y);
    hsi_put_attribute(out, " width=\"", width);
    hsi_put_attribute(out, " height=\"", height);
}

void hsi_put_rect(hsi_output *out, const char *kind, double x, double y, double width,
                  double height)
{
    hsi_output_text(out, "<rect class=\"");
    hsi_output_text(out, kind);
    put_geometry(out, x, y, width, height);
}

void hsi_put_class_rect(hsi_output *out, unsigned class, int aborted, double x, double y,
                        double width, double height)
{
    hsi_output_text(out, aborted ? "<rect class=\"a" : "<rect class=\"c");
    hsi_output_u64(out, class);
    put_geometry(out, x, y, width, height);
}

void hsi_put_text_at(hsi_output *out, const char *kind, double x, double y)
{
    hsi_output_text(out, "<text class=\"");
    hsi_output_text(out, kind);
    hsi_put_attribute(out, "\" x=\"", x);
    hsi_put_attribute(out, " y=\"", y);
    hsi_output_char(out, '>');
}

void hsi_put_cross(hsi_output *out, double x, double y, double reach)
{
    hsi_output_text(out, "<path class=\"q\" d=\"M");
    for (int i = 0; i < 4; i++) { /* corner by corner: two strokes */
        static const char *const before[] = {"", "L", "M", "L"};

        hsi_output_text(out, before[i]);
        hsi_output_coordinate(out, i % 2 == 0 ? x - reach : x + reach);
        hsi_output_char(out, ' ');
        hsi_output_coordinate(out, i == 0 || i == 3 ? y - reach : y + reach);
    }
    hsi_output_char(out, '"');
}

void hsi_put_line(hsi_output *out, const char *kind, double x1, double y1, double x2, double y2)
{
    hsi_output_text(out, "<line class=\"");
    hsi_output_text(out, kind);
    hsi_put_attribute(out, "\" x1=\"", x1);
    hsi_put_attribute(out, " y1=\"", y1);
    hsi_put_attribute(out, " x2=\"", x2);
    hsi_put_attribute(out, " y2=\"", y2);
    hsi_output_text(out, "/>\n");
}
