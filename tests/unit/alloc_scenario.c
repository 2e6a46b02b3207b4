/* SPDX-License-Identifier: BSD-3-Clause */

#include "alloc_scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "failing_memory.h"
#include "suite.h"

typedef struct outcome {
    hs_status status;
    uint64_t  result;
    long      failed, leaked; /* allocations, blocks */
} outcome;

/* Run the scenario once; the allocation after the first `successes_left` fails, none if
 * `successes_left` is negative. Blocks that Check allocates between runs are not counted as leaks.
 */
static outcome run_with(scenario run, const void *context, long successes_left, bool all_later_fail)
{
    outcome o = {.result = 0};
    long    blocks = memory_live_blocks();

    memory_fail_after(successes_left, all_later_fail);
    o.status = run(context, &o.result);
    o.failed = memory_stop_failing();
    o.leaked = memory_live_blocks() - blocks;
    return o;
}

static void check_scenario(const char *name, scenario run, const void *context, bool all_later_fail)
{
    outcome first = run_with(run, context, -1, false), o, after;
    long    n = 0;

    ck_assert_msg(first.status == HS_OK, "%s: %s", name, hs_status_text(first.status));
    ck_assert_msg(first.leaked == 0, "%s leaks %ld blocks", name, first.leaked);
    do {
        o = run_with(run, context, n, all_later_fail);
        after = run_with(run, context, -1, false);
        ck_assert_msg(o.leaked == 0, "%s leaks %ld blocks without allocation %ld", name, o.leaked,
                      n);
        if (o.status == HS_OK) /* success despite the failure: the allocation is optional */
            ck_assert_msg(o.result == first.result, "%s differs without allocation %ld", name, n);
        else
            ck_assert_msg(o.status == HS_ENOMEM && o.failed, "%s without allocation %ld: %s", name,
                          n, hs_status_text(o.status));
        ck_assert_msg(after.status == HS_OK && after.result == first.result && !after.leaked,
                      "%s is not the same after allocation %ld failed", name, n);
        n++;
    } while (o.failed);
    ck_assert_msg(n > 1, "%s allocates nothing", name);
}

void check_single_and_lasting_failures(const char *name, scenario run, const void *context)
{
    check_scenario(name, run, context, false);
    check_scenario(name, run, context, true);
}

/* Add 40 rows. Repeat a call that failed: a failed call leaves the builder unchanged. */
static hs_status add_rows(hs_builder *b, int attempts)
{
    hs_status st = HS_OK;
    int       i, attempt;

    for (i = 0; i < 40 && st == HS_OK; i++) {
        char    id[600];
        hs_task task = {.struct_size = sizeof task,
                        .id = id, .cpu = 1 + i % 7, .gpu = i % 9 ? 2 + i % 5 : INFINITY};

        memset(id, '0', sizeof id);
        snprintf(id + 20 + 10 * (i % 50), 12, "%d", i);
        task.id = i < 3 || i % 10 == 9 ? NULL : id;
        task.priority = i >= 5 ? i % 4 : 0;
        task.count = i >= 8 ? (uint32_t)(i % 3) : 1;
        task.restartable = i >= 11 ? (hs_restartable)(i % 3) : HS_RESTART_DEFAULT;
        task.kernel = i >= 14 ? "dgemm:960" : NULL;
        task.cpu_command = i == 17 ? "./render" : NULL;
        task.gpu_command = i == 20 ? "./render -g" : "";
        for (attempt = 0; attempt < attempts; attempt++)
            if ((st = hs_builder_add_row(b, &task)) != HS_ENOMEM)
                break;
    }
    return st;
}

hs_status build(hs_instance **out, int attempts)
{
    hs_builder *b = NULL;
    hs_status   st = HS_ENOMEM;
    int         attempt;

    for (attempt = 0; attempt < attempts && st == HS_ENOMEM; attempt++)
        st = hs_builder_create(&b);
    if (st == HS_OK)
        st = hs_builder_set_workers(b, 3, 2);
    if (st == HS_OK) {
        st = HS_ENOMEM;
        for (attempt = 0; attempt < attempts && st == HS_ENOMEM; attempt++)
            st = hs_builder_add_note(b, "source", "measured");
    }
    if (st == HS_OK)
        st = add_rows(b, attempts);
    if (st == HS_OK) {
        st = HS_ENOMEM;
        for (attempt = 0; attempt < attempts && st == HS_ENOMEM; attempt++)
            st = hs_builder_finish(b, out, NULL);
    }
    hs_builder_free(b);
    return st;
}
