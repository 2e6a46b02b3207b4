/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure how often the optimum is found and proved on the families of P||Cmax: few tasks per CPU,
 * or CPUs filled exactly. Prints a line per run; then, for each family, a line starting with '#'. A
 * run counts as found if its makespan reaches the planted optimum or the bound.
 *
 *   bench_packing [-a ALGORITHM] [-t SECONDS] [-i ITERATIONS] [-s SEEDS] [-j THREADS] [FAMILY...]
 *
 * Default: 1 s (or ITERATIONS); seeds 1 to 3 for each size; all families.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

static const hs_identical cells[] = {
    {sizeof(hs_identical), "e1", 15, 5, 0, 0, 0},
    {sizeof(hs_identical), "e1", 15, 5, 20, 50, 0},
    {sizeof(hs_identical), "e2", 30, 8, 0, 0, 0},
    {sizeof(hs_identical), "e2", 50, 10, 0, 0, 0},
    {sizeof(hs_identical), "e3", 31, 10, 0, 0, 0},
    {sizeof(hs_identical), "e3", 42, 10, 100, 200, 0},
    {sizeof(hs_identical), "e3", 52, 10, 100, 800, 0},
    {sizeof(hs_identical), "e4", 9, 2, 0, 0, 0},
    {sizeof(hs_identical), "e4", 10, 3, 100, 800, 0},
    {sizeof(hs_identical), "franca", 50, 25, 1, 10000, 0},
    {sizeof(hs_identical), "franca", 100, 25, 1, 10000, 0},
    {sizeof(hs_identical), "franca", 500, 25, 1, 10000, 0},
    {sizeof(hs_identical), "franca-ends", 50, 10, 1, 10000, 0},
    {sizeof(hs_identical), "franca-ends", 100, 25, 1, 10000, 0},
    {sizeof(hs_identical), "class-1", 100, 50, 0, 0, 0},
    {sizeof(hs_identical), "class-1", 200, 80, 0, 0, 0},
    {sizeof(hs_identical), "class-2", 120, 48, 0, 0, 0},
    {sizeof(hs_identical), "class-2", 220, 80, 0, 0, 0},
    {sizeof(hs_identical), "class-3", 120, 48, 0, 0, 0},
    {sizeof(hs_identical), "class-3", 220, 80, 0, 0, 0},
    {sizeof(hs_identical), "class-4", 120, 48, 0, 0, 0},
    {sizeof(hs_identical), "class-4", 220, 80, 0, 0, 0},
    {sizeof(hs_identical), "class-5", 120, 48, 0, 0, 0},
    {sizeof(hs_identical), "class-5", 220, 80, 0, 0, 0},
    {sizeof(hs_identical), "class-6", 120, 48, 0, 0, 0},
    {sizeof(hs_identical), "class-6", 220, 80, 0, 0, 0},
    {sizeof(hs_identical), "class-7", 120, 48, 0, 0, 0},
    {sizeof(hs_identical), "class-7", 220, 80, 0, 0, 0},
    {sizeof(hs_identical), "planted", 30, 10, 0, 0, 0},
    {sizeof(hs_identical), "planted", 40, 10, 0, 0, 0},
    {sizeof(hs_identical), "planted", 50, 10, 1, 10000, 0},
    {sizeof(hs_identical), "planted", 75, 30, 0, 0, 0},
    {sizeof(hs_identical), "planted", 100, 30, 0, 0, 0},
    {sizeof(hs_identical), "planted", 150, 30, 0, 0, 0},
    {sizeof(hs_identical), "planted", 200, 50, 1, 100, 0},
    {sizeof(hs_identical), "planted", 1000, 200, 0, 0, 0},
    {sizeof(hs_identical), "degrees", 200, 20, 0, 0, 0},
    {sizeof(hs_identical), "degrees", 2000, 100, 0, 0, 0},
};

typedef struct tally {
    unsigned runs, found, proved;
} tally;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void solve_and_count(const hs_algorithm *algorithm, const hs_settings *settings,
                            const hs_identical *spec, tally *t)
{
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    hs_report    report;
    double       spent, least;

    hs_report_init(&report);
    if (hs_generate_identical(spec, &in, NULL) != HS_OK)
        abort();
    spent = now();
    if (hs_solve_reported(algorithm, in, settings, &s, &report) != HS_OK ||
        hs_schedule_check(in, s, NULL) != HS_OK)
        abort();
    spent = now() - spent;
    least =
        strcmp(spec->family, "planted") == 0 ? (spec->high > 0 ? spec->high : 1000) : report.bound;
    t->runs++;
    t->found += report.certified <= least;
    t->proved += report.proved;
    printf("%s,%zu,%u,%g:%g,%u,%.17g,%.17g,%s,%d,%d,%.3f\n", spec->family, spec->tasks, spec->cpus,
           spec->low, spec->high, (unsigned)spec->seed, report.certified, report.bound,
           report.bound_name, report.certified <= least, report.proved, spent);
    fflush(stdout);
    hs_schedule_free(s);
    hs_instance_free(in);
}

static bool is_selected(const char *family, int argc, char **argv)
{
    for (int i = optind; i < argc; i++)
        if (strcmp(argv[i], family) == 0)
            return true;
    return optind == argc;
}

static void print_tally(const char *family, const tally *t, double spent)
{
    printf("# %s: %u runs, %u found, %u proved, %.1f s\n", family, t->runs, t->found, t->proved,
           spent);
}

int main(int argc, char **argv)
{
    const hs_algorithm *algorithm;
    const char         *name = "best";
    hs_settings         settings;
    tally               all = {0}, family = {0};
    unsigned            seeds = 3;
    double              begin = now(), begin_family = now();
    int                 option;

    hs_settings_init(&settings);
    settings.time_limit = 1;
    while ((option = getopt(argc, argv, "a:t:i:s:j:")) != -1) {
        if (option == 'a')
            name = optarg;
        else if (option == 't')
            settings.time_limit = atof(optarg);
        else if (option == 'i')
            settings.iterations = strtoull(optarg, NULL, 10);
        else if (option == 's')
            seeds = (unsigned)atoi(optarg);
        else if (option == 'j')
            settings.threads = (unsigned)atoi(optarg);
        else
            return 2;
    }
    if (settings.iterations)
        settings.time_limit = 0;
    algorithm = hs_algorithm_find(name);
    if (!algorithm) {
        fprintf(stderr, "bench_packing: there is no algorithm '%s'\n", name);
        return 2;
    }
    puts("family,tasks,cpus,range,seed,makespan,bound,name,found,proved,seconds");
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        hs_identical spec = cells[i];

        if (!is_selected(spec.family, argc, argv))
            continue;
        for (spec.seed = 1; spec.seed <= seeds; spec.seed++)
            solve_and_count(algorithm, &settings, &spec, &family);
        if (i + 1 == sizeof cells / sizeof *cells ||
            strcmp(cells[i + 1].family, spec.family) != 0) {
            print_tally(spec.family, &family, now() - begin_family);
            all.runs += family.runs;
            all.found += family.found;
            all.proved += family.proved;
            family = (tally){0};
            begin_family = now();
        }
    }
    print_tally("all", &all, now() - begin);
    return 0;
}
