/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Target of certificates of four small instances: no accepted certificate claims more than the
 * optimum. The digit at the begin of an input chooses the instance; the checksum is added.
 */

#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "check/certificate.h"
#include "common/message.h"

typedef struct subject {
    const char  *text;
    double       optimum;
    hs_instance *in;
    hs_schedule *plan;
} subject;

static subject subjects[] = {
    {"# cpus 2\n# gpus 1\ncpu,gpu\n3,2\n3,2\n4,1\n5,3\n2,inf\n", 0, NULL, NULL},
    {"# cpus 1\n# gpus 1\nid,cpu,gpu,after\na,2,1,\nb,3,2,a\nc,2,4,a\nd,1,1,b;c\n", 0, NULL, NULL},
    {"# cpus 2\n# gpus 2\ncpu,gpu,count\n7,3,5\n4,2,3\n", 0, NULL, NULL},
    {"# cpus 2\n# gpus 1\n# link h2d 0 1\n# link d2h 0 1\nid,cpu,gpu,after\na,2,3,\nb,6,1,a:2\n"
     "c,2,4,b:3\nd,4,inf,a\ne,1,3,c;d:2\nf,5,2,a:1\n", 0, NULL, NULL},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* Read the instance and find its optimum, once. */
static void prepare(subject *s)
{
    hs_settings settings;
    hs_report   report;

    if (s->in)
        return;
    hs_settings_init(&settings);
    hs_report_init(&report);
    settings.time_limit = INFINITY;
    FUZZ_REQUIRE(hs_instance_read(fuzz_file((const uint8_t *)s->text, strlen(s->text)), NULL,
                                  &s->in, NULL) == HS_OK,
                 "no instance");
    FUZZ_REQUIRE(hs_solve_reported(hs_algorithm_find("exact"), s->in, &settings, &s->plan,
                                   &report) == HS_OK &&
                     report.proved,
                 "no optimum");
    s->optimum = hs_schedule_makespan(s->plan);
}

/* Write the text to the file in memory, with a correct checksum instead of its own. */
static void write_sealed(const char *text, size_t size)
{
    const char *own = memmem(text, size, "\nchecksum,", 10);
    uint64_t    sum = UINT64_C(0xcbf29ce484222325);
    char       *sealed = malloc(size + 32);
    int         added;

    FUZZ_REQUIRE(sealed, "out of memory");
    size = own ? (size_t)(own + 1 - text) : size;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    memcpy(sealed, text, size);
    added = sprintf(sealed + size, "checksum,%016llx\n", (unsigned long long)sum);
    fuzz_file((const uint8_t *)sealed, size + (size_t)added);
    free(sealed);
}

/* Return the value that the certificate claims to prove. */
static double claimed_value(const char *text)
{
    const char *line = strstr(text, "\nvalue,");

    return line ? strtod(line + 7, NULL) : 0;
}

void fuzz_certificate(const uint8_t *data, size_t size)
{
    subject     *s;
    hs_plan_info info;
    char        *text;
    int          code;

    if (size < 2)
        return;
    s = &subjects[*data % SUBJECTS];
    prepare(s);
    text = fuzz_text(data + 1, size - 1);
    write_sealed(text, size - 1);
    hs_plan_info_init(&info);
    fuzz_mute(true);
    code = check_certificate(fuzz_file_path(), s->in, s->plan, &info, false);
    fuzz_mute(false);
    FUZZ_REQUIRE(code >= EXIT_OK && code <= EXIT_USAGE, "exit status %d", code);
    FUZZ_REQUIRE(code != EXIT_OK || claimed_value(text) <= s->optimum,
                 "%.17g is accepted, but the optimum is %.17g", claimed_value(text), s->optimum);
    free(text);
}
