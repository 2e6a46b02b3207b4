/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_SAMPLE_H
#define TEST_PROPERTY_SAMPLE_H

#include <hybridsched/hybridsched.h>

/* A random instance and its properties. Equal seeds give equal instances. */
typedef struct sample {
    const char  *family;
    uint64_t     seed;
    size_t       n;
    unsigned     m, k;
    double      *cpu, *gpu; /* arrays passed to the library */
    double        *p, *q;     /* copies of cpu and gpu, but infinite for a type without workers */
    int64_t     *priority;
    unsigned char *restartable; /* whether each task may be restarted; NULL: every task, unless
                                   sample_make_some_not_restartable() was called */
    bool         whole; /* whether finite times are small integers, so that sums are exact */
    bool         has_infinite;
    hs_instance *in;
} sample;

/* Families of times; sample_make() draws from every family. */
typedef enum sample_family {
    SAMPLE_TIES,         /* integers, 1 to 4 */
    SAMPLE_SMALL,        /* integers, 1 to 30 */
    SAMPLE_EQUAL_RATIOS, /* family: integers; few ratios, many priorities */
    SAMPLE_IDENTICAL,    /* family: integers; equal or nearly equal tasks */
    SAMPLE_PLATEAU,      /* family: integers; most tasks as long as the longest on a type */
    SAMPLE_KERNELS,      /* family: few kinds of tasks, real times */
    SAMPLE_UNIFORM,      /* family: reals of similar magnitude */
    SAMPLE_GAMMA,        /* family: CPU times long with little spread, GPU times short with much */
    SAMPLE_WIDE,         /* 1e-9 to 1e9 */
    SAMPLE_TENTHS,       /* family: tenths with a plateau: ties, and rounded sums */
    SAMPLE_VAST,         /* 1e-150 to 1e150 */
    SAMPLE_LEAST,        /* family: subnormal and slightly larger times */
    SAMPLE_FAMILIES
} sample_family;

/* Make a sample of up to `most_tasks` tasks (often 0, 1 or fewer than workers) and up to
 * `most_workers` workers of each type. */
void sample_make(sample *s, uint64_t seed, size_t most_tasks, unsigned most_workers);

/* Make a sample with everything given but times and priorities. */
void sample_make_family(sample *s, sample_family family, uint64_t seed, size_t tasks, unsigned cpus,
                        unsigned gpus, int with_infinite);

/* Rebuild the sample with kernels and commands; some tasks become not restartable. */
void sample_make_some_not_restartable(sample *s);

void sample_free(sample *s);

/*
 * Draw settings for the sample: often the defaults, else an alpha and affinities for some tasks,
 * stored in `room` of at least s->n elements.
 */
void sample_draw_settings(const sample *s, hs_settings *settings, hs_affinity *room);

/* Return `usual` rounds, scaled by the percentage HS_TEST_ROUNDS in the environment; at least 1. */
size_t rounds_scaled(size_t usual);

/* End the test with a message that names the instance. */
void sample_fail(const sample *s, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/*
 * Tell whether an algorithm or bound searches: `best`, `exact` and the bounds by mixed integer
 * programs take seconds and have separate tests (check_searches, check_best, check_branch,
 * check_enumerated, check_solver).
 */
bool algorithm_takes_seconds(const hs_algorithm *alg);

/* Tell whether the algorithm is a policy under the virtual clock, which allocates memory at each
 * call. */
bool algorithm_runs_policy(const hs_algorithm *alg);

/* Tell whether the result depends on the order of tasks (or of ties), and whether the algorithm
 * examines every worker for each task. */
bool algorithm_depends_on_order(const hs_algorithm *alg);

/*
 * Tell whether the algorithm uses a single type that cannot run every task, and so returns
 * HS_EWORKER. Allocates no memory.
 */
bool algorithm_refuses_instance(const hs_instance *in, const hs_algorithm *alg);

bool bound_takes_seconds(const hs_bound *bound);

/* Assert the condition with a message that names the instance. */
#define REQUIRE(s, condition, ...)         \
    do {                                   \
        if (!(condition))                  \
            sample_fail((s), __VA_ARGS__); \
    } while (0)

#endif
