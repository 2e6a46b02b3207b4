/* SPDX-License-Identifier: BSD-3-Clause */
#include "check/read/certificate_lines.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/input.h"
#include "common/message.h"

void report_bad_line(reader *r, const char *what)
{
    if (!r->bad)
        message_without_tool("%s:%u: %s", r->path, r->line, what);
    r->bad = true;
}

int read_all(reader *r, int fd)
{
    size_t room = 0;

    for (;;) {
        ssize_t got;

        if (r->size + 1 >= room) {
            char *larger = realloc(r->text, room = room * 2 + 65536);

            if (!larger)
                return message_status(HS_ENOMEM, r->path);
            r->text = larger;
        }
        got = read(fd, r->text + r->size, room - r->size - 1);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR) {
            message("%s: %s", r->path, strerror(errno));
            return EXIT_USAGE;
        }
        r->size += got > 0 ? (size_t)got : 0;
    }
    r->text[r->size] = 0;
    r->at = r->text;
    return EXIT_OK;
}

char *take(reader *r, const char *name)
{
    char  *line = r->at, *end = strchr(line, '\n');
    size_t length = strlen(name);

    if (r->bad)
        return NULL;
    r->line++;
    if (!end || strncmp(line, name, length) != 0 || line[length] != ',') {
        char what[64];

        snprintf(what, sizeof what, "a line '%s,...' was expected", name);
        report_bad_line(r, what);
        return NULL;
    }
    *end = 0;
    r->at = end + 1;
    return line + length + 1;
}

bool next_line_is(const reader *r, const char *name)
{
    size_t length = strlen(name);

    return !r->bad && strncmp(r->at, name, length) == 0 && r->at[length] == ',';
}

size_t count_lines_left(const reader *r, const char *begin)
{
    size_t lines = 0, length = strlen(begin);

    for (const char *at = r->at, *end; (end = strchr(at, '\n')); at = end + 1)
        lines += strncmp(at, begin, length) == 0;
    return lines;
}

char *split_at_comma(reader *r, char *text)
{
    char *comma = strchr(text, ',');

    if (!comma) {
        report_bad_line(r, "one more number was expected");
        return NULL;
    }
    *comma = 0;
    return comma + 1;
}

int64_t integer_of(reader *r, const char *text)
{
    char   *end, canonical[32];
    int64_t value;

    errno = 0;
    value = strtoll(text, &end, 10);
    snprintf(canonical, sizeof canonical, "%lld", (long long)value);
    if (errno || *end || strcmp(canonical, text) != 0)
        report_bad_line(r, "this is not an integer");
    return value;
}

int64_t read_integer_line(reader *r, const char *name, int64_t least, int64_t most)
{
    const char *text = take(r, name);
    int64_t     value = text ? integer_of(r, text) : 0;

    if (text && (value < least || value > most))
        report_bad_line(r, "this is out of range");
    return value;
}

uint64_t read_hex_line(reader *r, const char *name)
{
    const char *text = take(r, name);
    char       *end, canonical[32];
    uint64_t    value;

    if (!text)
        return 0;
    value = strtoull(text, &end, 16);
    snprintf(canonical, sizeof canonical, "%016llx", (unsigned long long)value);
    if (*end || strcmp(canonical, text) != 0)
        report_bad_line(r, "these are not 16 hexadecimal digits");
    return value;
}

/* Parse a finite number or inf, as hs_format_double() writes it. */
double double_of(reader *r, const char *text)
{
    double value = strtod(text, NULL);
    char   canonical[32];

    hs_format_double(value, canonical);
    if (strcmp(canonical, text) != 0)
        report_bad_line(r, "this is not a number in its shortest form");
    return value;
}

/* Parse INTEGER*2^EXPONENT. After a message the exponent is 0 or in range. */
dyadic dyadic_of(reader *r, char *text)
{
    dyadic value = {0, 0};
    char  *exponent = strstr(text, "*2^");

    if (!exponent) {
        report_bad_line(r, "this is not INTEGER*2^EXPONENT");
        return value;
    }
    *exponent = 0;
    value.exponent = (long)integer_of(r, exponent + 3);
    if (value.exponent < -MOST_EXPONENT || value.exponent > MOST_EXPONENT) {
        report_bad_line(r, "the exponent is out of range");
        value.exponent = 0;
    }
    value.mantissa = integer_of(r, text);
    return value;
}

void dyadic_to_fraction(dyadic from, mpq_t value)
{
    mpq_set_si(value, from.mantissa, 1);
    if (from.exponent >= 0)
        mpq_mul_2exp(value, value, (mp_bitcnt_t)from.exponent);
    else
        mpq_div_2exp(value, value, (mp_bitcnt_t)-from.exponent);
}

/*
 * Read "NAME,DECIMAL,INTEGER*2^EXPONENT"; the two forms must agree and be at least 0. `decimal` may
 * be NULL.
 */
dyadic read_real_line(reader *r, const char *name, char decimal[32])
{
    char  *text = take(r, name), *exact = text ? split_at_comma(r, text) : NULL, canonical[32];
    dyadic value = {0, 0};
    double again;
    mpq_t  number, rounded;

    if (exact)
        value = dyadic_of(r, exact);
    if (r->bad)
        return value;
    mpq_inits(number, rounded, NULL);
    dyadic_to_fraction(value, number);
    again = mpq_get_d(number);
    if (!isfinite(again)) {
        report_bad_line(r, "the number is too large");
    } else {
        mpq_set_d(rounded, again);
        hs_format_double(again, canonical);
        if (!mpq_equal(number, rounded) || strcmp(canonical, text) != 0)
            report_bad_line(r, "the two forms of the number do not agree");
        else if (mpq_sgn(number) < 0)
            report_bad_line(r, "this is negative");
        if (decimal)
            memcpy(decimal, canonical, sizeof canonical);
    }
    mpq_clears(number, rounded, NULL);
    return value;
}
