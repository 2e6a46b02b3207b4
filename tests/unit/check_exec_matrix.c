/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Factorisations of the caller's matrix. The tests multiply the factors again, element by element,
 * and check the library's verdict on them. Unsuitable matrices are refused.
 */

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

#include "factorisation.h"
#include "rounds.h"
#include "suite.h"

static uint64_t dice;

static unsigned roll(unsigned sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(dice >> 33) % sides;
}

static double draw(void)
{
    return roll(2000001) / 1e6 - 1;
}

/* Return a random n x n matrix by column. For Cholesky, the unused upper triangle is NaN. */
static double *random_matrix(int kind, size_t n, double scale)
{
    double *a = malloc(n * n * sizeof *a);

    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double diagonal = i == j && kind != HS_QR ? 2 * (double)n : 0;

            a[j * n + i] = kind == HS_CHOLESKY && i < j ? NAN : scale * (draw() + diagonal);
        }
    return a;
}

static double input(const double *a, int kind, size_t n, size_t i, size_t j)
{
    return kind == HS_CHOLESKY && i < j ? a[i * n + j] : a[j * n + i];
}

/* Return element (i, j) of L U, or of L L' for Cholesky, from both factors in one square. */
static double product(const double *f, int kind, size_t n, size_t i, size_t j)
{
    double sum = 0;

    for (size_t k = 0; k <= i && k <= j; k++) {
        double left = kind == HS_LU && k == i ? 1 : f[k * n + i];
        double right = kind == HS_LU ? f[j * n + k] : f[k * n + j];

        sum += left * right;
    }
    return sum;
}

/* Return the dot product of columns i and j. */
static double dot(const double *a, size_t n, size_t i, size_t j)
{
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += a[i * n + k] * a[j * n + k];
    return sum;
}

/* Check that the factors give the matrix. For QR, R'R equals A'A since Q is orthogonal; the squares
 * of the elements must be finite. */
static void is_right(const double *a, const double *f, int kind, size_t n, double scale)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double want = kind == HS_QR ? dot(a, n, i, j) : input(a, kind, n, i, j);
            double got = kind == HS_QR ? dot(f, n, i, j) : product(f, kind, n, i, j);
            double most = 1e-12 * (double)n * (kind == HS_QR ? scale * scale : scale);

            ck_assert_msg(fabs(got - want) <= most, "(%zu, %zu): %g, not %g", i, j, got, want);
            if (kind == HS_CHOLESKY ? i < j : kind == HS_QR && i > j)
                ck_assert_double_eq(f[j * n + i], 0);
        }
}

static hs_exec_settings settings_of(const double *a, size_t n)
{
    hs_exec_settings s;

    hs_exec_settings_init(&s);
    s.decide.policy = hs_policy_find("heteroprio");
    s.run.emulate[HS_GPU] = s.place.oversubscribe = s.place.unbound = true;
    s.run.matrix = a;
    s.run.matrix_order = n;
    return s;
}

/* Return the factors of the matrix and the library's description of them. The second run shows that
 * each run starts with the original matrix. */
static double *factors_of(int kind, const double *a, unsigned tiles, unsigned n, unsigned gpus,
                          hs_exec_factorisation *said)
{
    size_t           order = (size_t)tiles * n;
    hs_instance     *in = factorisation(kind, tiles, n, 2, gpus);
    hs_exec_settings s = settings_of(a, order);
    double          *f = malloc(order * order * sizeof *f);
    hs_exec         *exec = NULL;
    hs_error         error;

    ck_assert_msg(hs_exec_create(in, NULL, &s, &exec, &error) == HS_OK, "%s", error.why);
    ck_assert_int_eq(hs_exec_copy_factors(exec, f), HS_EINVAL);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(hs_exec_run(exec, NULL, &error) == HS_OK, "%s", error.why);
    hs_exec_factorisation_init(said);
    ck_assert_int_eq(hs_exec_describe_factorisation(exec, said), 1);
    ck_assert_int_eq(hs_exec_copy_factors(exec, f), HS_OK);
    hs_exec_free(exec);
    hs_instance_free(in);
    return f;
}

START_TEST(input_matrix_of_the_caller)
{
    for (int round = 0; round < rounds(20); round++) {
        unsigned              tiles = 1 + roll(5), n = 1 + roll(40);
        size_t                order = (size_t)tiles * n;
        double                scale = pow(10, (int)roll(21) - 10);
        double               *a = random_matrix(_i, order, scale), *f;
        hs_exec_factorisation said;

        f = factors_of(_i, a, tiles, n, roll(2), &said);
        is_right(a, f, _i, order, scale * 2 * (double)order);
        ck_assert_int_eq(said.input_given, 1);
        ck_assert_int_eq(said.wrong, 0);
        ck_assert_double_lt(said.relative_residual, 1e-13);
        ck_assert_double_lt(said.largest_residual, 1e-4 * said.largest_residual_limit);
        free(a);
        free(f);
    }
}
END_TEST

/* Verify matrices with elements so small or large that their squares underflow or overflow. */
START_TEST(matrix_with_large_or_small_elements)
{
    const double scales[] = {1e-170, 1e170};

    for (int i = 0; i < 2; i++) {
        double               *a = random_matrix(_i, 24, scales[i]);
        hs_exec_factorisation said;

        free(factors_of(_i, a, 3, 8, 0, &said));
        ck_assert_int_eq(said.wrong, 0);
        ck_assert_double_lt(said.relative_residual, 1e-13);
        free(a);
    }
}
END_TEST

START_TEST(zero_matrix_has_factors)
{
    double                a[16] = {0}, *f;
    hs_exec_factorisation said;

    f = factors_of(HS_QR, a, 2, 2, 0, &said);
    ck_assert_int_eq(said.wrong, 0);
    for (int i = 0; i < 16; i++)
        ck_assert_double_eq(f[i], 0);
    free(f);
}
END_TEST

static void refused(hs_instance *in, const hs_exec_settings *s, const char *word)
{
    hs_exec *exec = NULL;
    hs_error error;

    ck_assert_int_eq(hs_exec_create(in, NULL, s, &exec, &error), HS_EINVAL);
    ck_assert_msg(strstr(error.why, word) != NULL, "'%s' without '%s'", error.why, word);
}

START_TEST(refused_input_matrices)
{
    hs_instance     *in = factorisation(_i, 2, 4, 1, 0), *none = NULL;
    double          *a = random_matrix(_i, 8, 1);
    hs_exec_settings s = settings_of(a, 7);
    hs_builder      *b = NULL;
    hs_task          task = {.struct_size = sizeof task, .cpu = 1, .gpu = 1, .kernel = "sleep:1"};

    refused(in, &s, "7 x 7");
    s.run.matrix_order = 8;
    a[3 * 8 + 6] = NAN;
    refused(in, &s, "row 6, column 3");
    a[3 * 8 + 6] = -INFINITY;
    refused(in, &s, "-inf");
    a[3 * 8 + 6] = 0;
    s.run.emulate[HS_CPU] = 1;
    refused(in, &s, "emulate");
    s.run.emulate[HS_CPU] = 0;
    hs_builder_create(&b);
    hs_builder_set_workers(b, 1, 0);
    hs_builder_add_row(b, &task);
    ck_assert_int_eq(hs_builder_finish(b, &none, NULL), HS_OK);
    refused(none, &s, "no task");
    hs_builder_free(b);
    hs_instance_free(none);
    hs_instance_free(in);
    free(a);
}
END_TEST

/* The failure message for an indefinite matrix says that it is not positive definite. */
START_TEST(indefinite_matrix_fails)
{
    hs_instance     *in = factorisation(HS_CHOLESKY, 3, 4, 1, 0);
    double          *a = random_matrix(HS_CHOLESKY, 12, 1);
    hs_exec_settings s = settings_of(a, 12);
    hs_exec         *exec = NULL;
    hs_exec_failure  failure;

    a[11 * 12 + 11] = -30;
    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, NULL), HS_OK);
    ck_assert_int_eq(hs_exec_run(exec, NULL, NULL), HS_EFAILED);
    hs_exec_failure_init(&failure);
    ck_assert_int_eq(hs_exec_failure_at(exec, 0, &failure), 1);
    ck_assert(strstr(failure.why, "positive definite") != NULL);
    hs_exec_free(exec);
    hs_instance_free(in);
    free(a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec matrix");
    TCase *cases = tcase_create("given");

    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, input_matrix_of_the_caller, HS_CHOLESKY, HS_QR + 1);
    tcase_add_loop_test(cases, matrix_with_large_or_small_elements, HS_CHOLESKY, HS_QR + 1);
    tcase_add_test(cases, zero_matrix_has_factors);
    tcase_add_loop_test(cases, refused_input_matrices, HS_CHOLESKY, HS_QR + 1);
    tcase_add_test(cases, indefinite_matrix_fails);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
