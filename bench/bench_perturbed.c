/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The experiment of Agullo, Beaumont, Eyraud-Dubois, Herrmann, Kumar, Marchal, Thibault 2015,
 * figure 1: Cholesky of N x N tiles on 9 CPUs and 3 GPUs (mirage-960), 30 sets of times, each
 * kernel's on each type off by up to 10%, and all of a set scaled so that the area bound stays what
 * it was. A row a size and algorithm: the area bound over the makespan, least, quartiles and most.
 *
 *   bench_perturbed [SECONDS [N...]]      default: 10 16 24; with SECONDS > 0 also best, so long
 * each
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

enum { SETS = 30, KERNELS = 32 };

static const struct {
    const char *name;
    hs_rank     rank;
} algorithms[] = {
    {"heteroprio-ns", HS_RANK_DEFAULT},
    {"hp-sp", HS_RANK_DEFAULT},
    {"hp-corrected", HS_RANK_DEFAULT},
    {"heft", HS_RANK_AVG},
    {"heft", HS_RANK_MIN},
    {"dmda", HS_RANK_AVG},
    {"heteroprio", HS_RANK_MIN},
    {"dualhp", HS_RANK_MIN},
    {"best", HS_RANK_DEFAULT},
};

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

static _Noreturn void fail(const char *what, hs_status status)
{
    fprintf(stderr, "bench_perturbed: %s: %s\n", what, hs_status_text(status));
    exit(1);
}

static void require(const char *what, hs_status status)
{
    if (status != HS_OK)
        fail(what, status);
}

/* splitmix64, to [0, 1). */
static double draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static hs_instance *generate(const hs_kernel_table *table, unsigned tiles, int graph)
{
    hs_tiled     spec = {HS_CHOLESKY, tiles, 9, 3, !graph, graph, table};
    hs_instance *in = NULL;

    require("generate", hs_generate_tiled(&spec, &in, NULL));
    return in;
}

/* Of the tasks without their dependencies. */
static double area(const hs_kernel_table *table, unsigned tiles)
{
    hs_instance *in = generate(table, tiles, 0);
    double       value;

    require("theorem2", hs_bound_compute(hs_bound_find("theorem2"), in, NULL, &value));
    hs_instance_free(in);
    return value;
}

/* The graph of one set of times; `to` is the area bound that it is to have. */
static hs_instance *perturbed(const hs_kernel_table *from, unsigned tiles, double to, uint64_t seed)
{
    hs_kernel       kernels[KERNELS];
    hs_kernel_table table = *from;
    double          scale;

    if (from->count > KERNELS)
        fail("the kernel table", HS_ETOOBIG);
    table.kernels = kernels;
    for (size_t i = 0; i < from->count; i++) {
        kernels[i] = from->kernels[i];
        kernels[i].cpu *= 0.9 + 0.2 * draw(&seed);
        kernels[i].gpu *= 0.9 + 0.2 * draw(&seed);
    }
    scale = to / area(&table, tiles);
    for (size_t i = 0; i < from->count; i++) {
        kernels[i].cpu *= scale;
        kernels[i].gpu *= scale;
    }
    return generate(&table, tiles, 1);
}

static double makespan(const hs_instance *in, size_t algorithm, double seconds)
{
    hs_settings settings;
    double      found;

    hs_settings_init(&settings);
    settings.rank = algorithms[algorithm].rank;
    settings.time_limit = seconds;
    require(algorithms[algorithm].name,
            hs_solve_makespan(NULL, hs_algorithm_find(algorithms[algorithm].name), in, &settings,
                              &found, NULL));
    return found;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(const double *sorted, double q)
{
    double at = q * (SETS - 1), below = floor(at);
    size_t i = (size_t)below;

    return i + 1 < SETS ? sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

static void measure(unsigned tiles, double seconds)
{
    const hs_kernel_table *table = hs_kernel_table_find("mirage-960");
    double                 bound = area(table, tiles), share[ALGORITHMS][SETS];

    for (uint64_t set = 0; set < SETS; set++) {
        hs_instance *in = perturbed(table, tiles, bound, set + 1);

        for (size_t a = 0; a < ALGORITHMS; a++)
            if (seconds > 0 || strcmp(algorithms[a].name, "best") != 0)
                share[a][set] = bound / makespan(in, a, seconds);
        hs_instance_free(in);
    }
    for (size_t a = 0; a < ALGORITHMS; a++) {
        if (!(seconds > 0) && strcmp(algorithms[a].name, "best") == 0)
            continue;
        qsort(share[a], SETS, sizeof **share, by_value);
        printf("%u,%s%s%s", tiles, algorithms[a].name, algorithms[a].rank ? ":" : "",
               algorithms[a].rank ? hs_rank_name(algorithms[a].rank) : "");
        for (int q = 0; q <= 4; q++)
            printf(",%.3f", quantile(share[a], q / 4.0));
        putchar('\n');
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const unsigned usual[] = {10, 16, 24};
    double                seconds = argc > 1 ? strtod(argv[1], NULL) : 0;

    puts("tiles,algorithm,least,quarter,median,three_quarters,most");
    for (int i = 2; i < argc; i++)
        measure((unsigned)strtoul(argv[i], NULL, 10), seconds);
    for (int i = 0; argc < 3 && i < 3; i++)
        measure(usual[i], seconds);
    return 0;
}
