/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure the operations of a profile with many entries.
 *
 *     bench_profile [ENTRIES [FILE]]      default 100000 bench_profile.db
 *
 * Prints a CSV row per operation: the median of nine rounds, in seconds of the wall. `fill` writes
 * all entries at once; `open` opens the file; `load` opens it and loads the entries; `flush` writes
 * 50 entries while the cost models have all; `flush_few` does so with only these 50; `trim` deletes
 * a tenth of the entries. The file is deleted before each `fill` and at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <hybridsched/profile.h>

#include "median.h"

enum { ROUNDS = 9, FEW = 50 };
enum operation { FILL, OPEN, LOAD, FLUSH, FLUSH_FEW, TRIM, OPERATIONS };

static const char *const names[OPERATIONS] = {"fill", "open", "load", "flush", "flush_few", "trim"};

static const char  *path = "bench_profile.db";
static hs_processor cpu;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void expect(hs_status st, const hs_error *error)
{
    if (st == HS_OK)
        return;
    fprintf(stderr, "bench_profile: %s: %s\n", hs_status_text(st), error ? error->why : path);
    exit(1);
}

/* Observe entries / 2 executions of different commands of 1,000 programs. An execution makes two
 * entries. */
static void observe(hs_cost *cost, unsigned entries)
{
    hs_features f;

    hs_features_init(&f);
    for (unsigned i = 0; i < entries / 2; i++) {
        snprintf(f.key, sizeof f.key, "program-%u", i % 1000);
        f.what = 0x9e3779b97f4a7c15u * (i + 1);
        f.size = i;
        expect(hs_cost_observe(cost, HS_CPU, &f, 1 + i % 7, i), NULL);
    }
}

static hs_cost *new_cost(void)
{
    hs_cost *cost = NULL;

    expect(hs_cost_create(&cost), NULL);
    return cost;
}

static hs_profile *open_file(void)
{
    hs_profile *profile = NULL;
    hs_error    error = {0};

    expect(hs_profile_open(path, HS_PROFILE_UPDATE, &profile, &error), &error);
    return profile;
}

/* Observe and flush executions; return the time of the flush. */
static double flush(hs_profile *profile, hs_cost *cost, unsigned entries)
{
    hs_error error = {0};
    double   start;

    observe(cost, entries);
    start = now();
    expect(hs_profile_flush(profile, &cpu, NULL, cost, &error), &error);
    return now() - start;
}

static void measure(unsigned entries, double times[OPERATIONS])
{
    hs_cost    *all = new_cost(), *loaded = new_cost(), *few = new_cost();
    hs_profile *profile;
    hs_error    error = {0};
    double      start;

    unlink(path);
    profile = open_file();
    times[FILL] = flush(profile, all, entries);
    hs_profile_close(profile);
    start = now();
    profile = open_file();
    times[OPEN] = now() - start;
    expect(hs_profile_load(profile, &cpu, NULL, loaded, &error), &error);
    times[LOAD] = now() - start;
    times[FLUSH] = flush(profile, loaded, FEW);
    times[FLUSH_FEW] = flush(profile, few, FEW);
    start = now();
    expect(hs_profile_trim(profile, entries - entries / 10, &error), &error);
    times[TRIM] = now() - start;
    hs_profile_close(profile);
    hs_cost_free(all);
    hs_cost_free(loaded);
    hs_cost_free(few);
}

int main(int argc, char **argv)
{
    unsigned entries = argc > 1 ? (unsigned)atoi(argv[1]) : HS_PROFILE_MAX_ENTRIES;
    double   times[OPERATIONS], samples[OPERATIONS][ROUNDS];

    if (argc > 2)
        path = argv[2];
    hs_processor_init(&cpu);
    hs_processor_detect_cpu(1, &cpu);
    for (int round = 0; round < ROUNDS; round++) {
        measure(entries, times);
        for (int i = 0; i < OPERATIONS; i++)
            samples[i][round] = times[i];
    }
    unlink(path);
    printf("operation,entries,seconds\n");
    for (int i = 0; i < OPERATIONS; i++)
        printf("%s,%u,%.5f\n", names[i], entries, median(samples[i], ROUNDS));
    return 0;
}
