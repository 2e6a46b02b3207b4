/* SPDX-License-Identifier: BSD-3-Clause */
/* Certificates, line by line; whatever is not exactly as hsched-formats(5) has it is refused. */
#include "certificate_read.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/input.h"
#include "common/memory.h"
#include "common/message.h"

enum { MOST_EXPONENT = 2200, MOST_KINDS = 1 << 22 };

typedef struct reader {
    const char *path;
    char       *text, *at; /* `at`: the next line */
    size_t      size;
    unsigned    line;
    int         bad; /* a message was given */
} reader;

static void bad_line(reader *r, const char *what)
{
    if (!r->bad)
        message_plain("%s:%u: %s", r->path, r->line, what);
    r->bad = 1;
}

static int read_all(reader *r, int fd)
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

/* What stands behind "NAME," in the next line, or NULL after a message. */
static char *take(reader *r, const char *name)
{
    char  *line = r->at, *end = strchr(line, '\n');
    size_t length = strlen(name);

    if (r->bad)
        return NULL;
    r->line++;
    if (!end || strncmp(line, name, length) != 0 || line[length] != ',') {
        char what[64];

        snprintf(what, sizeof what, "a line '%s,...' was expected", name);
        bad_line(r, what);
        return NULL;
    }
    *end = 0;
    r->at = end + 1;
    return line + length + 1;
}

/* ---- numbers ------------------------------------------------------------------------ */

static int64_t integer_of(reader *r, const char *text)
{
    char   *end, canonical[32];
    int64_t value;

    errno = 0;
    value = strtoll(text, &end, 10);
    snprintf(canonical, sizeof canonical, "%lld", (long long)value);
    if (errno || *end || strcmp(canonical, text) != 0)
        bad_line(r, "this is not an integer");
    return value;
}

static int64_t take_integer(reader *r, const char *name, int64_t least, int64_t most)
{
    const char *text = take(r, name);
    int64_t     value = text ? integer_of(r, text) : 0;

    if (text && (value < least || value > most))
        bad_line(r, "this is out of range");
    return value;
}

static uint64_t take_hex(reader *r, const char *name)
{
    const char *text = take(r, name);
    char       *end, canonical[32];
    uint64_t    value;

    if (!text)
        return 0;
    value = strtoull(text, &end, 16);
    snprintf(canonical, sizeof canonical, "%016llx", (unsigned long long)value);
    if (*end || strcmp(canonical, text) != 0)
        bad_line(r, "these are not 16 hexadecimal digits");
    return value;
}

/* A finite number or inf, as hs_format_double() writes it. */
static double double_of(reader *r, const char *text)
{
    double value = strtod(text, NULL);
    char   canonical[32];

    hs_format_double(value, canonical);
    if (strcmp(canonical, text) != 0)
        bad_line(r, "this is not a number in its shortest form");
    return value;
}

/* INTEGER*2^EXPONENT */
static void exact_of(reader *r, char *text, mpq_t value)
{
    char *exponent_text = strstr(text, "*2^");
    long  exponent;

    if (!exponent_text) {
        bad_line(r, "this is not INTEGER*2^EXPONENT");
        return;
    }
    *exponent_text = 0;
    exponent = integer_of(r, exponent_text + 3);
    if (exponent < -MOST_EXPONENT || exponent > MOST_EXPONENT)
        bad_line(r, "the exponent is out of range");
    if (r->bad)
        return;
    mpq_set_si(value, integer_of(r, text), 1);
    if (exponent >= 0)
        mpq_mul_2exp(value, value, (mp_bitcnt_t)exponent);
    else
        mpq_div_2exp(value, value, (mp_bitcnt_t)-exponent);
}

/* DECIMAL,INTEGER*2^EXPONENT, which must agree; at least 0. `decimal` may be NULL. */
static void take_real(reader *r, const char *name, mpq_t value, char decimal[32])
{
    char *text = take(r, name), *exact, canonical[32];
    mpq_t again;

    if (!text)
        return;
    exact = strchr(text, ',');
    if (!exact) {
        bad_line(r, "DECIMAL,INTEGER*2^EXPONENT was expected");
        return;
    }
    *exact++ = 0;
    exact_of(r, exact, value);
    if (r->bad)
        return;
    mpq_init(again);
    mpq_set_d(again, mpq_get_d(value));
    hs_format_double(mpq_get_d(value), canonical);
    if (!mpq_equal(again, value) || strcmp(canonical, text) != 0)
        bad_line(r, "the two forms of the number do not agree");
    else if (mpq_sgn(value) < 0)
        bad_line(r, "this is negative");
    mpq_clear(again);
    if (decimal)
        memcpy(decimal, canonical, sizeof canonical);
}

/* ---- the lines ----------------------------------------------------------------------- */

/* The checksum is that of all bytes before its line, FNV-1a. */
static void check_sum(reader *r, size_t length)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    char     line[48];

    for (size_t i = 0; i < length; i++)
        sum = (sum ^ (unsigned char)r->text[i]) * UINT64_C(0x100000001b3);
    snprintf(line, sizeof line, "checksum,%016llx\n", (unsigned long long)sum);
    if (strcmp(r->text + length, line) != 0) {
        message_plain("%s: the checksum in the last line is not that of the lines before it",
                      r->path);
        r->bad = 1;
    }
}

static void check_frame(reader *r)
{
    static const char magic[] = "# hybridsched certificate 1\n";
    char             *last = NULL, *next = r->text;

    if (strlen(r->text) != r->size || strncmp(r->text, magic, strlen(magic)) != 0) {
        r->line = 1;
        bad_line(r, "this is not a certificate: '# hybridsched certificate 1' was expected");
        return;
    }
    while ((next = strstr(next, "\nchecksum,")))
        last = ++next;
    if (!last) {
        message_plain("%s: the last line is not a checksum", r->path);
        r->bad = 1;
        return;
    }
    check_sum(r, (size_t)(last - r->text));
    *last = 0;
    r->at = r->text + strlen(magic);
    r->line = 1;
}

static void take_task(reader *r, certificate *c)
{
    char           *cpu = take(r, "task"), *gpu, *multiplier;
    certified_kind *kind = &c->kind[c->kinds];

    if (!cpu)
        return;
    gpu = strchr(cpu, ',');
    multiplier = gpu ? strchr(gpu + 1, ',') : NULL;
    if (!multiplier) {
        bad_line(r, "task,CPU,GPU,MULTIPLIER was expected");
        return;
    }
    *gpu++ = 0;
    *multiplier++ = 0;
    kind->time[0] = double_of(r, cpu);
    kind->time[1] = double_of(r, gpu);
    kind->multiplier = integer_of(r, multiplier);
    if (!(kind->time[0] > 0) || !(kind->time[1] > 0) || kind->multiplier < 0)
        bad_line(r, "this is not positive");
    c->kinds++;
}

static void take_configuration(reader *r, certificate *c)
{
    size_t lines = 0;

    c->grid = (long)take_integer(r, "grid", -MOST_EXPONENT, MOST_EXPONENT);
    c->capacity = take_integer(r, "capacity", 0, INT64_C(1) << 61);
    c->most[0] = take_integer(r, "cpu-most", 0, INT64_C(1) << 61);
    c->most[1] = take_integer(r, "gpu-most", 0, INT64_C(1) << 61);
    for (const char *at = r->at; (at = strchr(at, '\n')); at++)
        lines++;
    if (lines > MOST_KINDS)
        bad_line(r, "there are too many tasks");
    if (r->bad)
        return;
    c->kind = checked_calloc(lines + 1, sizeof *c->kind);
    while (*r->at && !r->bad)
        take_task(r, c);
}

static void take_proof(reader *r, certificate *c)
{
    static const char *const names[] = {"none", "task", "multipliers", "configuration"};
    const char              *text = take(r, "proof");

    if (!text)
        return;
    for (int i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0) {
            c->proof = (proof_kind)i;
            text = NULL;
            break;
        }
    if (text)
        bad_line(r, "there is no proof of that name");
    else if (c->proof == PROOF_MULTIPLIERS) {
        take_real(r, "cpu-multiplier", c->multiplier[0], NULL);
        take_real(r, "gpu-multiplier", c->multiplier[1], NULL);
    } else if (c->proof == PROOF_CONFIGURATION) {
        take_configuration(r, c);
    }
}

static void take_lines(reader *r, certificate *c)
{
    const char *name;

    check_frame(r);
    name = take(r, "bound");
    if (name && (strlen(name) >= sizeof c->bound || !*name))
        bad_line(r, "this is not the name of a bound");
    if (name && !r->bad)
        snprintf(c->bound, sizeof c->bound, "%s", name);
    take_real(r, "value", c->value, c->value_text);
    c->digest = take_hex(r, "instance-digest");
    take_proof(r, c);
    if (!r->bad && *r->at) {
        r->line++;
        bad_line(r, "nothing more was expected here");
    }
}

int certificate_read(const char *path, certificate *c)
{
    reader r = {0};
    input  file;
    int    code;

    memset(c, 0, sizeof *c);
    mpq_init(c->value);
    mpq_init(c->multiplier[0]);
    mpq_init(c->multiplier[1]);
    code = input_open(path, &file);
    if (code)
        return code;
    r.path = file.name;
    code = read_all(&r, file.fd);
    input_close(&file);
    if (!code)
        take_lines(&r, c);
    free(r.text);
    return r.bad ? EXIT_USAGE : code;
}

void certificate_free(certificate *c)
{
    mpq_clear(c->value);
    mpq_clear(c->multiplier[0]);
    mpq_clear(c->multiplier[1]);
    free(c->kind);
}
