/* SPDX-License-Identifier: BSD-3-Clause */

#define _GNU_SOURCE
#include "certificate_text.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/certificate.h"
#include "suite.h"

static char path[32];
static int  file = -1, messages = -1, nowhere = -1;

void certificate_fixture_open(void)
{
    file = memfd_create("certificate", 0); /* certificate file in memory, because the tests write
                                              it many thousand times */
    messages = dup(STDERR_FILENO);
    nowhere = open("/dev/null", O_WRONLY);
    ck_assert(file >= 0 && messages >= 0 && nowhere >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
}

void certificate_files_close(void)
{
    close(file);
    close(messages);
    close(nowhere);
}

int certificate_verify(const sample *s, const hs_schedule *plan, bool quiet)
{
    hs_plan_info info;
    int          code;

    hs_plan_info_init(&info);
    if (quiet)
        dup2(nowhere, STDERR_FILENO);
    code = check_certificate(path, s->in, plan, &info, false);
    dup2(messages, STDERR_FILENO);
    return code;
}

void certificate_write_file(const sample *s, const hs_certificate *c)
{
    REQUIRE(s, ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0, "no file");
    REQUIRE(s, hs_certificate_write(file, c) == HS_OK, "not written");
}

void certificate_check_valid(const sample *s, const hs_schedule *plan, const hs_certificate *c)
{
    const char *name = hs_certificate_bound_name(c);

    REQUIRE(s, hs_certificate_proved_value(c) <= hs_certificate_requested_value(c),
            "%s: proved too much", name);
    certificate_write_file(s, c);
    REQUIRE(s, certificate_verify(s, plan, 0) == 0, "%s: %.17g is not verified", name,
            hs_certificate_proved_value(c));
}

void certificate_check_bound(const sample *s, const hs_schedule *plan, const hs_bound *bound)
{
    hs_certificate *c = NULL;
    double          proved, computed;

    REQUIRE(s, hs_certificate_create(bound, s->in, NULL, &c) == HS_OK, "%s", hs_bound_name(bound));
    certificate_check_valid(s, plan, c);
    proved = hs_certificate_proved_value(c);
    computed = hs_certificate_requested_value(c);
    REQUIRE(s, proved >= computed * (1 - 1e-12) - 4 * 0x1p-1074, "%s: %.17g of %.17g is proved",
            hs_bound_name(bound), proved, computed);
    hs_certificate_free(c);
}

void certificate_text_read(const sample *s, certificate_text *t)
{
    ssize_t got = pread(file, t->at, sizeof t->at - 1, 0);

    REQUIRE(s, got > 0 && (size_t)got < sizeof t->at - 1, "too large");
    t->size = (size_t)got;
    t->at[t->size] = 0;
}

void certificate_text_write(const sample *s, const certificate_text *t)
{
    const char *last = strstr(t->at, "\nchecksum,");
    size_t      size = last ? (size_t)(last + 1 - t->at) : t->size, i;
    uint64_t    sum = UINT64_C(0xcbf29ce484222325);
    char        line[48];

    for (i = 0; i < size; i++)
        sum = (sum ^ (unsigned char)t->at[i]) * UINT64_C(0x100000001b3);
    snprintf(line, sizeof line, "checksum,%016llx\n", (unsigned long long)sum);
    REQUIRE(s, ftruncate(file, 0) == 0, "no file");
    REQUIRE(s,
            pwrite(file, t->at, size, 0) == (ssize_t)size &&
                pwrite(file, line, strlen(line), (off_t)size) == (ssize_t)strlen(line),
            "not written");
}

static size_t line_at(const certificate_text *t, size_t at)
{
    while (at > 0 && t->at[at - 1] != '\n')
        at--;
    return at;
}

static size_t next_line(const certificate_text *t, size_t at)
{
    while (at < t->size && t->at[at] != '\n')
        at++;
    return at < t->size ? at + 1 : at;
}

static void remove_part(certificate_text *t, size_t from, size_t to)
{
    memmove(t->at + from, t->at + to, t->size - to + 1);
    t->size -= to - from;
}

static void insert_part(certificate_text *t, size_t at, const char *part, size_t size)
{
    if (t->size + size + 1 > sizeof t->at)
        return;
    memmove(t->at + at + size, t->at + at, t->size - at + 1);
    memcpy(t->at + at, part, size);
    t->size += size;
}

static void change_digit(certificate_text *t, dice *d)
{
    size_t at = dice_below(d, (unsigned)t->size), tries;

    for (tries = 0; tries < t->size; tries++, at = (at + 1) % t->size)
        if (t->at[at] >= '0' && t->at[at] <= '9') {
            t->at[at] = (char)('0' + dice_below(d, 10));
            return;
        }
}

static double claimed_bound(const certificate_text *t)
{
    const char *line = strstr(t->at, "\nvalue,");

    return line ? strtod(line + 7, NULL) : NAN;
}

/* Replace the value line by a larger value, written in decimal and as mantissa and exponent. */
static void raise_value(certificate_text *t, dice *d)
{
    const char *line = strstr(t->at, "\nvalue,");
    double      value = claimed_bound(t);
    char        raised[128], decimal[32];
    int         exponent;
    long long   mantissa;
    size_t      at;

    if (!line || !(value > 0) || !(value < 1e300))
        return;
    at = (size_t)(line + 1 - t->at);
    value = dice_below(d, 4) ? value * (1 + ldexp(1, -(int)dice_below(d, 50)))
                             : nextafter(value, INFINITY);
    if (dice_below(d, 3) == 0)
        value = ceil(value);
    mantissa = (long long)ldexp(frexp(value, &exponent), 53);
    exponent -= 53;
    for (; mantissa % 2 == 0; mantissa /= 2)
        exponent++;
    hs_format_double(value, decimal);
    snprintf(raised, sizeof raised, "value,%s,%lld*2^%d\n", decimal, mantissa, exponent);
    remove_part(t, at, next_line(t, at));
    insert_part(t, at, raised, strlen(raised));
}

static void change_text(certificate_text *t, dice *d)
{
    size_t at = line_at(t, dice_below(d, (unsigned)t->size)), end = next_line(t, at);
    char   copy[256];
    size_t size = end - at < sizeof copy ? end - at : sizeof copy;

    switch (dice_below(d, 10)) {
    case 0:
        remove_part(t, at, end);
        break;
    case 1:
        memcpy(copy, t->at + at, size);
        insert_part(t, line_at(t, dice_below(d, (unsigned)t->size)), copy, size);
        break;
    case 2:
        t->at[dice_below(d, (unsigned)t->size)] = (char)(1 + dice_below(d, 255));
        break;
    case 3:
        remove_part(t, dice_below(d, (unsigned)t->size), t->size);
        break;
    case 4:
        insert_part(t, at, dice_below(d, 2) ? "packing,cpu\n" : "packing,gpu\n", 12);
        break;
    case 5:
    case 6:
    case 7:
        raise_value(t, d);
        break;
    default:
        change_digit(t, d);
    }
}

void certificate_check_changed(const sample *s, const hs_schedule *plan,
                               const certificate_text *good,
                          const optimum *best, dice *d)
{
    static certificate_text changed;
    unsigned    times = dice_between(d, 1, 2);
    int         code;

    memcpy(changed.at, good->at, good->size + 1);
    changed.size = good->size;
    for (; times > 0 && changed.size > 1; times--)
        change_text(&changed, d);
    certificate_text_write(s, &changed);
    code = certificate_verify(s, plan, true);
    REQUIRE(s, code >= 0 && code <= 3, "exit code %d", code);
    REQUIRE(s, code != 0 || exact_compare_double(&best->value, claimed_bound(&changed)) >= 0,
            "accepted, but no optimum is that large:\n%s", changed.at);
}
