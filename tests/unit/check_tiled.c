/* SPDX-License-Identifier: BSD-3-Clause */

/* Instances of tiled factorisations: tasks, priorities, dependencies, kernel tables, and values
 * fixed for ever. */

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "suite.h"
#include "unit/times_hash.h"

static hs_instance *tiled_of(hs_factorisation kind, unsigned tiles, int compact,
                             const char *table)
{
    hs_tiled spec = {sizeof spec, kind, tiles, 0, 0, compact, 0, hs_kernel_table_find(table), 0};
    hs_instance *in = NULL;

    ck_assert_ptr_nonnull(spec.table);
    spec.cpus = spec.table->cpus;
    spec.gpus = spec.table->gpus;
    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_OK);
    return in;
}

/* Return the number of tasks, copies included, named `prefix`, or `prefix` and '-' or '#'. */
static uint64_t count_named(const hs_instance *in, const char *prefix)
{
    uint64_t found = 0;
    size_t   i, length = strlen(prefix);
    char     name[64];

    for (i = 0; i < hs_instance_tasks(in); i++) {
        hs_instance_name(in, i, name, sizeof name);
        found += strncmp(name, prefix, length) == 0 && strchr("-#", name[length]);
    }
    return found;
}

START_TEST(factorisations_have_their_counts)
{
    uint64_t n;
    int      compact;

    for (n = 1; n <= 9; n++)
        for (compact = 0; compact < 2; compact++) {
            uint64_t     pairs = n * (n - 1) / 2, all = (n - 1) * n * (2 * n - 1) / 6;
            hs_instance *in = tiled_of(HS_CHOLESKY, (unsigned)n, compact, "mirage-960");

            ck_assert_uint_eq(count_named(in, "potrf"), n);
            ck_assert_uint_eq(count_named(in, "trsm"), pairs);
            ck_assert_uint_eq(count_named(in, "syrk"), pairs);
            ck_assert_uint_eq(count_named(in, "gemm"), n < 2 ? 0 : n * (n - 1) * (n - 2) / 6);
            hs_instance_free(in);
            in = tiled_of(HS_LU, (unsigned)n, compact, "mirage-960");
            ck_assert_uint_eq(count_named(in, "getrf"), n);
            ck_assert_uint_eq(count_named(in, "trsm"), 2 * pairs);
            ck_assert_uint_eq(count_named(in, "gemm"), all);
            hs_instance_free(in);
            in = tiled_of(HS_QR, (unsigned)n, compact, "v100-1600");
            ck_assert_uint_eq(count_named(in, "geqrt"), n);
            ck_assert_uint_eq(count_named(in, "ormqr"), pairs);
            ck_assert_uint_eq(count_named(in, "tpqrt"), pairs);
            ck_assert_uint_eq(count_named(in, "tpmqrt"), all);
            hs_instance_free(in);
        }
}
END_TEST

typedef struct measured {
    double cpu, gpu;
    char   kernel[32];
} measured;

static int compare_measured(const void *a, const void *b)
{
    const measured *x = a, *y = b;

    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? -1 : 1;
    if (x->gpu != y->gpu)
        return x->gpu < y->gpu ? -1 : 1;
    return strcmp(x->kernel, y->kernel);
}

/* Return the times and kernels of all tasks, sorted. The caller frees the array. */
static measured *tasks_of(const hs_instance *in)
{
    size_t    n = hs_instance_tasks(in), i;
    measured *tasks = calloc(n, sizeof *tasks);

    ck_assert_ptr_nonnull(tasks);
    for (i = 0; i < n; i++) {
        hs_task row;

        hs_instance_row(in, hs_instance_row_of(in, i), &row);
        tasks[i].cpu = row.cpu;
        tasks[i].gpu = row.gpu;
        snprintf(tasks[i].kernel, sizeof tasks[i].kernel, "%s", row.kernel);
    }
    qsort(tasks, n, sizeof *tasks, compare_measured);
    return tasks;
}

START_TEST(compact_factorisation_has_the_same_tasks)
{
    static const char *const table[] = {"k40m-960", "mirage-960", "v100-1600"};
    hs_factorisation         kind;

    for (kind = HS_CHOLESKY; kind <= HS_QR; kind++) {
        hs_instance *whole = tiled_of(kind, 7, 0, table[kind]);
        hs_instance *rows = tiled_of(kind, 7, 1, table[kind]);
        measured    *one = tasks_of(whole), *other = tasks_of(rows);
        size_t       n = hs_instance_tasks(whole);

        ck_assert_uint_eq(n, hs_instance_tasks(rows));
        ck_assert_uint_eq(n, hs_instance_rows(whole));
        ck_assert_uint_eq(hs_instance_rows(rows), 4);
        ck_assert_mem_eq(one, other, n * sizeof *one);
        free(one);
        free(other);
        hs_instance_free(whole);
        hs_instance_free(rows);
    }
}
END_TEST

static int64_t priority_of(const hs_instance *in, const char *name)
{
    hs_name_index *index = NULL;
    size_t    task = SIZE_MAX;

    ck_assert_int_eq(hs_name_index_create(in, &index), HS_OK);
    ck_assert(hs_name_index_find(index, name, strlen(name), &task));
    hs_name_index_free(index);
    return hs_instance_priority(in, task);
}

/* Compare priorities with path lengths counted by hand: the path potrf-0 trsm-1-0 syrk-1-0 potrf-1
 * ... potrf-4 has 13 tasks. */
START_TEST(priorities_are_lengths_of_chains)
{
    hs_instance *in = tiled_of(HS_CHOLESKY, 5, 0, "mirage-960");

    ck_assert_int_eq(priority_of(in, "potrf-0"), 12);
    ck_assert_int_eq(priority_of(in, "trsm-1-0"), 11);
    ck_assert_int_eq(priority_of(in, "syrk-1-0"), 10);
    ck_assert_int_eq(priority_of(in, "gemm-4-2-1"), 5);
    ck_assert_int_eq(priority_of(in, "syrk-4-3"), 1);
    ck_assert_int_eq(priority_of(in, "potrf-4"), 0);
    hs_instance_free(in);
    in = tiled_of(HS_QR, 3, 0, "v100-1600");
    ck_assert_int_eq(priority_of(in, "geqrt-0"), 6);
    ck_assert_int_eq(priority_of(in, "ormqr-0-1"), 5);
    ck_assert_int_eq(priority_of(in, "tpqrt-2-0"), 4);
    ck_assert_int_eq(priority_of(in, "tpmqrt-2-2-1"), 1);
    hs_instance_free(in);
}
END_TEST

static hs_instance *graph_of(hs_factorisation kind, unsigned tiles, const char *table)
{
    hs_tiled     spec = {sizeof spec, kind, tiles, 4, 2, 0, 1, hs_kernel_table_find(table), 0};
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_OK);
    return in;
}

/* Assert that the task `name` has exactly the predecessors `expected`, up to the first "". */
static void comes_after(const hs_instance *in, const char *name, const char *const expected[3])
{
    hs_name_index  *index = NULL;
    const hs_graph *graph = NULL;
    const uint32_t *before;
    size_t          task = SIZE_MAX, count, wanted, i, found = 0;

    ck_assert_int_eq(hs_instance_graph(in, &graph), HS_OK);
    ck_assert_int_eq(hs_name_index_create(in, &index), HS_OK);
    ck_assert_msg(hs_name_index_find(index, name, strlen(name), &task), "%s", name);
    before = hs_graph_predecessors(graph, task, &count, NULL);
    for (i = 0; i < 3 && *expected[i]; i++) {
        size_t j;

        ck_assert_msg(hs_name_index_find(index, expected[i], strlen(expected[i]), &wanted), "%s",
                      expected[i]);
        for (j = 0; j < count && before[j] != wanted; j++)
            ;
        ck_assert_msg(j < count, "%s does not come after %s", name, expected[i]);
        found++;
    }
    ck_assert_msg(found == count, "%s comes after %zu tasks", name, count);
    hs_name_index_free(index);
}

/* Check all predecessors: potrf needs the tile of syrk, and trsm the tiles of potrf and gemm. An
 * update needs its tile from the previous update, and from trsm one tile (syrk) or two (gemm). */
START_TEST(cholesky_has_the_dependencies_of_the_algorithm)
{
    hs_instance *in = graph_of(HS_CHOLESKY, 6, "mirage-960");
    char         name[5][32];
    unsigned     i, j, k;

    ck_assert_double_eq(hs_instance_handle_bytes(in, 0), 960 * 960 * 8);
    for (k = 0; k < 6; k++) {
        const char *syrk = k ? name[1] : "";

        sprintf(name[0], "potrf-%u", k);
        sprintf(name[1], "syrk-%u-%u", k, k - 1);
        comes_after(in, name[0], (const char *const[]){syrk, "", ""});
        for (i = k + 1; i < 6; i++) {
            sprintf(name[2], "trsm-%u-%u", i, k);
            sprintf(name[3], "gemm-%u-%u-%u", i, k, k - 1);
            comes_after(in, name[2], (const char *const[]){name[0], k ? name[3] : "", ""});
            sprintf(name[3], "syrk-%u-%u", i, k);
            sprintf(name[4], "syrk-%u-%u", i, k - 1);
            comes_after(in, name[3], (const char *const[]){name[2], k ? name[4] : "", ""});
            for (j = k + 1; j < i; j++) {
                sprintf(name[1], "trsm-%u-%u", j, k);
                sprintf(name[3], "gemm-%u-%u-%u", i, j, k);
                sprintf(name[4], "gemm-%u-%u-%u", i, j, k - 1);
                comes_after(in, name[3],
                            (const char *const[]){name[2], name[1], k ? name[4] : ""});
            }
        }
    }
    hs_instance_free(in);
}
END_TEST

/* Verify for each factorisation that a task's priority is the length of the longest path behind
 * it. */
START_TEST(priorities_are_path_lengths_in_the_graph)
{
    static const char *const tables[] = {"mirage-960", "mirage-960", "k40m-960"};
    hs_instance    *in = graph_of((hs_factorisation)_i, 7, tables[_i]);
    const hs_graph *graph = NULL;
    size_t          task, count, i;

    ck_assert_int_eq(hs_instance_graph(in, &graph), HS_OK);
    for (task = hs_instance_tasks(in); task-- > 0;) {
        const uint32_t *after = hs_graph_successors(graph, task, &count);
        int64_t         longest = 0;

        for (i = 0; i < count; i++)
            if (longest < hs_instance_priority(in, after[i]) + 1)
                longest = hs_instance_priority(in, after[i]) + 1;
        ck_assert_int_eq(hs_instance_priority(in, task), longest);
    }
    hs_instance_free(in);
}
END_TEST

/* Compare an instance with a graph and an instance without: names, times and priorities of tasks
 * are equal. */
START_TEST(graphs_have_the_same_tasks)
{
    hs_instance *graph = graph_of(HS_LU, 5, "k40m-960");
    hs_instance *in = tiled_of(HS_LU, 5, 0, "k40m-960");
    hs_task      a, b;
    size_t       i;

    ck_assert(hs_instance_has_graph(graph) && !hs_instance_has_graph(in));
    ck_assert_uint_eq(hs_instance_rows(graph), hs_instance_rows(in));
    for (i = 0; i < hs_instance_rows(in); i++) {
        hs_task_init(&a);
        hs_task_init(&b);
        hs_instance_row(graph, i, &a);
        hs_instance_row(in, i, &b);
        ck_assert_str_eq(a.id, b.id);
        ck_assert(a.cpu == b.cpu && a.gpu == b.gpu && a.priority == b.priority);
    }
    hs_instance_free(graph);
    hs_instance_free(in);
}
END_TEST

START_TEST(factorisations_refuse_invalid_arguments)
{
    static const hs_kernel       gemm = {"", "gemm", "dgemm:960", 1, 1};
    static const hs_kernel_table poor = {"poor", NULL, 1, 1, HS_SECONDS, 1, &gemm};
    hs_tiled                     spec = {sizeof spec, HS_LU, 4, 20, 4, 0, 0, &poor, 0};
    hs_instance *in = NULL;
    hs_error                     error;

    ck_assert_int_eq(hs_generate_tiled(&spec, &in, &error), HS_EUNSUPPORTED);
    ck_assert_int_eq(error.status, HS_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.why, "'getrf'"));
    spec.kind = HS_QR;
    spec.table = hs_kernel_table_find("mirage-960");
    ck_assert_int_eq(hs_generate_tiled(&spec, &in, &error), HS_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.why, "'geqrt'"));
    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_EUNSUPPORTED);
    spec.kind = HS_CHOLESKY;
    spec.tiles = 0;
    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_EINVAL);
    spec.tiles = 2400; /* 2.3e9 tasks */
    spec.compact = 1;
    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_ETOOBIG);
    spec.tiles = UINT32_MAX;
    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_ETOOBIG);
    spec.tiles = 4;
    spec.graph = 1; /* a row with copies cannot describe a graph */
    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_EINVAL);
    spec.compact = 0;
    spec.cpus = 0;
    spec.gpus = 1;
    spec.table = hs_kernel_table_find("v100-1600"); /* potrf of this table runs on CPUs only */
    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_EWORKER);
    ck_assert_ptr_null(in);
}
END_TEST

START_TEST(built_in_tables_are_consistent)
{
    const hs_kernel_table *table;
    size_t                 i, k;

    for (i = 0; (table = hs_kernel_table_at(i)); i++) {
        ck_assert_ptr_eq(hs_kernel_table_find(table->name), table);
        ck_assert_ptr_null(strpbrk(table->source, "\r\n"));
        for (k = 0; k < table->count; k++)
            ck_assert(table->kernels[k].cpu > 0 && table->kernels[k].gpu > 0);
    }
    ck_assert_uint_eq(i, 3);
    ck_assert_ptr_null(hs_kernel_table_find("no-such-table"));
    ck_assert_ptr_null(hs_kernel_table_find(NULL));
}
END_TEST

/* Keep generated times unchanged on every machine and with every compiler: published results depend
 * on them. */
START_TEST(generated_instances_never_change)
{
    check_golden(tiled_of(HS_CHOLESKY, 8, 0, "k40m-960"), UINT64_C(18435392356830269509));
    check_golden(tiled_of(HS_LU, 8, 0, "mirage-960"), UINT64_C(10527220012532835773));
    check_golden(tiled_of(HS_QR, 8, 0, "v100-1600"), UINT64_C(14182788172467491301));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tiled");
    TCase *tiled = tcase_create("tiled");

    tcase_set_timeout(tiled, 120);
    tcase_add_test(tiled, factorisations_have_their_counts);
    tcase_add_test(tiled, compact_factorisation_has_the_same_tasks);
    tcase_add_test(tiled, priorities_are_lengths_of_chains);
    tcase_add_test(tiled, cholesky_has_the_dependencies_of_the_algorithm);
    tcase_add_loop_test(tiled, priorities_are_path_lengths_in_the_graph, HS_CHOLESKY, HS_QR + 1);
    tcase_add_test(tiled, graphs_have_the_same_tasks);
    tcase_add_test(tiled, factorisations_refuse_invalid_arguments);
    tcase_add_test(tiled, built_in_tables_are_consistent);
    tcase_add_test(tiled, generated_instances_never_change);
    suite_add_tcase(suite, tiled);

    return run_suite(suite);
}
