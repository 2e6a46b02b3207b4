/* SPDX-License-Identifier: BSD-3-Clause */
/* Let each allocation of a search fail once: the result is HS_ENOMEM or a valid schedule, and each
 * block is freed. */
#include <stdio.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

#include "failing_memory.h"

static void require_freed(const char *what, long failed_allocation, long blocks_before)
{
    if (memory_live_blocks() == blocks_before)
        return;
    fprintf(stderr, "%s, allocation %ld: %ld blocks are not freed\n", what, failed_allocation,
            memory_live_blocks() - blocks_before);
    exit(EXIT_FAILURE);
}

/* Run a search while allocation number `failed_allocation` fails. Return false if fewer allocations
 * were made. */
static bool try_failing(const hs_instance *in, const hs_schedule *start, long failed_allocation)
{
    hs_settings  settings;
    hs_schedule *s = NULL;
    hs_status    st;
    long         before = memory_live_blocks();
    bool         failed;

    hs_settings_init(&settings);
    settings.iterations = hs_instance_has_graph(in) ? 200 : 30000;
    settings.start = start;
    memory_fail_after(failed_allocation, 0);
    st = hs_solve(hs_algorithm_find("best"), in, &settings, &s);
    failed = memory_stop_failing() > 0;
    if (st == HS_OK ? hs_schedule_check(in, s, NULL) != HS_OK : st != HS_ENOMEM || s) {
        fprintf(stderr, "allocation %ld: %s\n", failed_allocation, hs_status_text(st));
        exit(EXIT_FAILURE);
    }
    hs_schedule_free(s);
    require_freed("best", failed_allocation, before);
    return failed;
}

/* Compute the bound "mip" while allocation number `failed_allocation` fails. Return false if fewer
 * allocations were made. */
static bool try_failing_bound(const hs_instance *in, long failed_allocation)
{
    double    value;
    hs_status st;
    long      before = memory_live_blocks();
    bool      failed;

    memory_fail_after(failed_allocation, 0);
    st = hs_bound_compute(hs_bound_find("mip"), in, NULL, &value);
    failed = memory_stop_failing() > 0;
    if (st != HS_OK && st != HS_ENOMEM) {
        fprintf(stderr, "mip, allocation %ld: %s\n", failed_allocation, hs_status_text(st));
        exit(EXIT_FAILURE);
    }
    require_freed("mip", failed_allocation, before);
    return failed;
}

static long fail_each(hs_instance *in)
{
    hs_schedule *start = NULL;
    long         which = 0;

    if (hs_solve(hs_algorithm_find(hs_instance_has_graph(in) ? "heft" : "lpt"), in, NULL, &start) !=
        HS_OK)
        exit(EXIT_FAILURE);
    while (try_failing(in, start, which))
        which++;
    for (long i = 0; hs_bound_find("mip") && hs_instance_tasks(in) < 5;)
        if (!try_failing_bound(in, i++))
            break;
    hs_schedule_free(start);
    hs_instance_free(in);
    return which;
}

/* Fail each allocation of a search over places. */
static long fail_with_links(void)
{
    hs_shaped    spec;
    hs_instance *in = NULL;

    hs_shaped_init(&spec);
    spec.shape = HS_LAYERED;
    spec.tasks = 12;
    spec.cpus = spec.gpus = 2;
    spec.ccr = 0.5;
    return hs_generate_shaped(&spec, &in, NULL) == HS_OK ? fail_each(in) : 0;
}

int main(void)
{
    const hs_kernel_table *kernels = hs_kernel_table_find("k40m-960");
    hs_gamma               many_kinds = {sizeof many_kinds, 40, 3, 2, 15, 1, 1, 1, 1};
    hs_tiled               few_kinds = {sizeof few_kinds, HS_CHOLESKY, 6, 3, 2, 0, 0, kernels, 0};
    hs_tiled               graph = {sizeof graph, HS_CHOLESKY, 4, 3, 2, 0, 1, kernels, 0};
    hs_tiled               small = {sizeof small, HS_CHOLESKY, 2, 2, 1, 0, 1, kernels, 0};
    hs_identical           packing = {sizeof packing, "class-1", 12, 5, 0, 0, 1};
    hs_instance           *in = NULL;

    if (hs_generate_identical(&packing, &in, NULL) != HS_OK || fail_each(in) <= 30)
        return EXIT_FAILURE;
    if (hs_generate_gamma(&many_kinds, &in, NULL) != HS_OK || fail_each(in) <= 50)
        return EXIT_FAILURE;
    if (hs_generate_tiled(&few_kinds, &in, NULL) != HS_OK || fail_each(in) <= 30)
        return EXIT_FAILURE;
    if (hs_generate_tiled(&graph, &in, NULL) != HS_OK || fail_each(in) <= 100)
        return EXIT_FAILURE;
    if (hs_generate_tiled(&small, &in, NULL) != HS_OK || fail_each(in) <= 20)
        return EXIT_FAILURE;
    if (fail_with_links() <= 100)
        return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
