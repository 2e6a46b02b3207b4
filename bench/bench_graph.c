/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure the cost of dependencies: Cholesky factorisations as graphs (k40m-960, 20 + 4, no
 * transfers), compared with equal tasks without edges in the same run, taking turns. Medians of 5,
 * processor time.
 *
 *   bench_graph [TILES]      default 180: 988,260 tasks, 2.9 million edges
 *
 * `of_independent` is the time relative to heteroprio without the edges. The last rows are for
 * smaller graphs: dualhp on 64 x 64 tiles, and the paths bound.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <hybridsched/hybridsched.h>

enum { ROUNDS = 5 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static hs_instance *make_cholesky(unsigned tiles, bool graph)
{
    hs_tiled spec = {
        sizeof spec, HS_CHOLESKY, tiles, 20, 4, 0, graph, hs_kernel_table_find("k40m-960"), 0};
    hs_instance *in = NULL;

    if (hs_generate_tiled(&spec, &in, NULL) != HS_OK)
        abort();
    return in;
}

typedef struct call {
    const char        *name; /* name of an algorithm, or of a bound */
    hs_rank            rank;
    const hs_instance *in;
    double             seconds[ROUNDS];
} call;

static double time_call(const call *c)
{
    const hs_algorithm *alg = hs_algorithm_find(c->name);
    hs_settings         settings;
    hs_schedule        *s = NULL;
    double              value, start = now();
    hs_status           st;

    hs_settings_init(&settings);
    settings.rank = c->rank;
    settings.time_limit = 100;
    st = alg ? hs_solve(alg, c->in, &settings, &s)
             : hs_bound_compute(hs_bound_find(c->name), c->in, &settings, &value);
    if (st != HS_OK)
        abort();
    value = now() - start;
    hs_schedule_free(s);
    return value;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_time(call *c)
{
    qsort(c->seconds, ROUNDS, sizeof *c->seconds, by_value);
    return c->seconds[ROUNDS / 2];
}

static void measure_calls(call *calls, size_t count)
{
    double first;

    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++)
            calls[i].seconds[round] = time_call(&calls[i]);
    first = median_time(&calls[0]);
    for (size_t i = 0; i < count; i++) {
        const char *rank = hs_rank_name(calls[i].rank);

        printf("%s%s%s,%s,%zu,%.6f,%.2f\n", calls[i].name, rank ? ":" : "", rank ? rank : "",
               hs_instance_has_graph(calls[i].in) ? "graph" : "independent",
               hs_instance_tasks(calls[i].in), median_time(&calls[i]),
               median_time(&calls[i]) / first);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    unsigned     tiles = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 180;
    hs_instance *alone = make_cholesky(tiles, false), *graph = make_cholesky(tiles, true);
    hs_instance *middle = make_cholesky(64, true), *small = make_cholesky(32, true);
    call         large[] = {{.name = "heteroprio", .in = alone},
                            {.name = "heteroprio", .in = alone, .rank = HS_RANK_MIN},
                            {.name = "heteroprio", .in = graph, .rank = HS_RANK_MIN},
                            {.name = "heft", .in = graph, .rank = HS_RANK_AVG}};
    call         single[] = {{.name = "dualhp", .in = middle, .rank = HS_RANK_MIN},
                             {.name = "paths", .in = small},
                             {.name = "paths", .in = middle}};

    puts("what,tasks_are,tasks,seconds,of_independent");
    measure_calls(large, sizeof large / sizeof *large);
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        measure_calls(&single[i], 1);
    hs_instance_free(alone);
    hs_instance_free(graph);
    hs_instance_free(middle);
    hs_instance_free(small);
    return 0;
}
