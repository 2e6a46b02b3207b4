/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Run factorisations on shared tiles under every policy for graphs and check the library's
 * verification: right results pass, wrong results fail. Other graphs of kernels are refused.
 */

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "exec/tiled/matrix.h"
#include "exec_fixture.h"
#include "factorisation.h"
#include "rounds.h"
#include "suite.h"

static uint64_t dice;

static unsigned roll(unsigned sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(dice >> 33) % sides;
}

/* Return settings for any number of workers, unbound, with emulated GPUs and a random matrix. */
static hs_exec_settings settings_of(const hs_policy_kind *policy)
{
    hs_exec_settings s;

    hs_exec_settings_init(&s);
    s.decide.policy = policy;
    s.run.emulate[HS_GPU] = s.place.oversubscribe = s.place.unbound = true;
    s.fail.halt = HS_HALT_NEVER;
    s.run.matrix_seed = roll(1000);
    return s;
}

static hs_exec *make(const hs_instance *in, const hs_schedule *plan, const hs_exec_settings *s)
{
    hs_exec *exec = NULL;
    hs_error error;

    ck_assert_msg(hs_exec_create(in, plan, s, &exec, &error) == HS_OK, "%s", error.why);
    return exec;
}

/* Return true for reduced tests, as under valgrind, which finds nothing more in large matrices. */
static bool are_few_rounds(void)
{
    return rounds(100) < 10;
}

static hs_exec_factorisation result_of(const hs_exec *exec)
{
    hs_exec_factorisation f;

    hs_exec_factorisation_init(&f);
    ck_assert_int_eq(hs_exec_describe_factorisation(exec, &f), 1);
    return f;
}

/* Check that the result was verified with errors far below the limits of the library. */
static void all_is_right(const hs_exec *exec)
{
    hs_exec_factorisation f = result_of(exec);

    ck_assert_int_eq(f.verified, 1);
    ck_assert_int_eq(f.wrong, 0);
    ck_assert_double_lt(f.relative_residual, f.single_precision ? 5e-6 : 1e-13);
    ck_assert_double_lt(f.largest_residual, f.single_precision ? 5e-3 : 1e-10);
    ck_assert_double_lt(f.orthogonality, f.single_precision ? 1e-5 : 1e-12);
    ck_assert(f.orthogonality == 0 || strcmp(f.name, "QR") == 0);
}

/* Run the instance twice with one handle (the second run restores the input), check both results
 * and free the instance. Return the number of aborted attempts. */
static uint64_t run_right(hs_instance *in, const hs_exec_settings *s)
{
    hs_schedule   *plan = hs_policy_needs_plan(s->decide.policy) ? solved(in, "heft") : NULL;
    hs_exec       *exec = make(in, plan, s);
    hs_exec_report report;
    hs_error       error;
    uint64_t       aborted = 0;

    hs_exec_report_init(&report);
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(hs_exec_run(exec, &report, &error) == HS_OK, "%s", error.why);
        ck_assert_uint_eq(report.done, report.tasks);
        all_is_right(exec);
        aborted += report.aborted;
    }
    hs_exec_free(exec);
    hs_schedule_free(plan);
    hs_instance_free(in);
    return aborted;
}

/* Each policy gets right results with and without GPUs, and with kernels that work in place or, if
 * attempts may be repeated, on copies. The rounds go on until a policy has spoliated a task. */
START_TEST(every_policy_factorises)
{
    const unsigned sizes[] = {1, 7, 32, 33, 64, 96};
    bool           spoliates = rounds(6) >= 6 && _i % SINGLE != HS_QR;
    uint64_t       aborted = 0;

    for (int round = 0; round < rounds(6) || (spoliates && aborted == 0); round++)
        for (size_t i = 0; i < hs_policy_count(); i++) {
            const hs_policy_kind *policy = hs_policy_at(i);
            hs_exec_settings      s = settings_of(policy);
            unsigned              gpus = round % 3;

            if (!hs_policy_supports_graphs(policy))
                continue;
            s.fail.retries = roll(2);
            s.run.time_scale = 1;
            aborted += run_right(factorisation(_i, 1 + roll(are_few_rounds() ? 4 : 7),
                                               sizes[roll(6)], 1 + roll(3), gpus),
                                 &s);
        }
}
END_TEST

/* Matrices of the fourth paper's validation, the smaller half. */
START_TEST(larger_matrices)
{
    const unsigned tiles[] = {4, 6, 8, 10, 12}, sizes[] = {64, 96, 128, 192};
    const unsigned most = are_few_rounds() ? 256 : rounds(10) < 10 ? 512 : 1152;

    for (unsigned i = 0; i < 5; i++)
        for (unsigned j = 0; j < 4; j++) {
            hs_exec_settings s = settings_of(hs_policy_find("heteroprio"));

            if (tiles[i] * sizes[j] <= most)
                run_right(factorisation(_i, tiles[i], sizes[j], 2, j % 2), &s);
        }
}
END_TEST

static void touch(hs_builder *b, size_t row, const char *name, hs_access_mode mode)
{
    size_t data;

    ck_assert_int_eq(hs_builder_add_handle(b, name, &data), HS_OK);
    ck_assert_int_eq(hs_builder_add_access(b, row, data, mode), HS_OK);
}

/* Return a copy of the instance with row `moved` in front of row `before`. */
static hs_instance *reordered(const hs_instance *in, size_t moved, size_t before)
{
    hs_builder  *b = NULL;
    hs_instance *out = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, hs_instance_cpus(in), hs_instance_gpus(in));
    for (size_t i = 0; i < hs_instance_rows(in); i++) {
        size_t         row = i == before ? moved : i > before && i <= moved ? i - 1 : i, data;
        hs_task        task;
        hs_access_mode mode;

        hs_instance_row(in, row, &task);
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        for (size_t k = 0; hs_instance_access(in, row, k, &data, &mode); k++)
            touch(b, i, hs_instance_handle_name(in, data), mode);
    }
    ck_assert_int_eq(hs_builder_finish(b, &out, NULL), HS_OK);
    hs_builder_free(b);
    return out;
}

/* Return the last row before `row` that writes a tile which `row` only reads; -1: no such tile. */
static long writer_of(const hs_instance *in, size_t row)
{
    size_t         read, data, k, l;
    hs_access_mode mode;

    for (k = 0; hs_instance_access(in, row, k, &read, &mode); k++) {
        if (mode != HS_READ)
            continue;
        for (long before = (long)row - 1; before >= 0; before--)
            for (l = 0; hs_instance_access(in, (size_t)before, l, &data, &mode); l++)
                if (data == read && mode != HS_READ)
                    return before;
    }
    return -1;
}

/* Verification fails if a task runs before the writer of its input. */
START_TEST(violated_order_is_detected)
{
    for (int round = 0; round < rounds(60); round++) {
        hs_exec_settings s = settings_of(hs_policy_find("dynamic"));
        hs_instance     *in = factorisation(_i, 2 + roll(4), 8 + roll(30), 1 + roll(2), 0), *broken;
        size_t           row = roll((unsigned)hs_instance_rows(in));
        long             writer = writer_of(in, row);
        hs_exec         *exec;
        hs_error         error;

        if (writer >= 0) {
            broken = reordered(in, row, (size_t)writer);
            exec = make(broken, NULL, &s);
            ck_assert_int_eq(hs_exec_run(exec, NULL, &error), HS_EFAILED);
            hs_exec_free(exec);
            s.run.verify = 0;
            exec = make(broken, NULL, &s);
            hs_exec_run(exec, NULL, &error);
            ck_assert_int_eq(result_of(exec).verified, 0);
            hs_exec_free(exec);
            hs_instance_free(broken);
        }
        hs_instance_free(in);
    }
}
END_TEST

static hs_builder *two_rows(const char *first, const char *second, uint32_t count)
{
    const hs_task tasks[] = {
        {.struct_size = sizeof(hs_task), .cpu = 1, .gpu = 1, .kernel = first, .count = count},
        {.struct_size = sizeof(hs_task), .cpu = 1, .gpu = 1, .kernel = second, .count = 1}};
    hs_builder *b = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, 1, 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(hs_builder_add_row(b, &tasks[i]), HS_OK);
    return b;
}

static void refused(hs_builder *b, hs_status expected, const char *word)
{
    hs_exec_settings s = settings_of(hs_policy_find("heteroprio"));
    hs_instance     *in = NULL;
    hs_exec         *exec = NULL;
    hs_error         error;

    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, &error), expected);
    ck_assert_msg(strstr(error.why, word) != NULL, "'%s' without '%s'", error.why, word);
    hs_builder_free(b);
    hs_instance_free(in);
}

START_TEST(refused_factorisations)
{
    hs_builder *b = two_rows("dpotrf:64", "dtrsm:32", 1);

    touch(b, 0, "A-0-0", HS_READ_WRITE);
    touch(b, 1, "A-0-0", HS_READ);
    touch(b, 1, "A-1-0", HS_READ_WRITE);
    refused(b, HS_EDEPENDENT, "size");
    b = two_rows("dpotrf:64", "dtrsm:64", 1);
    touch(b, 0, "A-0-0", HS_READ_WRITE);
    touch(b, 1, "A-0-0", HS_READ);
    touch(b, 1, "A-1-0", HS_READ_WRITE);
    refused(b, HS_EDEPENDENT, "A-1-1");
    b = two_rows("dpotrf:64", "dtrsm:64", 1);
    touch(b, 0, "A", HS_READ_WRITE);
    touch(b, 1, "A", HS_READ);
    touch(b, 1, "B", HS_READ_WRITE);
    refused(b, HS_EDEPENDENT, "Cholesky");
    b = two_rows("dpotrf:64", "dgemm:64", 1);
    touch(b, 0, "A-0-0", HS_READ_WRITE);
    touch(b, 1, "A-1-0", HS_READ);
    touch(b, 1, "A-2-0", HS_READ);
    refused(b, HS_EDEPENDENT, "Cholesky");
    b = two_rows("dpotrf:64", "dtrsm:64", 2);
    touch(b, 0, "A-0-0", HS_READ_WRITE);
    refused(b, HS_EDEPENDENT, "Cholesky");
    b = two_rows("dgemm:64", "dgemm:64", 1);
    touch(b, 0, "A-0-0", HS_READ_WRITE);
    refused(b, HS_EDEPENDENT, "dpotrf");
    b = two_rows("dpotrf:64", "strsm:64", 1);
    touch(b, 0, "A-0-0", HS_READ_WRITE);
    touch(b, 1, "A-0-0", HS_READ);
    touch(b, 1, "A-1-0", HS_READ_WRITE);
    refused(b, HS_EDEPENDENT, "one precision");
    b = two_rows("dpotrf:64", "dgetrf:64", 1);
    touch(b, 0, "A-0-0", HS_READ_WRITE);
    touch(b, 1, "A-0-0", HS_READ_WRITE);
    refused(b, HS_EDEPENDENT, "dgetrf");
    b = two_rows("dpotrf:64", "dpotrf:64", 1);
    touch(b, 0, "A-0-99999", HS_READ_WRITE);
    refused(b, HS_EDEPENDENT, "Cholesky");
}
END_TEST

static hs_body empty;

static hs_status make_nothing(const hs_backend_options *options, const hs_task *task, hs_type type,
                              hs_body **out, hs_error *error)
{
    (void)options;
    (void)task;
    (void)type;
    (void)error;
    *out = &empty;
    return HS_OK;
}

static hs_outcome do_nothing(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    (void)worker;
    (void)body;
    (void)attempt;
    return HS_OUTCOME_DONE;
}

/* Backends of the settings get neither tiles nor verification, as their kernels may differ. */
START_TEST(backend_of_settings_gets_no_tiles)
{
    static const hs_backend nothing = {
        .struct_size = sizeof(hs_backend), .name = "nothing", .body_create = make_nothing, .run = do_nothing};
    static const hs_backend *const only[] = {&nothing};
    hs_exec_settings               s = settings_of(hs_policy_find("heteroprio"));
    hs_instance                   *in = factorisation(HS_CHOLESKY, 4, 32, 2, 1);
    hs_exec_factorisation          f;
    hs_exec                       *exec;
    hs_error                       error;

    empty.backend = &nothing;
    s.run.backends = only;
    s.run.backend_count = 1;
    exec = make(in, NULL, &s);
    ck_assert_msg(hs_exec_run(exec, NULL, &error) == HS_OK, "%s", error.why);
    hs_exec_factorisation_init(&f);
    ck_assert_int_eq(hs_exec_describe_factorisation(exec, &f), 0);
    hs_exec_free(exec);
    hs_instance_free(in);
}
END_TEST

/* After a copy has replaced a tile, the next fill puts the tile back into the matrix's block. */
START_TEST(second_run_has_tiles_in_one_block)
{
    hs_instance *in = factorisation(HS_CHOLESKY, 4, 32, 2, 1);
    hsi_matrix  *matrix;
    void        *copy, *first;
    hs_error     error;

    ck_assert_int_eq(hsi_matrix_create(in, 0, &matrix, &error), HS_OK);
    ck_assert_int_eq(hsi_matrix_fill(matrix), HS_OK);
    first = hsi_matrix_tile(matrix, 0, 0);
    copy = hsi_matrix_allocate(matrix);
    ck_assert_ptr_nonnull(copy);
    matrix->piece[matrix->place[0]].at = copy;
    hsi_matrix_release(matrix, first);
    ck_assert_int_eq(hsi_matrix_fill(matrix), HS_OK);
    ck_assert_ptr_eq(hsi_matrix_tile(matrix, 0, 0), first);
    hsi_matrix_free(matrix);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec data");
    TCase *cases = tcase_create("factorisations");

    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, every_policy_factorises, HS_CHOLESKY, ALL_FACTORISATIONS);
    tcase_add_loop_test(cases, larger_matrices, HS_CHOLESKY, ALL_FACTORISATIONS);
    tcase_add_loop_test(cases, violated_order_is_detected, HS_CHOLESKY, ALL_FACTORISATIONS);
    tcase_add_test(cases, refused_factorisations);
    tcase_add_test(cases, backend_of_settings_gets_no_tiles);
    tcase_add_test(cases, second_run_has_tiles_in_one_block);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
