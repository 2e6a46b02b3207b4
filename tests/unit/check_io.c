/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Test that instances and plans are unchanged after writing and reading. check_io_input.c tests
 * kinds of input.
 */

#include <hybridsched/generate.h>

#include "io_fixture.h"
#include "io_same.h"
#include "suite.h"

START_TEST(instances_survive_writing_and_reading)
{
    int fd = scratch_fd();

    hsi_random_seed(&source, 1, (uint64_t)_i);
    for (int i = 0; i < rounds(700); i++) {
        hs_instance *in = random_instance(i % 50 ? 20 : 400);

        instance_round_trip(fd, in);
        hs_instance_free(in);
    }
    close(fd);
}
END_TEST

/* Rows of all lengths cross the borders of the reader's blocks. */
START_TEST(large_instances_survive_writing_and_reading)
{
    int          fd = scratch_fd();
    hs_instance *in;

    hsi_random_seed(&source, 2, 0);
    for (int i = 0; i < rounds(3); i++) {
        in = random_instance(20000);
        instance_round_trip(fd, in);
        hs_instance_free(in);
    }
    close(fd);
}
END_TEST

/* The rows have more data accesses than the reader buffers. */
START_TEST(large_graphs_survive_writing_and_reading)
{
    hs_tiled     spec = {sizeof spec, HS_QR, 24, 2, 1, 0, 1, hs_kernel_table_find("k40m-960"), 0};
    int          fd = scratch_fd();
    hs_instance *in;

    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_OK);
    instance_round_trip(fd, in);
    hs_instance_free(in);
    close(fd);
}
END_TEST

/* The names that need backslashes exceed the reader's initial buffer. */
START_TEST(names_with_separators_survive)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    char         name[64];
    size_t       data;
    int          fd = scratch_fd();

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    for (size_t i = 0; i < 300; i++) {
        hs_task task = {.struct_size = sizeof task, .id = name, .cpu = 1, .gpu = 1};

        snprintf(name, sizeof name, "%s; a name: \\ %zu", i % 3 ? "some" : "another", i);
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        ck_assert_int_eq(hs_builder_add_handle(b, name, &data), HS_OK);
        ck_assert_uint_eq(data, i);
        ck_assert_int_eq(hs_builder_add_access(b, i, data, HS_WRITE), HS_OK);
        for (size_t back = 1; back <= 5 && back <= i; back++) {
            ck_assert_int_eq(hs_builder_add_predecessor(b, i, i - back, 0, (double)back), HS_OK);
            ck_assert_int_eq(hs_builder_add_access(b, i, data - back, HS_READ), HS_OK);
        }
    }
    ck_assert_int_eq(hs_builder_add_handle(b, "another; a name: \\ 0", &data), HS_OK);
    ck_assert_uint_eq(data, 0);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    instance_round_trip(fd, in);
    hs_instance_free(in);
    hs_builder_free(b);
    close(fd);
}
END_TEST

START_TEST(rows_longer_than_the_block_survive)
{
    const size_t sizes[] = {262100, 262143, 262144, 262145, 600000, 3000000};
    int          fd = scratch_fd();

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char        *command = malloc(sizes[i] + 1);
        hs_task      task = {.struct_size = sizeof task,
                             .cpu = 1,
                             .gpu = 2,
                             .cpu_command = command,
                             .gpu_command = "\"x\""};
        hs_task      plain = {.struct_size = sizeof plain, .cpu = 1, .gpu = 2, .kernel = "k"};
        hs_builder  *b = NULL;
        hs_instance *in = NULL;

        for (size_t c = 0; c < sizes[i]; c++)
            command[c] = "abc\"\n,\r \""[c % 9];
        command[sizes[i]] = '\0';
        ck_assert_int_eq(hs_builder_create(&b), HS_OK);
        ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
        for (int k = 0; k < 3; k++) {
            ck_assert_int_eq(hs_builder_add_row(b, &plain), HS_OK);
            ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        }
        ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
        instance_round_trip(fd, in);
        hs_instance_free(in);
        hs_builder_free(b);
        free(command);
    }
    close(fd);
}
END_TEST

/* Check that two schedules have equal entries. Tasks are compared by name, since their numbers may
 * differ. */
static void same_schedule(const hs_instance *a, const hs_schedule *s, const hs_instance *b,
                          const hs_schedule *t)
{
    unsigned workers = hs_schedule_cpus(s) + hs_schedule_gpus(s);
    char     x[HS_MAX_ID + 16], y[HS_MAX_ID + 16];

    ck_assert_uint_eq(hs_schedule_entry_count(s), hs_schedule_entry_count(t));
    ck_assert(hs_schedule_makespan(s) == hs_schedule_makespan(t));
    for (unsigned w = 0; w < workers; w++) {
        size_t          m, n;
        const hs_entry *e = hs_schedule_entries(s, w, &m), *f = hs_schedule_entries(t, w, &n);

        ck_assert_uint_eq(m, n);
        for (size_t i = 0; i < m; i++) {
            ck_assert(e[i].start == f[i].start && e[i].end == f[i].end);
            ck_assert_uint_eq(e[i].state, f[i].state);
            hs_instance_name(a, e[i].task, x, sizeof x);
            hs_instance_name(b, f[i].task, y, sizeof y);
            ck_assert_str_eq(x, y);
        }
    }
}

static void same_info(const hs_plan_info *a, const hs_plan_info *b)
{
    ck_assert_str_eq(a->algorithm, b->algorithm);
    ck_assert_int_eq(a->has_seed, b->has_seed);
    ck_assert(!a->has_seed || a->seed == b->seed);
    ck_assert_uint_eq(a->bound_count, b->bound_count);
    for (unsigned i = 0; i < a->bound_count; i++) {
        ck_assert_str_eq(a->bounds[i].name, b->bounds[i].name);
        ck_assert(a->bounds[i].value == b->bounds[i].value);
    }
}

static void random_info(hs_plan_info *info)
{
    hs_plan_info_init(info);
    if (below(3))
        strcpy(info->algorithm, below(2) ? "heteroprio" : "an odd, \"quoted\" name é");
    info->has_seed = (int)below(2);
    info->seed = hsi_random_next(&source);
    info->bound_count = below(17);
    for (unsigned i = 0; i < info->bound_count; i++) {
        sprintf(info->bounds[i].name, "bound-%u", i);
        info->bounds[i].value = below(1000) / 3.0;
    }
}

static void plan_round_trip(int fd, const hs_instance *in, const hs_schedule *s,
                            const hs_plan_info *info, bool again)
{
    hs_instance *back = NULL;
    hs_schedule *t = NULL;
    hs_plan_info read;
    hs_error     error = {0};
    hs_status    st;

    set_text(fd, "", 0);
    ck_assert_int_eq(hs_plan_write(fd, in, s, info, NULL), HS_OK);
    lseek(fd, 0, SEEK_SET);
    hs_plan_info_init(&read);
    st = hs_plan_read(fd, NULL, &back, &t, &read, &error);
    ck_assert_msg(st == HS_OK, "%d:%d: %s", (int)error.line, (int)error.column, error.why);
    assert_same_header(in, back);
    same_schedule(in, s, back, t);
    same_info(info, &read);
    ck_assert(read.makespan == hs_schedule_makespan(s));
    ck_assert(read.has_digest && read.digest == hs_instance_digest(in));
    ck_assert(read.has_plan_digest && read.plan_digest == hs_plan_digest(in, s, info));
    ck_assert_uint_eq(hs_plan_digest(back, t, &read), read.plan_digest);
    ck_assert_uint_eq(hs_instance_digest(back), hs_instance_digest(in));
    if (again)
        plan_round_trip(fd, back, t, &read, false);
    hs_instance_free(back);
    hs_schedule_free(t);
}

START_TEST(plans_survive_writing_and_reading)
{
    int fd = scratch_fd();

    hsi_random_seed(&source, 3, (uint64_t)_i);
    for (int i = 0; i < rounds(400); i++) {
        hs_instance *in = random_instance(i % 50 ? 20 : 400);
        hs_schedule *s = random_overlapping_schedule(in);
        hs_plan_info info;

        random_info(&info);
        plan_round_trip(fd, in, s, &info, true);
        hs_instance_free(in);
        hs_schedule_free(s);
    }
    close(fd);
}
END_TEST

/* The name of a copy, an id with a number, may be longer than any id. */
START_TEST(longest_names_survive_in_plans)
{
    char         id[HS_MAX_ID + 1];
    hs_task      task = {.struct_size = sizeof task, .id = id, .cpu = 1, .gpu = 1, .count = 12};
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_schedule *s;
    hs_plan_info info;
    int          fd = scratch_fd();

    memset(id, 'x', HS_MAX_ID);
    id[HS_MAX_ID] = '\0';
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hsi_random_seed(&source, 4, 0);
    s = random_overlapping_schedule(in);
    hs_plan_info_init(&info);
    plan_round_trip(fd, in, s, &info, true);
    hs_schedule_free(s);
    hs_instance_free(in);
    hs_builder_free(b);
    close(fd);
}
END_TEST

START_TEST(dot_shows_the_graph)
{
    static const char expected[] =
        "digraph tasks {\n  node [shape=box];\n"
        "  graph [cpus=1, gpus=1, unit=s, data=\"x:0\"];\n"
        "  n0 [label=\"a\\n1 / 2\", id=\"a\", cpu=\"1\", gpu=\"2\", data=\"x:rw\"];\n"
        "  n1 [label=\"b\\\"q#1\\n1 / 2\", id=\"b\\\"q#1\", cpu=\"1\", gpu=\"2\", data=\"x:r\"];\n"
        "  n2 [label=\"b\\\"q#2\\n1 / 2\", id=\"b\\\"q#2\", cpu=\"1\", gpu=\"2\", data=\"x:r\"];\n"
        "  n3 [label=\"c\\n1 / inf\", id=\"c\", cpu=\"1\", gpu=\"inf\", data=\"x:w\"];\n"
        "  n4 [shape=point];\n"
        "  n0 -> n1 [label=\"x\"];\n"
        "  n4 -> n1;\n"
        "  n0 -> n2 [label=\"x\"];\n"
        "  n4 -> n2;\n"
        "  n0 -> n3 [style=dashed, class=data];\n"
        "  n1 -> n3;\n"
        "  n2 -> n3 [style=dashed, class=data];\n"
        "  n0 -> n4 [label=\"8 bytes\", bytes=\"8\"];\n"
        "}\n";
    hs_instance *in = read_text("# cpus 1\n# gpus 1\nid,cpu,gpu,count,after,data\n"
                                "a,1,2,1,,x:rw\n\"b\"\"q\",1,2,2,a:8,x:r\n"
                                "c,1,inf,1,\"b\"\"q#1\",x:w\n");
    int          fd = scratch_fd();
    char        *text;

    ck_assert_int_eq(hs_dot_write(fd, in), HS_OK);
    text = get_text(fd, NULL);
    ck_assert_str_eq(text, expected);
    free(text);
    hs_instance_free(in);
    close(fd);
}
END_TEST

/* Edit distances between a given and a correct name; -1: the names are not near. */
static const struct {
    const char *given, *name;
    int         distance;
} near[] = {
    {"cpu", "cpu", 0},
    {" CPU\t", "cpu", 0},
    {"cpu_comand", "cpu_command", 1},
    {"gpu", "cpu", 1},
    {"pcu", "cpu", 1},
    {"kernle", "kernel", 1},
    {"krnle", "kernel", 2},
    {"knrle", "kernel", -1},
    {"nrlek", "kernel", -1},
    {"heterpro", "heteroprio", 2},
    {"het", "heteroprio", 1},
    {"he", "heteroprio", -1},
    {"heteroprio", "het", -1},
    {"", "cpu", -1},
    {"   ", "cpu", -1},
    {"a", "b", -1},
    {"id", "if", -1},
    {"aab", "aba", 1},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaa", -1},
};

START_TEST(nearest_name_is_suggested)
{
    unsigned expected = near[_i].distance < 0 ? HS_NOT_NEAR : (unsigned)near[_i].distance;

    ck_assert_uint_eq(hs_name_distance(near[_i].given, strlen(near[_i].given), near[_i].name),
                      expected);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("io");
    TCase *trips = tcase_create("round trips");

    tcase_set_timeout(trips, 300);
    tcase_add_loop_test(trips, instances_survive_writing_and_reading, 0, 3);
    tcase_add_test(trips, large_instances_survive_writing_and_reading);
    tcase_add_test(trips, large_graphs_survive_writing_and_reading);
    tcase_add_test(trips, names_with_separators_survive);
    tcase_add_test(trips, rows_longer_than_the_block_survive);
    tcase_add_loop_test(trips, plans_survive_writing_and_reading, 0, 3);
    tcase_add_test(trips, longest_names_survive_in_plans);
    tcase_add_loop_test(trips, nearest_name_is_suggested, 0, (int)(sizeof near / sizeof *near));
    tcase_add_test(trips, dot_shows_the_graph);
    suite_add_tcase(suite, trips);
    return run_suite(suite);
}
