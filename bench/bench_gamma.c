/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The experiment of Canon, Marchal, Vivien 2017, section 6: 400 gamma instances of
 * 300 tasks on 20 CPUs and 4 GPUs, 100 for each pair of coefficients of variation.
 * One CSV row an algorithm: quantiles of makespan over theorem2, in percent above
 * it, beside what the paper prints; and how often the algorithm is best.
 *
 *   bench_gamma [FIRST-SEED]      default 1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

enum { INSTANCES = 400, MOST = 32 };

static const struct {
    const char *algorithm, *range;
} paper[] = {
    {"balanced-estimate", "0.2-15"}, {"balanced-makespan", "0.2-8"}, {"heteroprio", "3.3-17"},
    {"clb2c", "3.6-37"},             {"dualhp", "0.2-14"},           {"dada", "0.9-15"},
};

static double excess[MOST][INSTANCES]; /* percent */
static int    best_count[MOST];
static double worst_to_best[MOST];

static const char *paper_range(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof paper / sizeof *paper; i++)
        if (strcmp(paper[i].algorithm, name) == 0)
            return paper[i].range;
    return "";
}

/* Is it one of the six that the paper compares? */
static int in_paper(size_t a)
{
    return paper_range(hs_algorithm_name(hs_algorithm_at(a)))[0] != '\0';
}

/* best and exact take their time limit: 11 s an instance. */
static int is_search(size_t a)
{
    const char *name = hs_algorithm_name(hs_algorithm_at(a));

    return strcmp(name, "best") == 0 || strcmp(name, "exact") == 0;
}

static void solve_all(int number, uint64_t seed)
{
    static const double cv[4][2] = {{0.2, 0.2}, {0.2, 1}, {1, 0.2}, {1, 1}};
    const double       *pair = cv[number / (INSTANCES / 4)];
    hs_gamma            spec = {300, 20, 4, 15, pair[0], 1, pair[1], seed};
    hs_instance        *in = NULL;
    double              bound, makespan[MOST], best = 0;
    size_t              a, count = hs_algorithm_count();

    if (hs_generate_gamma(&spec, &in) != HS_OK ||
        hs_bound_compute(hs_bound_find("theorem2"), in, NULL, &bound) != HS_OK)
        abort();
    for (a = 0; a < count; a++) {
        hs_schedule *s = NULL;

        if (is_search(a))
            continue;
        if (hs_solve(hs_algorithm_at(a), in, NULL, &s) != HS_OK)
            abort();
        makespan[a] = hs_schedule_makespan(s);
        excess[a][number] = 100 * (makespan[a] / bound - 1);
        if (in_paper(a) && (best == 0 || makespan[a] < best))
            best = makespan[a];
        hs_schedule_free(s);
    }
    for (a = 0; a < count; a++) {
        double over;

        if (is_search(a))
            continue;
        over = 100 * (makespan[a] / best - 1);
        best_count[a] += makespan[a] <= best;
        if (over > worst_to_best[a])
            worst_to_best[a] = over;
    }
    hs_instance_free(in);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    size_t   a;
    int      i;

    for (i = 0; i < INSTANCES; i++)
        solve_all(i, seed + (uint64_t)i);
    printf("algorithm,q2.5,median,q97.5,paper,best_of_six_percent,most_above_best_percent\n");
    for (a = 0; a < hs_algorithm_count(); a++) {
        const char *name = hs_algorithm_name(hs_algorithm_at(a));

        if (is_search(a))
            continue;
        qsort(excess[a], INSTANCES, sizeof excess[a][0], by_value);
        printf("%s,%.2f,%.2f,%.2f,%s,%.1f,%.2f\n", name, excess[a][INSTANCES / 40],
               excess[a][INSTANCES / 2], excess[a][INSTANCES - 1 - INSTANCES / 40],
               paper_range(name), 100.0 * best_count[a] / INSTANCES, worst_to_best[a]);
    }
    return 0;
}
