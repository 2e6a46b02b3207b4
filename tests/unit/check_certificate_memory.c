/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation of a certificate's making fails once: HS_ENOMEM or a certificate, and
 * no leak. And a certificate proves what the bound says.
 */
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

static void expect(int good, const char *bound, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s: %s\n", bound, what);
    exit(EXIT_FAILURE);
}

/* 1 while some allocation was made to fail. */
static int try_failing(const hs_bound *bound, const hs_instance *in, long which)
{
    hs_certificate *c = NULL;
    hs_status       st;
    int             failed;

    until_failure = which;
    st = hs_certificate_create(bound, in, NULL, &c);
    failed = until_failure < 0;
    until_failure = -1;
    expect(st == HS_OK || (st == HS_ENOMEM && !c), hs_bound_name(bound), hs_status_text(st));
    hs_certificate_free(c);
    return failed;
}

/* The last bits may be lost on the way to another proof of it. */
static void expect_value(const hs_bound *bound, const hs_instance *in)
{
    hs_certificate *c = NULL;
    double          value, proved;

    expect(hs_certificate_create(bound, in, NULL, &c) == HS_OK, hs_bound_name(bound), "failed");
    expect(hs_bound_compute(bound, in, NULL, &value) == HS_OK, hs_bound_name(bound), "failed");
    proved = hs_certificate_value(c);
    expect(proved <= value && proved >= value * (1 - 1e-14), hs_bound_name(bound),
           "the certificate does not prove the bound");
    hs_certificate_free(c);
}

int main(void)
{
    hs_gamma     spec = {20, 3, 2, 15, 1, 1, 1, 1};
    hs_instance *in = NULL;
    int          certified = 0;

    if (hs_generate_gamma(&spec, &in) != HS_OK)
        return EXIT_FAILURE;
    for (size_t i = 0; i < hs_bound_count(); i++) {
        const hs_bound *bound = hs_bound_at(i);
        long            which = 0;

        if (!hs_bound_has_certificate(bound))
            continue;
        expect_value(bound, in);
        while (try_failing(bound, in, which))
            which++;
        certified++;
    }
    hs_instance_free(in);
    return certified >= 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
