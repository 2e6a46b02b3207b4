/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure the gap between `best` and the best lower bound, on gamma instances with CPU mean 15 and
 * GPU mean 1 and on factorisations; and the gap of GLPK's own MIP solver in the same time, for
 * instances small enough. Prints a line per run: gap_percent is the makespan over the run's own
 * bound. After each size, lines starting with '#' give the median and worst gap and the number of
 * runs proved to the requested gap.
 *
 *   bench_best [-s SEEDS] [-j THREADS] [-a ALGORITHM] [-g GAP] [-n] [SIZE...]
 *
 * A SIZE is TASKS,CPUS,GPUS,SECONDS, or "tiles" for the factorisations, 1 s each. The default sizes
 * are those of bench/results/best.md, the smaller ones with a gap of 1e-4. SEEDS applies to each of
 * four pairs of coefficients of variation, 1 to SEEDS, default 1; -s 10 gives the 40 instances of
 * each size. -n disables GLPK.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "peer.h"

typedef struct row {
    size_t   tasks;
    unsigned cpus, gpus;
    double   seconds;
    double   gap; /* gap requested */
} row;

static const row table[] = {
    {300, 20, 4, 1, 0},    {300, 20, 4, 10, 0}, {3000, 20, 4, 5, 0},
    {30000, 20, 4, 10, 0}, {30, 4, 2, 1, 1e-4}, {60, 8, 2, 10, 1e-4},
};
static const double cvs[][2] = {{0.2, 0.2}, {1, 0.2}, {1, 1}, {0.2, 1}};
enum { PAIRS = sizeof cvs / sizeof *cvs, MOST_RUNS = 1000 };

/* Summed results of one solver on the instances of one size. */
typedef struct tally {
    double gap[MOST_RUNS];
    size_t runs, proofs;
} tally;

static tally       ours, peers;
static unsigned    seeds = 1;
static bool        with_peers = true;
static const char *algorithm = "best";
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

static double count_result(tally *t, double makespan, double bound, bool proved)
{
    double gap = makespan > bound ? makespan / bound - 1 : 0;

    if (t->runs < MOST_RUNS)
        t->gap[t->runs++] = gap;
    t->proofs += proved != 0;
    return 100 * gap;
}

static void print_summary(const char *what, const char *solver, tally *t)
{
    if (t->runs == 0)
        return;
    qsort(t->gap, t->runs, sizeof *t->gap, by_value);
    printf("# %s: %s: median %.5f%%, worst %.5f%%, %zu of %zu proved\n", what, solver,
           50 * (t->gap[t->runs / 2] + t->gap[(t->runs - 1) / 2]), 100 * t->gap[t->runs - 1],
           t->proofs, t->runs);
    fflush(stdout);
    t->runs = t->proofs = 0;
}

static void print_run(const hs_instance *in, const char *what, const char *solver, double limit,
                      double seconds)
{
    printf("%s,%s,%zu,%u,%u,%g,%.3f,", what, solver, hs_instance_tasks(in), hs_instance_cpus(in),
           hs_instance_gpus(in), limit, seconds);
}

static void run_peer(const hs_instance *in, const char *what, double seconds, double gap)
{
    peer_result r;
    double      percent;

    if (!with_peers || !peer_glpk(in, seconds, &r))
        return;
    percent = count_result(&peers, r.makespan, r.bound, r.makespan <= r.bound * (1 + gap));
    print_run(in, what, "glpk-mip", seconds, r.seconds);
    printf("%.17g,%.17g,mip,%.5f,%d\n", r.makespan, r.bound, percent,
           r.makespan <= r.bound * (1 + gap));
    fflush(stdout);
}

static void run_best(const hs_instance *in, const char *what, const row *size)
{
    hs_schedule *s = NULL;
    hs_report    report;
    double       spent = now(), percent;

    hs_report_init(&report);
    settings.time_limit = size->seconds;
    settings.gap = size->gap;
    if (hs_solve_reported(hs_algorithm_find(algorithm), in, &settings, &s, &report) != HS_OK ||
        hs_schedule_check(in, s, NULL) != HS_OK)
        abort();
    spent = now() - spent;
    percent = count_result(&ours, report.certified, report.bound, report.proved);
    print_run(in, what, algorithm, size->seconds, spent);
    printf("%.17g,%.17g,%s,%.5f,%d\n", report.certified, report.bound, report.bound_name, percent,
           report.proved);
    fflush(stdout);
    hs_schedule_free(s);
    run_peer(in, what, size->seconds, size->gap);
}

static void run_gamma(const row *size)
{
    char     what[64];
    unsigned pair, seed;

    for (pair = 0; pair < PAIRS; pair++) {
        for (seed = 1; seed <= seeds; seed++) {
            hs_gamma     spec = {sizeof spec,  size->tasks, size->cpus,   size->gpus, 15,
                                 cvs[pair][0], 1,           cvs[pair][1], seed};
            hs_instance *in = NULL;

            if (hs_generate_gamma(&spec, &in, NULL) != HS_OK)
                abort();
            snprintf(what, sizeof what, "gamma %g/%g seed %u", cvs[pair][0], cvs[pair][1], seed);
            run_best(in, what, size);
            hs_instance_free(in);
        }
    }
    snprintf(what, sizeof what, "%zu tasks, %u + %u, %g s", size->tasks, size->cpus, size->gpus,
             size->seconds);
    print_summary(what, algorithm, &ours);
    print_summary(what, "glpk-mip", &peers);
}

static void run_tiles(hs_factorisation kind, const char *name, const char *table_name,
                      const row *like)
{
    static const unsigned  tiles[] = {4, 6, 8, 10, 12, 16, 20, 24, 32};
    const hs_kernel_table *kernels = hs_kernel_table_find(table_name);
    size_t                 i;
    char                   what[64];

    for (i = 0; kernels && i < sizeof tiles / sizeof *tiles; i++) {
        hs_tiled     spec = {sizeof spec, kind,    tiles[i], kernels->cpus, kernels->gpus, 0,
                             0,           kernels, 0};
        hs_instance *in = NULL;

        if (hs_generate_tiled(&spec, &in, NULL) != HS_OK)
            abort();
        snprintf(what, sizeof what, "%s %s N=%u", name, table_name, tiles[i]);
        run_best(in, what, like);
        hs_instance_free(in);
    }
    snprintf(what, sizeof what, "%s %s", name, table_name);
    print_summary(what, algorithm, &ours);
    print_summary(what, "glpk-mip", &peers);
}

static void run_all_tiles(const row *like)
{
    run_tiles(HS_CHOLESKY, "cholesky", "mirage-960", like);
    run_tiles(HS_CHOLESKY, "cholesky", "k40m-960", like);
    run_tiles(HS_LU, "lu", "mirage-960", like);
    run_tiles(HS_QR, "qr", "v100-1600", like);
}

static void run_size(const char *text, row size)
{
    if (strcmp(text, "tiles") == 0) {
        run_all_tiles(&size);
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
    row    requested_size = {.seconds = 1};
    size_t i;
    int    option;

    hs_settings_init(&settings);
    while ((option = getopt(argc, argv, "a:s:j:g:n")) != -1) {
        if (option == 'a')
            algorithm = optarg;
        else if (option == 's')
            seeds = (unsigned)atoi(optarg);
        else if (option == 'j')
            settings.threads = (unsigned)atoi(optarg);
        else if (option == 'g')
            requested_size.gap = atof(optarg);
        else if (option == 'n')
            with_peers = false;
        else
            return 2;
    }
    if (!hs_algorithm_find(algorithm)) {
        fprintf(stderr, "bench_best: there is no algorithm '%s'\n", algorithm);
        return 2;
    }
    printf("what,solver,tasks,cpus,gpus,limit,seconds,makespan,bound,name,gap_percent,proved\n");
    for (i = (size_t)optind; i < (size_t)argc; i++)
        run_size(argv[i], requested_size);
    if (optind < argc)
        return 0;
    for (i = 0; i < sizeof table / sizeof *table; i++)
        run_gamma(&table[i]);
    run_all_tiles(&requested_size);
    return 0;
}
