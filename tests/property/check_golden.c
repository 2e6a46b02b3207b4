/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Digests of every plan and bound over a thousand instances, compared with golden.txt: results stay
 * equal bit for bit. After an intended change of results, `check_golden --print` prints the new
 * file.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "unit/plan_digest.h"

enum { INSTANCES = 1000, LARGE = 10, SKIPPED = 77 };

typedef void digest_of(const sample *s, const void *what, uint64_t *digest);

static void add_plan(const sample *s, const void *what, uint64_t *digest)
{
    hs_schedule *plan = NULL;
    hs_status    st = hs_solve(what, s->in, NULL, &plan);

    *digest = digest_word(*digest, st == HS_OK ? digest_plan(plan) : (uint64_t)(int64_t)st);
    hs_schedule_free(plan);
}

static void add_bound(const sample *s, const void *what, uint64_t *digest)
{
    double    value = 0;
    hs_status st = hs_bound_compute(what, s->in, NULL, &value);

    *digest = st == HS_OK ? digest_double(*digest, value)
                          : digest_word(*digest, (uint64_t)(int64_t)st);
}

/* Add the drawn instance to the digest. Drawn times depend on libm, so the digest may differ
 * between systems. */
static void add_instance(const sample *s, const void *what, uint64_t *digest)
{
    size_t i;

    (void)what;
    *digest = digest_word(*digest, (uint64_t)s->m << 32 | s->k);
    for (i = 0; i < s->n; i++) {
        *digest = digest_double(*digest, s->cpu[i]);
        *digest = digest_double(*digest, s->gpu[i]);
        *digest = digest_word(*digest, (uint64_t)s->priority[i]);
    }
}

static uint64_t digest_all(digest_of *add, const void *what)
{
    uint64_t digest = 1, seed;
    sample   s;

    for (seed = 1; seed <= INSTANCES + LARGE; seed++) {
        if (seed <= INSTANCES)
            sample_make(&s, seed, 300, 12);
        else
            sample_make_family(&s, SAMPLE_GAMMA, seed, 20000, 20, 4, seed % 2 == 0);
        if (seed % 5 == 0)
            sample_make_some_not_restartable(&s);
        add(&s, what, &digest);
        sample_free(&s);
    }
    return digest;
}

/* Set *digest to the file's digest for `name` and return true; return false if the file has no
 * entry. */
static bool find_golden(FILE *file, const char *name, uint64_t *digest)
{
    char               found[64];
    unsigned long long value;

    rewind(file);
    while (fscanf(file, "%63s %llx", found, &value) == 2)
        if (strcmp(found, name) == 0) {
            *digest = value;
            return true;
        }
    return false;
}

/* Print the digest if `golden` is NULL, else compare it. Return the number of differences. */
static bool compare_or_write(FILE *golden, const char *name, uint64_t digest)
{
    uint64_t expected;

    if (!golden) {
        printf("%s %016llx\n", name, (unsigned long long)digest);
        return false;
    }
    if (!find_golden(golden, name, &expected)) {
        printf("%s: not in golden.txt\n", name);
        return true;
    }
    if (digest == expected)
        return false;
    printf("%s: digest %016llx, but golden.txt has %016llx\n", name, (unsigned long long)digest,
           (unsigned long long)expected);
    return true;
}

static int settle_all(FILE *golden)
{
    int    wrong = 0;
    size_t i;

    for (i = 0; i < hs_algorithm_count(); i++)
        if (!algorithm_takes_seconds(hs_algorithm_at(i)))
            wrong += compare_or_write(golden, hs_algorithm_name(hs_algorithm_at(i)),
                                      digest_all(add_plan, hs_algorithm_at(i)));
    for (i = 0; i < hs_bound_count(); i++)
        if (!bound_takes_seconds(hs_bound_at(i)))
            wrong += compare_or_write(golden, hs_bound_name(hs_bound_at(i)),
                                      digest_all(add_bound, hs_bound_at(i)));
    return wrong;
}

static FILE *open_golden(void)
{
    const char *srcdir = getenv("srcdir");
    char        path[4096];
    FILE       *file;

    snprintf(path, sizeof path, "%s/tests/property/golden.txt", srcdir ? srcdir : ".");
    file = fopen(path, "r");
    if (!file)
        perror(path);
    return file;
}

int main(int argc, char **argv)
{
    uint64_t drawn = digest_all(add_instance, NULL);
    int      wrong;
    FILE    *golden;

    if (argc > 1 && strcmp(argv[1], "--print") == 0)
        return compare_or_write(NULL, "instances", drawn) + settle_all(NULL);
    golden = open_golden();
    if (!golden)
        return 99;
    if (compare_or_write(golden, "instances", drawn)) {
        puts("check_golden: other instances are drawn with this libm");
        fclose(golden);
        return SKIPPED;
    }
    wrong = settle_all(golden);
    fclose(golden);
    printf("check_golden: %d differ\n", wrong);
    return wrong != 0;
}
