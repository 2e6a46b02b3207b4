/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen --list: print the families, and the library's tables, applications and worst cases. */
#include <stdio.h>
#include <string.h>

#include "common/help.h"
#include "gen/gen.h"

enum { NAME_WIDTH = 12, INDENT = 6 };

static const struct {
    const char *name, *summary;
} families[GEN_FAMILIES] = {
    [GEN_GAMMA] = {"gamma", "independent tasks with gamma-distributed times, given by mean and "
                            "coefficient of variation (Canon, Marchal, Vivien 2017, section 6)"},
    [GEN_UNIFORM] = {"uniform", "independent tasks with uniformly distributed times"},
    [GEN_IDENTICAL] = {"identical", "tasks with integer times for CPUs only: the benchmarks of "
                                    "P||Cmax"},
    [GEN_CHOLESKY] = {"cholesky", "the tasks of a tiled Cholesky factorisation of N x N tiles: "
                                  "potrf, trsm, syrk, gemm"},
    [GEN_LU] = {"lu", "the tasks of a tiled LU factorisation without pivoting: getrf, trsm below "
                      "and right of the diagonal, gemm"},
    [GEN_QR] = {"qr", "the tasks of a tiled QR factorisation with a flat tree: geqrt, ormqr, "
                      "tpqrt, tpmqrt"},
    [GEN_WORST] = {"worst", "a worst case of an algorithm, with a good schedule (--witness)"},
    [GEN_CHAIN] = {"chain", "a graph: each task depends on the task before it"},
    [GEN_FORK_JOIN] = {"fork-join", "a graph: one task, then parallel tasks, then one task, and "
                                    "so on"},
    [GEN_LAYERED] = {"layered", "a graph of layers: each task depends on tasks of the layer "
                                "before"},
    [GEN_RANDOM] = {"random", "a graph: each pair of tasks has an edge with the same probability"},
    [GEN_REDUCTION] = {"reduction", "a graph: a tree that merges tasks down to one"},
    [GEN_TOPCUOGLU] = {"topcuoglu", "a graph of levels of random number and width (Topcuoglu, "
                                    "Hariri, Wu 2002, section 5.1)"},
    [GEN_APPLICATIONS] = {"applications", "small applications as graphs of kernels with measured "
                                          "times"},
    [GEN_IMPORT] = {"import", "a file of another format: standard task graphs (STG), Graphviz "
                              "(DOT), workflows (WfCommons), programs that StarPU recorded"},
    [GEN_JOBS] = {"jobs", "a table of shell commands for hsched-exec: a template with {} {.} {/} "
                          "{1}, and lists of values as in GNU parallel (::: VALUE... or :::: "
                          "FILE)"},
    [GEN_ADVERSARY] = {"adversary", "an instance with a large ratio for an algorithm, found by a "
                                    "search, with a good schedule (--witness)"},
};

const char *gen_family_name(size_t family)
{
    return family < GEN_FAMILIES ? families[family].name : NULL;
}

bool gen_is_family(const char *name, gen_family *family)
{
    size_t i = 0;

    while (i < GEN_FAMILIES && strcmp(name, families[i].name) != 0)
        i++;
    if (i < GEN_FAMILIES && family)
        *family = (gen_family)i;
    return i < GEN_FAMILIES;
}

const char *gen_family_summary(gen_family family)
{
    return families[family].summary;
}

static void list_table(const hs_kernel_table *table)
{
    printf("  %-*s %u CPUs, %u GPUs; %zu kernels\n", NAME_WIDTH, table->name, table->cpus,
           table->gpus, table->count);
    help_wrap(stdout, table->source, 0, INDENT);
}

static void list_identical(const char *name, const char *summary)
{
    printf("  %s\n", name);
    help_wrap(stdout, summary, 0, INDENT);
}

static void list_worst(const hs_worst *family)
{
    printf("  %-*s argument %u to %u\n", NAME_WIDTH, hs_worst_name(family),
           hs_worst_least_argument(family), hs_worst_most_argument(family));
    help_wrap(stdout, hs_worst_summary(family), 0, INDENT);
}

static void list_application(const hs_application *application)
{
    printf("  %s\n", hs_application_name(application));
    help_wrap(stdout, hs_application_summary(application), 0, INDENT);
}

void gen_list(void)
{
    const hs_kernel_table *table;

    printf("Families:\n\n");
    for (size_t i = 0; i < GEN_FAMILIES; i++) {
        printf("  %s\n", gen_family_name(i));
        help_wrap(stdout, gen_family_summary((gen_family)i), 0, INDENT);
    }
    printf("\nTimes of identical CPUs:\n\n");
    for (size_t i = 0; hs_identical_name(i); i++)
        list_identical(hs_identical_name(i), hs_identical_summary(i));
    printf("\nKernel tables, for cholesky, lu, qr and graphs by shape:\n\n");
    for (size_t i = 0; (table = hs_kernel_table_at(i)); i++)
        list_table(table);
    printf("\nApplications:\n\n");
    for (size_t i = 0; i < hs_application_count(); i++)
        list_application(hs_application_at(i));
    printf("\nWorst cases:\n\n");
    for (size_t i = 0; i < hs_worst_count(); i++)
        list_worst(hs_worst_at(i));
}
