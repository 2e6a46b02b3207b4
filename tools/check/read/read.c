/* SPDX-License-Identifier: BSD-3-Clause */
/* Certificates, line by line; whatever is not exactly as hsched-formats(5) has it is refused. */
#include "check/read/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/read/lines.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/message.h"

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
    size_t lines;

    c->grid = (long)take_integer(r, "grid", -MOST_EXPONENT, MOST_EXPONENT);
    c->capacity = take_integer(r, "capacity", 0, INT64_C(1) << 61);
    c->most[0] = take_integer(r, "cpu-most", 0, INT64_C(1) << 61);
    c->most[1] = take_integer(r, "gpu-most", 0, INT64_C(1) << 61);
    lines = lines_left(r);
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
    static const char *const names[] = {"none", "task", "multipliers", "configuration", "tree"};
    const char              *text = take(r, "proof");

    if (!text)
        return;
    for (int i = 0; i < 5; i++)
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
    } else if (c->proof == PROOF_TREE) {
        take_tree(r, c);
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
    free(c->node);
    free(c->worth);
}
