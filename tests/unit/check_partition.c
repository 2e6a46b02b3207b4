/* SPDX-License-Identifier: BSD-3-Clause */
/* hs_instance_partition(): which rows are divided, into how many tasks, and how long these take. */
#include <math.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "suite.h"

enum { MOST_ROWS = 8 };

/* Rows that become an instance of 2 CPUs and 2 GPUs, in milliseconds. */
typedef struct table {
    hs_task row[MOST_ROWS];
    size_t  rows;
    size_t  after[MOST_ROWS]; /* number of the predecessor + 1; 0: none */
    uint32_t copy[MOST_ROWS]; /* copy of the predecessor; 0: all */
    double  bytes[MOST_ROWS]; /* of the edge */
    double  bandwidth; /* of links; 0: none */
} table;

static hs_task *add(table *t, const char *kernel, double cpu, double gpu)
{
    hs_task *row = &t->row[t->rows++];

    hs_task_init(row);
    row->kernel = kernel;
    row->cpu = cpu;
    row->gpu = gpu;
    return row;
}

static hs_instance *build(const table *t)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 2, 2), HS_OK);
    ck_assert_int_eq(hs_builder_set_unit(b, HS_MILLISECONDS), HS_OK);
    for (size_t i = 0; i < t->rows; i++)
        ck_assert_int_eq(hs_builder_add_row(b, &t->row[i]), HS_OK);
    for (size_t i = 0; i < t->rows; i++)
        if (t->after[i] > 0)
            ck_assert_int_eq(hs_builder_add_predecessor(b, i, t->after[i] - 1, t->copy[i],
                                                        t->bytes[i]),
                             HS_OK);
    if (t->bandwidth > 0) {
        ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 0, t->bandwidth), HS_OK);
        ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 0, t->bandwidth), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static hs_instance *divide(const table *t, hs_cost *cost, double limit, unsigned most)
{
    hs_instance *in = build(t), *out = NULL;

    ck_assert_int_eq(hs_instance_partition(in, cost, limit, most, &out), HS_OK);
    ck_assert_uint_eq(hs_instance_rows(out), hs_instance_rows(in));
    hs_instance_free(in);
    return out;
}

static void check_row(const hs_instance *in, size_t row, const char *kernel, unsigned count,
                      double cpu, double gpu)
{
    hs_task task;

    hs_instance_row(in, row, &task);
    ck_assert_msg(strcmp(task.kernel, kernel) == 0, "row %zu is %s, not %s", row, task.kernel,
                  kernel);
    ck_assert_uint_eq(task.count, count);
    ck_assert_double_eq_tol(task.cpu, cpu, 1e-9 * cpu);
    if (isinf(gpu))
        ck_assert(isinf(task.gpu));
    else
        ck_assert_double_eq_tol(task.gpu, gpu, 1e-9 * gpu);
}

/* The least power of two whose parts are short enough; with too low a limit, the largest. */
START_TEST(the_least_number_of_parts_is_taken)
{
    static const struct {
        double      limit;
        unsigned    most, parts;
        const char *kernel;
    } cases[] = {
        {1.0, 64, 1, "dgemm:4096"},      {0.999, 64, 2, "dgemm:4096/2"},
        {0.5, 64, 2, "dgemm:4096/2"},    {0.4999, 64, 4, "dgemm:4096/4"},
        {0.1, 64, 16, "dgemm:4096/16"},  {1e-6, 64, 64, "dgemm:4096/64"},
        {1e-6, 63, 32, "dgemm:4096/32"}, {1e-6, 1000, 64, "dgemm:4096/64"},
        {1e-6, 0, 4, "dgemm:4096/4"},    {1e-6, 1, 1, "dgemm:4096"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table        t = {.rows = 0};
        hs_instance *in;

        add(&t, "dgemm:4096", 1000, 2000);
        in = divide(&t, NULL, cases[i].limit, cases[i].most);
        check_row(in, 0, cases[i].kernel, cases[i].parts, 1000.0 / cases[i].parts,
                  2000.0 / cases[i].parts);
        ck_assert_uint_eq(hs_instance_tasks(in), cases[i].parts);
        hs_instance_free(in);
    }
}
END_TEST

/* The least of both times counts; a type without implementation stays without. */
START_TEST(only_long_products_are_divided)
{
    table        t = {.rows = 0};
    hs_instance *in;

    add(&t, "sgemm:256", 1000, INFINITY);
    add(&t, "dgemm:4096", 1000, 5);
    add(&t, "dsyrk:4096", 1000, INFINITY);
    add(&t, "dgemm:4096/2", 1000, INFINITY);
    add(&t, "dgemm:4096", 1000, INFINITY)->count = 3;
    add(&t, "dgemm:4096", 1000, INFINITY)->cpu_command = "true";
    add(&t, "dgemm:100", 1000, INFINITY);
    add(&t, "dgemm:4096/0", 1000, INFINITY);
    in = divide(&t, NULL, 0.01, 0);
    check_row(in, 0, "sgemm:256/4", 4, 250, INFINITY);
    check_row(in, 1, "dgemm:4096", 1, 1000, 5);
    check_row(in, 2, "dsyrk:4096", 1, 1000, INFINITY);
    check_row(in, 3, "dgemm:4096/2", 1, 1000, INFINITY);
    check_row(in, 4, "dgemm:4096", 3, 1000, INFINITY);
    check_row(in, 5, "dgemm:4096", 1, 1000, INFINITY);
    check_row(in, 6, "dgemm:100", 1, 1000, INFINITY);
    check_row(in, 7, "dgemm:4096/0", 1, 1000, INFINITY);
    hs_instance_free(in);
}
END_TEST

START_TEST(edges_keep_their_meaning)
{
    table        t = {.rows = 0};
    hs_instance *in;
    size_t       predecessor;
    uint32_t     copy;
    double       bytes;

    add(&t, "dgemm:512", 1000, INFINITY);
    add(&t, "dgemm:512", 1000, INFINITY);
    add(&t, "dgemm:512", 1000, INFINITY);
    add(&t, "dpotrf:512", 1, INFINITY);
    t.after[1] = 1; /* waits for all of row 0 */
    t.after[2] = 2;
    t.copy[2] = 1; /* the only copy of row 1 */
    t.after[3] = 3;
    t.bytes[3] = 8; /* brings bytes from row 2 */
    in = divide(&t, NULL, 0.4, 0);
    check_row(in, 0, "dgemm:512/4", 4, 250, INFINITY);
    check_row(in, 1, "dgemm:512/4", 4, 250, INFINITY);
    check_row(in, 2, "dgemm:512", 1, 1000, INFINITY);
    for (size_t row = 1; row < 3; row++) {
        ck_assert(hs_instance_predecessor(in, row, 0, &predecessor, &copy, &bytes));
        ck_assert(predecessor == row - 1 && copy == 0);
    }
    hs_instance_free(in);
}
END_TEST

/* The GPU gets the first matrix again for each part; measured parts count as they are. */
START_TEST(times_of_parts)
{
    table        t = {.bandwidth = 1e9};
    hs_instance *in;
    hs_cost     *cost = NULL;
    hs_features  f;
    hs_task     *row = add(&t, "dgemm:1000", 1000, 600), part;

    row->flops = 4e9; /* not the number that follows from the size */
    row->guess = HS_GUESS_BOTH;
    in = divide(&t, NULL, 0.4, 0);
    check_row(in, 0, "dgemm:1000/2", 2, 500, 300 + 0.5 * 8e6 / 1e9 * 1000);
    hs_instance_free(in);

    ck_assert_int_eq(hs_cost_create(&cost), HS_OK);
    hs_features_init(&f);
    strcpy(f.key, "dgemm/2");
    f.size = 1000;
    f.flops = 2e9;
    f.bytes_in = 16e6;
    f.bytes_out = 4e6;
    ck_assert_int_eq(hs_cost_observe(cost, HS_CPU, &f, 0.35, 0), HS_OK);
    in = divide(&t, cost, 0.4, 0);
    check_row(in, 0, "dgemm:1000/2", 2, 350, 300 + 0.5 * 8e6 / 1e9 * 1000);
    ck_assert_int_eq(hs_instance_source(in, 1, HS_CPU), HS_COST_HISTORY);
    ck_assert_int_eq(hs_instance_source(in, 1, HS_GPU), HS_COST_NONE);
    hs_instance_row(in, 0, &part);
    ck_assert_int_eq(part.guess, HS_GUESS_GPU);
    hs_instance_free(in);
    hs_cost_free(cost);

    ck_assert_int_eq(hs_cost_create(&cost), HS_OK);
    ck_assert_int_eq(hs_cost_observe(cost, HS_GPU, &f, 0.25, 0), HS_OK);
    in = divide(&t, cost, 0.4, 0);
    check_row(in, 0, "dgemm:1000/2", 2, 500, 250);
    hs_instance_free(in);

    row->cpu = INFINITY;
    in = divide(&t, cost, 0.4, 0);
    hs_instance_row(in, 0, &part);
    ck_assert(isinf(part.cpu) && part.gpu == 250 && part.count == 2);
    hs_instance_free(in);
    hs_cost_free(cost);
}
END_TEST

START_TEST(invalid_arguments_are_refused)
{
    table        t = {.rows = 0};
    hs_instance *in, *out = NULL;

    add(&t, "dgemm:1000", HS_UNKNOWN, 1);
    in = build(&t);
    ck_assert_int_eq(hs_instance_partition(in, NULL, 1, 0, &out), HS_EUNKNOWN);
    ck_assert_int_eq(hs_instance_partition(in, NULL, 0, 0, &out), HS_EINVAL);
    ck_assert_int_eq(hs_instance_partition(in, NULL, NAN, 0, &out), HS_EINVAL);
    ck_assert_int_eq(hs_instance_partition(NULL, NULL, 1, 0, &out), HS_EINVAL);
    ck_assert_ptr_null(out);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("partition");
    TCase *cases = tcase_create("partition");

    tcase_add_test(cases, the_least_number_of_parts_is_taken);
    tcase_add_test(cases, only_long_products_are_divided);
    tcase_add_test(cases, edges_keep_their_meaning);
    tcase_add_test(cases, times_of_parts);
    tcase_add_test(cases, invalid_arguments_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
