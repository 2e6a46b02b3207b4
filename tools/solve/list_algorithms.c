/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve --list: print the registered algorithms and bounds. */
#include <math.h>

#include "common/help.h"
#include "common/plugin.h"
#include "solve/solve.h"

enum { NAME_WIDTH = 20, INDENT = 6 };

static void print_guarantee(const hs_algorithm *alg, unsigned cpus, unsigned gpus)
{
    double guarantee = hs_algorithm_guarantee(alg, cpus, gpus, NULL);

    if (isfinite(guarantee))
        printf(" %10.6g", guarantee);
    else
        printf(" %10s", "-");
}

static void print_field(const char *label, const char *text)
{
    int used;

    if (!*text)
        return;
    used = printf("%*s%s: ", INDENT, "", label);
    help_wrap(stdout, text, used, used);
}

/* Print the supported extensions of an algorithm: graphs, busy workers and ranks. */
static void print_ranks(const hs_algorithm *alg)
{
    const char *mark = "";

    if (hs_algorithm_supports_graphs(alg))
        printf("%*sgraphs: yes\n", INDENT, "");
    if (hs_algorithm_supports_available(alg))
        printf("%*savailable: yes\n", INDENT, "");
    if (!hs_algorithm_supported_ranks(alg))
        return;
    printf("%*sranks: ", INDENT, "");
    for (int rank = HS_RANK_MIN; hs_rank_name((hs_rank)rank); rank++)
        if (hs_algorithm_supported_ranks(alg) >> rank & 1) {
            printf("%s%s", mark, hs_rank_name((hs_rank)rank));
            mark = ", ";
        }
    putchar('\n');
}

static void list_algorithm(const hs_algorithm *alg, unsigned cpus, unsigned gpus)
{
    printf("  %-*s", NAME_WIDTH, hs_algorithm_name(alg));
    print_guarantee(alg, 1, 1);
    print_guarantee(alg, cpus, 1);
    print_guarantee(alg, cpus, gpus);
    putchar('\n');
    help_wrap(stdout, hs_algorithm_summary(alg), 0, INDENT);
    print_field("cost", hs_algorithm_cost(alg));
    print_field("source", hs_algorithm_source(alg));
    print_ranks(alg);
}

static void list_bound(const hs_bound *bound)
{
    printf("  %s\n", hs_bound_name(bound));
    help_wrap(stdout, hs_bound_summary(bound), 0, INDENT);
    print_field("cost", hs_bound_cost(bound));
    print_field("source", hs_bound_source(bound));
    if (hs_bound_supports_available(bound))
        printf("%*savailable: yes\n", INDENT, "");
}

void solve_list(const hs_read_settings *reading)
{
    unsigned cpus = reading->has_cpus ? reading->cpus : 20;
    unsigned gpus = reading->has_gpus ? reading->gpus : 4;
    char     some[32], all[32];

    snprintf(some, sizeof some, "%u+1", cpus);
    snprintf(all, sizeof all, "%u+%u", cpus, gpus);
    printf("Algorithms, with their guaranteed ratio to the optimum on CPUs+GPUs; guarantees\n"
           "hold for independent tasks only:\n\n"
           "  %-*s %10s %10s %10s\n", NAME_WIDTH, "", "1+1", some, all);
    for (size_t i = 0; i < hs_algorithm_count(); i++)
        list_algorithm(hs_algorithm_at(i), cpus, gpus);
    for (size_t i = 0; plugin_algorithm_at(i); i++)
        list_algorithm(plugin_algorithm_at(i), cpus, gpus);
    printf("\nLower bounds:\n\n");
    for (size_t i = 0; i < hs_bound_count(); i++)
        list_bound(hs_bound_at(i));
}
