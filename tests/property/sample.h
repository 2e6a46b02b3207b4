/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_SAMPLE_H
#define TEST_PROPERTY_SAMPLE_H

#include <hybridsched/hybridsched.h>

/* One random instance, and what is known of it. The same seed gives the same one. */
typedef struct sample {
    const char  *family;
    uint64_t     seed;
    size_t       n;
    unsigned     m, k;
    double      *cpu, *gpu; /* as the library is given them */
    double      *p, *q;     /* the same, infinite for a type without workers */
    int64_t     *priority;
    unsigned char *restartable; /* NULL: all are, unless sample_pin() was called */
    int          whole;     /* finite times are small whole numbers: no sum is rounded */
    int          has_infinite;
    hs_instance *in;
} sample;

/* Kinds of times; sample_make() draws from all of them. */
typedef enum sample_family {
    SAMPLE_TIES,          /* whole, 1 to 4 */
    SAMPLE_SMALL,         /* whole, 1 to 30 */
    SAMPLE_EQUAL_RATIOS,  /* whole; few ratios, many priorities */
    SAMPLE_IDENTICAL,     /* whole; all tasks the same, or nearly */
    SAMPLE_PLATEAU,       /* whole; most tasks as long as the longest on one type */
    SAMPLE_KERNELS,       /* a few kinds of tasks, real times */
    SAMPLE_UNIFORM,       /* reals of one magnitude */
    SAMPLE_GAMMA,         /* long CPU times of little spread, short GPU times of much */
    SAMPLE_WIDE,          /* 1e-9 to 1e9 */
    SAMPLE_TENTHS,        /* as a plateau, in tenths: ties, and sums that are rounded */
    SAMPLE_VAST,          /* 1e-150 to 1e150 */
    SAMPLE_LEAST,         /* subnormal and a little above */
    SAMPLE_FAMILIES
} sample_family;

/* Up to `most_tasks` tasks (0, 1 and fewer than workers are not rare) and workers of a type. */
void sample_make(sample *s, uint64_t seed, size_t most_tasks, unsigned most_workers);

/* The same with everything but the times and priorities given. */
void sample_make_of(sample *s, sample_family family, uint64_t seed, size_t tasks, unsigned cpus,
                    unsigned gpus, int with_infinite);

/* Gives the tasks commands and kernels, and makes some such that they may not be restarted. */
void sample_pin(sample *s);

void sample_free(sample *s);

/*
 * Settings that go with the sample: often the defaults, else an alpha and
 * affinities for some tasks, kept in `room` for s->n of them.
 */
void sample_settings(const sample *s, hs_settings *settings, hs_affinity *room);

/* `usual` rounds, or as many per cent of them as HS_TEST_ROUNDS in the environment says. */
size_t sample_rounds(size_t usual);

/* Ends the test with a message that names the instance. */
void sample_fail(const sample *s, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/*
 * `best`, `exact` and the bounds that solve mixed programs search for seconds and
 * have tests of their own (check_searches, check_best, check_branch, check_enumerated,
 * check_solver).
 */
int sample_searches(const hs_algorithm *alg);

/* A policy under a virtual clock and nothing else: it takes its memory anew for each call. */
int sample_is_policy(const hs_algorithm *alg);

/* It takes tasks as they come, or what ties as it comes, and asks all workers. */
int sample_is_in_order(const hs_algorithm *alg);

/*
 * A task cannot run on the one type that the algorithm uses, and it says so. Without memory of its
 * own.
 */
int sample_refuses(const hs_instance *in, const hs_algorithm *alg);

int sample_bound_searches(const hs_bound *bound);

/* An assertion that names the instance. */
#define REQUIRE(s, condition, ...)         \
    do {                                   \
        if (!(condition))                  \
            sample_fail((s), __VA_ARGS__); \
    } while (0)

#endif
