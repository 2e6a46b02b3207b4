/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen --list: the families, and what the library's registries hold. */
#include <stdio.h>

#include "common/help.h"
#include "gen/gen.h"

enum { NAME_WIDTH = 12, INDENT = 6 };

static const struct {
    const char *name, *summary;
} families[GEN_FAMILIES] = {
    [GEN_GAMMA] = {"gamma", "independent times after gamma laws, given by mean and coefficient "
                            "of variation (Canon, Marchal, Vivien 2017, section 6)"},
    [GEN_UNIFORM] = {"uniform", "independent times, uniform between two bounds"},
    [GEN_CHOLESKY] = {"cholesky", "the tasks of a tiled Cholesky factorisation of N x N tiles: "
                                  "potrf, trsm, syrk, gemm"},
    [GEN_LU] = {"lu", "the tasks of a tiled LU factorisation without pivoting: getrf, trsm below "
                      "and right of the diagonal, gemm"},
    [GEN_QR] = {"qr", "the tasks of a tiled QR factorisation with a flat tree: geqrt, ormqr, "
                      "tpqrt, tpmqrt"},
    [GEN_WORST] = {"worst", "an instance on which an algorithm does badly, with a schedule that "
                            "does well (--witness)"},
};

const char *gen_family_name(size_t family)
{
    return family < GEN_FAMILIES ? families[family].name : NULL;
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

static void list_worst(const hs_worst *family)
{
    printf("  %-*s argument %u to %u\n", NAME_WIDTH, hs_worst_name(family),
           hs_worst_least(family), hs_worst_most(family));
    help_wrap(stdout, hs_worst_summary(family), 0, INDENT);
}

void gen_list(void)
{
    const hs_kernel_table *table;

    printf("Families:\n\n");
    for (size_t i = 0; i < GEN_FAMILIES; i++) {
        printf("  %s\n", gen_family_name(i));
        help_wrap(stdout, gen_family_summary((gen_family)i), 0, INDENT);
    }
    printf("\nKernel tables, for cholesky, lu and qr:\n\n");
    for (size_t i = 0; (table = hs_kernel_table_at(i)); i++)
        list_table(table);
    printf("\nWorst cases:\n\n");
    for (size_t i = 0; i < hs_worst_count(); i++)
        list_worst(hs_worst_at(i));
}
