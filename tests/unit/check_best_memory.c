/* SPDX-License-Identifier: BSD-3-Clause */
/* Every allocation of a search fails once: HS_ENOMEM or a valid schedule, and no leak. */
#include <stdio.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long until_failure = -1; /* -1: none fails */

static int fails(void)
{
    return until_failure >= 0 && until_failure-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

/* 1 while some allocation was made to fail. */
static int try_failing(const hs_instance *in, const hs_schedule *start, long which)
{
    hs_settings  settings;
    hs_schedule *s = NULL;
    hs_status    st;
    int          failed;

    hs_settings_init(&settings);
    settings.iterations = 30000;
    settings.start = start;
    until_failure = which;
    st = hs_solve(hs_algorithm_find("best"), in, &settings, &s);
    failed = until_failure < 0;
    until_failure = -1;
    if (st == HS_OK ? hs_schedule_check(in, s, NULL) != HS_OK : st != HS_ENOMEM || s) {
        fprintf(stderr, "allocation %ld: %s\n", which, hs_status_text(st));
        exit(EXIT_FAILURE);
    }
    hs_schedule_free(s);
    return failed;
}

int main(void)
{
    hs_gamma     spec = {40, 3, 2, 15, 1, 1, 1, 1};
    hs_instance *in = NULL;
    hs_schedule *start = NULL;
    long         which = 0;

    if (hs_generate_gamma(&spec, &in) != HS_OK ||
        hs_solve(hs_algorithm_find("lpt"), in, NULL, &start) != HS_OK)
        return EXIT_FAILURE;
    while (try_failing(in, start, which))
        which++;
    hs_schedule_free(start);
    hs_instance_free(in);
    return which > 50 ? EXIT_SUCCESS : EXIT_FAILURE;
}
