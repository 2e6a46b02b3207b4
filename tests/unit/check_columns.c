/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The columns of the task table. Each test runs once per column of hs_column_at(), new columns
 * included: builders, digests, files, plans and the checker handle a value in this column alone.
 */

#include "io_fixture.h"
#include "suite.h"

#include "check/difference.h"

static const hs_column *column; /* column under test */
static hs_task          plain;  /* task with a plain value in the column */
static hs_task          other;  /* task that differs from `plain` in this column alone */
static char             in_plain[64], in_other[64]; /* texts of the values of `plain` and `other`
                                                       in files */

static void set_field(hs_task *task, const void *value, size_t size)
{
    memcpy((char *)task + column->offset, value, size);
}

static const void *field_of(const hs_task *task)
{
    return (const char *)task + column->offset;
}

static void set_number(hs_task *task, int64_t integer)
{
    uint32_t number = (uint32_t)integer;

    if (column->type == HS_COLUMN_INTEGER)
        set_field(task, &integer, sizeof integer);
    else
        set_field(task, &number, sizeof number);
}

/* Set two different values of the column in `plain` and `other`, and their texts. `plain` gets the
 * default unless rows need a value. */
static void choose_values(void)
{
    static const char *const text = "say \"b\", c", *const empty = "";
    double three = 3;

    switch (column->type) {
    case HS_COLUMN_TIME:
        strcpy(in_plain, isinf(*(const double *)field_of(&plain)) ? "inf" : "2");
        set_field(&other, &three, sizeof three);
        strcpy(in_other, "3");
        break;
    case HS_COLUMN_NUMBER:
        strcpy(in_plain, "0");
        set_field(&other, &three, sizeof three);
        strcpy(in_other, "3");
        break;
    case HS_COLUMN_INTEGER:
    case HS_COLUMN_COUNT:
        set_number(&plain, column->type == HS_COLUMN_COUNT);
        set_number(&other, column->type == HS_COLUMN_COUNT ? 3 : INT64_MIN);
        strcpy(in_plain, column->type == HS_COLUMN_COUNT ? "1" : "0");
        strcpy(in_other, column->type == HS_COLUMN_COUNT ? "3" : "-9223372036854775808");
        break;
    case HS_COLUMN_WORD:
        set_number(&plain, 0);
        set_number(&other, 1);
        strcpy(in_plain, column->words[0]);
        strcpy(in_other, column->words[1]);
        break;
    case HS_COLUMN_TEXT:
        set_field(&plain, &empty, sizeof empty);
        set_field(&other, &text, sizeof text);
        strcpy(in_other, "\"say \"\"b\"\", c\"");
        *in_plain = '\0';
        break;
    case HS_COLUMN_LIST:
        break;
    }
}

static bool is_column(const char *name)
{
    return strcmp(column->name, name) == 0;
}

static bool makes_names(void)
{
    return is_column("id") || is_column("count");
}

/* Prepare the test of a column. Return false for a list, which has no field in hs_task: check_graph
 * and the reader's cases test lists. */
static bool prepare_column(int index)
{
    column = hs_column_at((size_t)index);
    ck_assert_ptr_nonnull(column);
    if (column->type == HS_COLUMN_LIST)
        return false;
    hs_task_init(&plain);
    plain.cpu = is_column("gpu_command") ? INFINITY : 2;
    plain.gpu = is_column("cpu_command") ? INFINITY : 2;
    other = plain;
    choose_values();
    return true;
}

/* Return true if two tasks have equal values in a column of any type. */
static bool have_equal_values(const hs_column *in, const hs_task *a, const hs_task *b)
{
    const void *x = (const char *)a + in->offset, *y = (const char *)b + in->offset;
    const char *s, *t;

    if (in->type == HS_COLUMN_LIST)
        return true;
    if (in->type != HS_COLUMN_TEXT)
        return memcmp(x, y, in->type <= HS_COLUMN_INTEGER ? 8 : 4) == 0;
    memcpy(&s, x, sizeof s);
    memcpy(&t, y, sizeof t);
    return strcmp(s ? s : "", t ? t : "") == 0;
}

/* Check that a row of the instance equals the task in every column. */
static void assert_row(const hs_instance *in, size_t row, const hs_task *task)
{
    const hs_column *each;
    hs_task          found;

    memset(&found, 0x55, sizeof found);
    hs_instance_row(in, row, &found);
    ck_assert_uint_eq(found.struct_size, sizeof found);
    for (size_t i = 0; (each = hs_column_at(i)); i++)
        ck_assert_msg(have_equal_values(each, &found, task), "row %zu: %s, with %s alone", row,
                      each->name, column->name);
}

/* Return an instance with a row per letter: p for `plain`, o for `other`. */
static hs_instance *make_instance(const char *rows)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    for (; *rows; rows++)
        ck_assert_int_eq(hs_builder_add_row(b, *rows == 'p' ? &plain : &other), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static void assert_rows(const hs_instance *in, const char *rows)
{
    ck_assert_uint_eq(hs_instance_rows(in), strlen(rows));
    for (size_t row = 0; rows[row]; row++)
        assert_row(in, row, rows[row] == 'p' ? &plain : &other);
}

/* A builder keeps the column even if its first value comes late, and if the builder grows after
 * this value. */
START_TEST(builder_keeps_each_column)
{
    static const char *const kinds[] = {"o", "po", "op", "ppppop"};
    char                     many[201];
    hs_instance             *in;

    if (!prepare_column(_i))
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        in = make_instance(kinds[i]);
        assert_rows(in, kinds[i]);
        hs_instance_free(in);
    }
    memset(many, 'p', sizeof many);
    many[100] = is_column("id") ? 'p' : 'o';
    many[150] = 'o';
    many[200] = '\0';
    in = make_instance(many);
    assert_rows(in, many);
    hs_instance_free(in);
}
END_TEST

START_TEST(digest_depends_on_each_column)
{
    hs_instance *a, *b;

    if (!prepare_column(_i))
        return;
    a = make_instance("p");
    b = make_instance("o");
    if (is_column("guess")) /* a mark of guesses changes no time, so it is not in the digest */
        ck_assert_uint_eq(hs_instance_digest(a), hs_instance_digest(b));
    else
        ck_assert(hs_instance_digest(a) != hs_instance_digest(b));
    hs_instance_free(a);
    hs_instance_free(b);
}
END_TEST

START_TEST(instance_file_keeps_each_column)
{
    hs_instance *in, *back;
    char        *text, name[80];
    int          fd = scratch_fd(), required;

    if (!prepare_column(_i))
        return;
    required = is_column("cpu") || is_column("gpu");
    in = make_instance("po");
    ck_assert_int_eq(hs_instance_write(fd, in, NULL), HS_OK);
    text = get_text(fd, NULL);
    snprintf(name, sizeof name,
             required          ? "%s"
             : is_column("id") ? "\n%s,cpu,gpu\n"
                               : ",%s\n",
             column->name);
    ck_assert_msg(strstr(text, name) != NULL, "no %s in %s", name, text);
    ck_assert_msg(strstr(text, in_other) != NULL, "no %s in %s", in_other, text);
    back = read_valid_instance(fd);
    assert_rows(back, "po");
    ck_assert_uint_eq(hs_instance_digest(in), hs_instance_digest(back));
    hs_instance_free(in);
    hs_instance_free(back);
    free(text);

    /* The writer omits a column with default values only. */
    in = make_instance("p");
    set_text(fd, "", 0);
    ck_assert_int_eq(hs_instance_write(fd, in, NULL), HS_OK);
    text = get_text(fd, NULL);
    ck_assert_ptr_nonnull(strstr(text, "\ncpu,gpu\n"));
    hs_instance_free(in);
    free(text);
    close(fd);
}
END_TEST

static hs_instance *write_and_read_plan(const hs_instance *in)
{
    hs_instance *back = NULL;
    hs_schedule *s = random_overlapping_schedule(in), *t = NULL;
    int          fd = scratch_fd();

    ck_assert_int_eq(hs_plan_write(fd, in, s, NULL, NULL), HS_OK);
    lseek(fd, 0, SEEK_SET);
    ck_assert_int_eq(hs_plan_read(fd, NULL, &back, &t, NULL, NULL), HS_OK);
    hs_schedule_free(s);
    hs_schedule_free(t);
    close(fd);
    return back;
}

START_TEST(plan_file_keeps_each_column)
{
    hs_instance *in, *back;

    if (!prepare_column(_i))
        return;
    hsi_random_seed(&source, 3, 0);
    in = make_instance("o");
    back = write_and_read_plan(in);
    ck_assert_uint_eq(hs_instance_digest(in), hs_instance_digest(back));
    if (!makes_names()) {
        hs_task named = other;

        named.id = "t0";
        assert_row(back, 0, &named);
    }
    hs_instance_free(in);
    hs_instance_free(back);
}
END_TEST

/* Read a plan with two rows of one task, with the texts `first` and `second` in the column. Return
 * the reader's status. */
static hs_status read_two(const char *first, const char *second, hs_error *error)
{
    const char  *is_time = column->type == HS_COLUMN_TIME ? column->name : "";
    const char  *cpu = is_column("gpu_command") ? ",inf" : ",2";
    const char  *gpu = is_column("cpu_command") ? ",inf" : ",2";
    const char  *values[2] = {first, second};
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    char         text[1000];
    int          fd = scratch_fd(), at;
    hs_status    st;

    at = sprintf(text, "# cpus 1\n# gpus 1\nid,worker,start,end,state%s%s,%s\n",
                 strcmp(is_time, "cpu") ? ",cpu" : "", strcmp(is_time, "gpu") ? ",gpu" : "",
                 column->name);
    for (int i = 0; i < 2; i++)
        at += sprintf(text + at, "a,%s,0,1,%s%s%s,%s\n", i ? "gpu0" : "cpu0", i ? "run" : "aborted",
                      strcmp(is_time, "cpu") ? cpu : "", strcmp(is_time, "gpu") ? gpu : "",
                      values[i]);
    set_text(fd, text, (size_t)at);
    st = hs_plan_read(fd, NULL, &in, &s, NULL, error);
    hs_instance_free(in);
    hs_schedule_free(s);
    close(fd);
    return st;
}

START_TEST(plan_rows_of_a_task_must_agree)
{
    hs_error error = {0};
    char     expected[100];

    if (!prepare_column(_i))
        return;
    if (makes_names())
        return;
    ck_assert_int_eq(read_two(in_other, in_other, &error), HS_OK);
    ck_assert_int_eq(read_two(in_plain, in_other, &error), HS_ESYNTAX);
    ck_assert_uint_eq(error.line, 5);
    snprintf(expected, sizeof expected, "%s of task 'a' is not the same as on line 4",
             column->name);
    ck_assert_msg(strncmp(error.why, expected, strlen(expected)) == 0, "%s", error.why);
    ck_assert_int_eq(read_two(in_other, in_plain, &error), HS_ESYNTAX);
}
END_TEST

START_TEST(checker_reports_each_column)
{
    hs_instance *a, *b;
    char         text[DIFFERENCE_SIZE], expected[100];

    if (!prepare_column(_i))
        return;
    a = make_instance("p");
    b = make_instance("o");
    ck_assert_int_eq(find_difference(a, a, text), HS_OK);
    ck_assert_str_eq(text, "");
    ck_assert_int_eq(find_difference(b, b, text), HS_OK);
    ck_assert_str_eq(text, "");
    ck_assert_int_eq(find_difference(a, b, text), HS_OK);
    snprintf(expected, sizeof expected, makes_names() ? "task t0 is not in" : "task t0: %s is ",
             column->name);
    ck_assert_msg(strncmp(text, expected, strlen(expected)) == 0, "%s", text);
    hs_instance_free(a);
    hs_instance_free(b);
}
END_TEST

/* A caller with an older hs_task, ending before the column, leaves the column at its default;
 * memory behind the older struct stays untouched. */
START_TEST(older_struct_leaves_columns_at_defaults)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_task      older, found;

    if (!prepare_column(_i))
        return;
    if (is_column("id") || is_column("cpu") || is_column("gpu"))
        return; /* the oldest columns */
    older = other;
    older.struct_size = column->offset;
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &older), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    assert_row(in, 0, &plain);
    memset(&found, 0x55, sizeof found);
    hs_instance_row_sized(in, 0, &found, column->offset);
    ck_assert_uint_eq(found.struct_size, column->offset);
    ck_assert_uint_eq(*(const unsigned char *)field_of(&found), 0x55);
    hs_task_init_sized(&found, column->offset);
    ck_assert_uint_eq(*(const unsigned char *)field_of(&found), 0x55);
    hs_instance_free(in);
    hs_builder_free(b);
}
END_TEST

START_TEST(uninitialised_tasks_are_refused)
{
    hs_builder *b = NULL;
    hs_task     task;

    memset(&task, 0, sizeof task);
    task.cpu = task.gpu = 1;
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_EINVAL);
    hs_task_init(&task);
    ck_assert(isinf(task.cpu) && isinf(task.gpu));
    ck_assert(task.count == 1 && !task.id && !task.priority);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    hs_builder_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("columns");
    TCase *each = tcase_create("each alone"), *all = tcase_create("all");
    int    count = 0;

    while (hs_column_at((size_t)count))
        count++;
    tcase_add_loop_test(each, builder_keeps_each_column, 0, count);
    tcase_add_loop_test(each, digest_depends_on_each_column, 0, count);
    tcase_add_loop_test(each, instance_file_keeps_each_column, 0, count);
    tcase_add_loop_test(each, plan_file_keeps_each_column, 0, count);
    tcase_add_loop_test(each, plan_rows_of_a_task_must_agree, 0, count);
    tcase_add_loop_test(each, checker_reports_each_column, 0, count);
    tcase_add_loop_test(each, older_struct_leaves_columns_at_defaults, 0, count);
    suite_add_tcase(suite, each);
    tcase_add_test(all, uninitialised_tasks_are_refused);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
