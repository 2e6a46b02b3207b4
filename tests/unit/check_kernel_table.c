/* SPDX-License-Identifier: BSD-3-Clause */

/* Reading kernel tables from files: accepted contents, and messages with line and column of each
 * mistake. */

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <hybridsched/io.h>

#include "suite.h"

static hs_status read_text(const char *text, hs_kernel_table **table, hs_error *error)
{
    FILE     *file = tmpfile();
    hs_status st;

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    rewind(file);
    st = hs_kernel_table_read(fileno(file), table, error);
    fclose(file);
    return st;
}

static hs_kernel_table *read_good_table(const char *text)
{
    hs_kernel_table *table = NULL;
    hs_error         error = {0};
    hs_status        st = read_text(text, &table, &error);

    ck_assert_msg(st == HS_OK, "%s", error.why);
    return table;
}

START_TEST(reads_a_whole_table)
{
    hs_kernel_table *table = read_good_table("# hybridsched kernels 1\n"
                                             "# cpus 12\n"
                                             "# gpus 2\n"
                                             "# unit us\n"
                                             "# name mine\n"
                                             "# source measured here\n"
                                             "# weather fine\n"
                                             "kernel,cpu,gpu,operation,factorisation\n"
                                             "dpotrf:512,1e3,,,\n"
                                             "\"a,b\",inf,2.5,trsm-below,lu\n");

    ck_assert_str_eq(table->name, "mine");
    ck_assert_str_eq(table->source, "measured here");
    ck_assert_uint_eq(table->cpus, 12);
    ck_assert_uint_eq(table->gpus, 2);
    ck_assert_int_eq(table->unit, HS_MICROSECONDS);
    ck_assert_uint_eq(table->count, 2);
    ck_assert_str_eq(table->kernels[0].kernel, "dpotrf:512");
    ck_assert_str_eq(table->kernels[0].operation, "potrf");
    ck_assert_str_eq(table->kernels[0].factorisation, "");
    ck_assert(table->kernels[0].cpu == 1000 && isinf(table->kernels[0].gpu));
    ck_assert_str_eq(table->kernels[1].kernel, "a,b");
    ck_assert_str_eq(table->kernels[1].operation, "trsm-below");
    ck_assert_str_eq(table->kernels[1].factorisation, "lu");
    ck_assert(isinf(table->kernels[1].cpu) && table->kernels[1].gpu == 2.5);
    hs_kernel_table_free(table);
    hs_kernel_table_free(NULL);
}
END_TEST

START_TEST(missing_kernels_stay_absent)
{
    hs_kernel_table *table = read_good_table("gpu,kernel,cpu\n");

    ck_assert_uint_eq(table->count, 0);
    ck_assert_uint_eq(table->cpus + table->gpus, 0);
    ck_assert_str_eq(table->name, "");
    ck_assert_str_eq(table->source, "");
    ck_assert_int_eq(table->unit, HS_SECONDS);
    hs_kernel_table_free(table);
}
END_TEST

START_TEST(operation_names_are_known)
{
    static const char *const names[][2] = {
        {"gemm", "gemm"},         {"dgemm:960", "gemm"},   {"ssyrk", "syrk"},
        {"syrk:32", "syrk"},      {"zunmqr:64", "ormqr"},  {"dgeqrf:960", "geqrt"},
        {"dtsqrt", "tpqrt"},      {"stsmqr:1", "tpmqrt"},  {"dgetrf_nopiv:960", "getrf"},
        {"dlauum:960", "dlauum"}, {"special", "special"},  {":960", ""},
    };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        char             text[128];
        hs_kernel_table *table;

        snprintf(text, sizeof text, "kernel,cpu,gpu\n%s,1,1\n", names[i][0]);
        table = read_good_table(text);
        ck_assert_str_eq(table->kernels[0].operation, names[i][1]);
        hs_kernel_table_free(table);
    }
}
END_TEST

/* Tiles below the diagonal use the kernel of trsm-below, tiles right of it the general trsm. gemm
 * uses the kernel for LU. */
START_TEST(special_kernel_precedes_the_general_one)
{
    hs_kernel_table *table =
        read_good_table("# cpus 1\n# gpus 1\nkernel,cpu,gpu,operation,factorisation\n"
                        "dgetrf,1,1,,\ndgemm,2,1,,\ndgemm,3,1,,lu\n"
                        "dtrsm,4,1,,\nlower,5,1,trsm-below,\n");
    hs_tiled         spec = {sizeof spec, HS_LU, 2, 1, 1, 1, 0, table, 0};
    hs_instance     *in = NULL;
    hs_task          row;

    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_OK);
    hs_instance_row(in, 1, &row);
    ck_assert_str_eq(row.id, "trsm-below");
    ck_assert_str_eq(row.kernel, "lower");
    hs_instance_row(in, 2, &row);
    ck_assert_str_eq(row.id, "trsm-right");
    ck_assert_str_eq(row.kernel, "dtrsm");
    hs_instance_row(in, 3, &row);
    ck_assert(row.cpu == 3);
    hs_instance_free(in);
    hs_kernel_table_free(table);
}
END_TEST

static const struct {
    const char *text;
    unsigned    line, column;
    const char *says;
} wrong[] = {
    {"", 1, 1, "header"},
    {"kernel,cpu\n", 1, 1, "gpu"},
    {"kernel,cpu,gpu,colour\n", 1, 16, "colour"},
    {"# hybridsched instance 1\nkernel,cpu,gpu\n", 1, 15, "kernels 1"},
    {"# cpus many\nkernel,cpu,gpu\n", 1, 8, "many"},
    {"# name a\n# name b\nkernel,cpu,gpu\n", 2, 3, "second"},
    {"kernel,cpu,gpu\n,1,1\n", 2, 1, "no kernel"},
    {"kernel,cpu,gpu\ndgemm,0,1\n", 2, 7, "not positive"},
    {"kernel,cpu,gpu\ndgemm,1,x\n", 2, 9, "not a number"},
    {"kernel,cpu,gpu\ndgemm,inf,\n", 2, 1, "no implementation"},
    {"kernel,cpu,gpu\ndgemm,1\n", 2, 0, "field"},
    {"kernel,cpu,gpu\ndgemm:1,1,1\nsgemm:2,1,1\n", 3, 1, "line 2"},
    {"kernel,cpu,gpu,factorisation\ndgemm,1,1,svd\n", 2, 11, "svd"},
};

START_TEST(errors_have_a_position)
{
    hs_kernel_table *table = NULL;
    hs_error         error = {0};

    ck_assert_int_eq(read_text(wrong[_i].text, &table, &error),
                     strstr(wrong[_i].text, "instance") ? HS_EKIND : HS_ESYNTAX);
    ck_assert_ptr_null(table);
    ck_assert_msg(strstr(error.why, wrong[_i].says), "%s", error.why);
    ck_assert_uint_eq(error.line, wrong[_i].line);
    if (wrong[_i].column)
        ck_assert_uint_eq(error.column, wrong[_i].column);
}
END_TEST

START_TEST(too_many_kernels_are_refused)
{
    static char      text[1100 * 16] = "kernel,cpu,gpu\n";
    size_t           used = strlen(text);
    hs_kernel_table *table = NULL;
    hs_error         error = {0};
    int              i;

    for (i = 0; i < 1001; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "k%d,1,1\n", i);
    ck_assert_int_eq(read_text(text, &table, &error), HS_ESYNTAX);
    ck_assert_uint_eq(error.line, 1002);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernel-table");
    TCase *reading = tcase_create("reading");

    tcase_add_test(reading, reads_a_whole_table);
    tcase_add_test(reading, missing_kernels_stay_absent);
    tcase_add_test(reading, operation_names_are_known);
    tcase_add_test(reading, special_kernel_precedes_the_general_one);
    tcase_add_loop_test(reading, errors_have_a_position, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(reading, too_many_kernels_are_refused);
    suite_add_tcase(suite, reading);

    return run_suite(suite);
}
