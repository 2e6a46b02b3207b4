/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How near to the best lower bound `best` comes, on gamma instances with CPU mean
 * 15 and GPU mean 1 and on factorisations. One line a run; after each size, lines
 * that begin with '#' give median and worst gap and how many runs were proved.
 *
 *   bench_best [-s SEEDS] [-j THREADS] [-g GAP] [TASKS,CPUS,GPUS,SECONDS...]
 *   bench_best tiles                           the factorisations
 *
 * By default the sizes of the table in the manual, 10 seeds of each of four pairs of
 * coefficients of variation.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

typedef struct row {
    size_t   tasks;
    unsigned cpus, gpus;
    double   seconds;
} row;

static const row table[] = {
    {300, 20, 4, 1},    {300, 20, 4, 10},    {3000, 20, 4, 5},
    {30000, 20, 4, 10}, {30, 4, 2, 1},       {60, 8, 2, 10},
};
static const double cvs[][2] = {{0.2, 0.2}, {1, 0.2}, {1, 1}, {0.2, 1}};
enum { PAIRS = sizeof cvs / sizeof *cvs, MOST_RUNS = 1000 };

static unsigned seeds = 10;
static hs_settings settings;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double gaps[MOST_RUNS];
static size_t runs, proofs;

static void run(const hs_instance *in, const char *what, double seconds)
{
    hs_schedule *s = NULL;
    hs_report    report;
    double       spent;

    hs_report_init(&report);
    settings.time_limit = seconds;
    spent = now();
    if (hs_solve_reported(hs_algorithm_find("best"), in, &settings, &s, &report) != HS_OK)
        abort();
    spent = now() - spent;
    if (hs_schedule_check(in, s, NULL) != HS_OK)
        abort();
    if (runs < MOST_RUNS)
        gaps[runs++] = report.certified > report.bound ? report.certified / report.bound - 1 : 0;
    proofs += report.proved != 0;
    printf("%s,%zu,%u,%u,%g,%.3f,%.17g,%.17g,%s,%.5f,%d,%llu\n", what, hs_instance_tasks(in),
           hs_instance_cpus(in), hs_instance_gpus(in), seconds, spent, report.certified,
           report.bound, report.bound_name, 100 * gaps[runs - 1], report.proved,
           (unsigned long long)report.iterations);
    fflush(stdout);
    hs_schedule_free(s);
}

static void summary(const char *what)
{
    if (runs == 0)
        return;
    qsort(gaps, runs, sizeof *gaps, by_value);
    printf("# %s: median %.5f%%, worst %.5f%%, %zu of %zu proved\n", what,
           50 * (gaps[runs / 2] + gaps[(runs - 1) / 2]), 100 * gaps[runs - 1], proofs, runs);
    fflush(stdout);
    runs = proofs = 0;
}

static void run_gamma(const row *size)
{
    char     what[64];
    unsigned pair, seed;

    for (pair = 0; pair < PAIRS; pair++) {
        for (seed = 1; seed <= seeds; seed++) {
            hs_gamma spec = {size->tasks, size->cpus, size->gpus, 15, cvs[pair][0], 1,
                             cvs[pair][1], seed};
            hs_instance *in = NULL;

            if (hs_generate_gamma(&spec, &in) != HS_OK)
                abort();
            snprintf(what, sizeof what, "gamma %g/%g seed %u", cvs[pair][0], cvs[pair][1], seed);
            run(in, what, size->seconds);
            hs_instance_free(in);
        }
    }
    snprintf(what, sizeof what, "%zu tasks, %u + %u, %g s", size->tasks, size->cpus, size->gpus,
             size->seconds);
    summary(what);
}

static void run_tiles(hs_factorisation kind, const char *name, const char *table_name)
{
    static const unsigned tiles[] = {4, 6, 8, 12, 16, 24, 32};
    const hs_kernel_table *kernels = hs_kernel_table_find(table_name);
    size_t                 i;
    char                   what[64];

    for (i = 0; kernels && i < sizeof tiles / sizeof *tiles; i++) {
        hs_tiled     spec = {kind, tiles[i], kernels->cpus, kernels->gpus, 0, kernels};
        hs_instance *in = NULL;

        if (hs_generate_tiled(&spec, &in, NULL) != HS_OK)
            abort();
        snprintf(what, sizeof what, "%s %s N=%u", name, table_name, tiles[i]);
        run(in, what, 1);
        hs_instance_free(in);
    }
    summary(name);
}

static void run_all_tiles(void)
{
    run_tiles(HS_CHOLESKY, "cholesky", "mirage-960");
    run_tiles(HS_CHOLESKY, "cholesky", "k40m-960");
    run_tiles(HS_LU, "lu", "mirage-960");
    run_tiles(HS_QR, "qr", "v100-1600");
}

static void run_size(const char *text)
{
    row size;

    if (strcmp(text, "tiles") == 0) {
        run_all_tiles();
        return;
    }
    if (sscanf(text, "%zu,%u,%u,%lf", &size.tasks, &size.cpus, &size.gpus, &size.seconds) != 4) {
        fprintf(stderr, "bench_best: '%s' is not TASKS,CPUS,GPUS,SECONDS\n", text);
        exit(2);
    }
    run_gamma(&size);
}

int main(int argc, char **argv)
{
    size_t i;
    int    option;

    hs_settings_init(&settings);
    while ((option = getopt(argc, argv, "s:j:g:")) != -1) {
        if (option == 's')
            seeds = (unsigned)atoi(optarg);
        else if (option == 'j')
            settings.threads = (unsigned)atoi(optarg);
        else if (option == 'g')
            settings.gap = atof(optarg);
        else
            return 2;
    }
    printf("what,tasks,cpus,gpus,limit,seconds,makespan,bound,name,gap_percent,proved,"
           "iterations\n");
    for (i = (size_t)optind; i < (size_t)argc; i++)
        run_size(argv[i]);
    if (optind < argc)
        return 0;
    for (i = 0; i < sizeof table / sizeof *table; i++)
        run_gamma(&table[i]);
    run_all_tiles();
    return 0;
}
