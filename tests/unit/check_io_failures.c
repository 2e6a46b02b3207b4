/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Test that readers and writers report failing descriptors and invalid arguments, and that writers
 * refuse instances and plans that a reader would misread.
 */

#include "io_fixture.h"
#include "suite.h"

#include <errno.h>

START_TEST(failing_reads_are_reported)
{
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    hs_error     error;
    int          folder = open("/", O_RDONLY);

    memset(&error, 0x55, sizeof error);
    errno = 0;
    ck_assert_int_eq(hs_commands_read(-1, NULL, &in, &error), HS_EIO);
    ck_assert_int_eq(hs_instance_read(-1, NULL, &in, &error), HS_EIO);
    ck_assert_int_eq(errno, EBADF);
    ck_assert_uint_eq(error.line, 0);
    ck_assert_str_eq(error.why, hs_status_text(HS_EIO));
    ck_assert_int_eq(hs_plan_read(folder, NULL, &in, &s, NULL, &error), HS_EIO);
    ck_assert_int_eq(errno, EISDIR);
    ck_assert_ptr_null(in);
    ck_assert_ptr_null(s);
    close(folder);
}
END_TEST

START_TEST(failing_writes_are_reported)
{
    hs_instance *in = read_text("# cpus 1\n# gpus 0\ncpu,gpu\n1,1\n");
    hs_schedule *s;
    int          full = open("/dev/full", O_WRONLY);

    hsi_random_seed(&source, 7, 0);
    s = random_overlapping_schedule(in);
    errno = 0;
    ck_assert_int_eq(hs_instance_write(-1, in, NULL), HS_EIO);
    ck_assert_int_eq(errno, EBADF);
    if (full >= 0) {
        ck_assert_int_eq(hs_instance_write(full, in, NULL), HS_EIO);
        ck_assert_int_eq(errno, ENOSPC);
        errno = 0;
        ck_assert_int_eq(hs_plan_write(full, in, s, NULL, NULL), HS_EIO);
        ck_assert_int_eq(errno, ENOSPC);
        close(full);
    }
    hs_instance_free(in);
    hs_schedule_free(s);
}
END_TEST

START_TEST(arguments_are_checked)
{
    hs_instance *in = read_text("# cpus 1\n# gpus 1\ncpu,gpu\n1,1\n"), *other = NULL;
    hs_affinity *affinities = NULL;
    /* a placement of task 1 of an instance with one task */
    hs_placement beyond = {0, 1, 1, 0, HS_RUN};
    hs_schedule *s = NULL;
    size_t       count;

    ck_assert_int_eq(hs_instance_read(0, NULL, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_commands_read(0, NULL, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_instance_write(1, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_plan_read(0, NULL, &in, NULL, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_plan_write(1, in, NULL, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_affinities_read(0, NULL, &affinities, &count, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(1, 1, 1, &beyond, &s), HS_OK);
    ck_assert_int_eq(hs_plan_write(1, in, s, NULL, NULL), HS_EINVAL);
    hs_schedule_free(s);
    ck_assert_int_eq(hs_schedule_build(2, 1, 0, NULL, &s), HS_OK);
    ck_assert_int_eq(hs_plan_write(1, in, s, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_instance_with_workers(in, 2, 1, &other), HS_OK);
    hs_schedule_free(s);
    hs_instance_free(in);
    hs_instance_free(other);
}
END_TEST

/* Refuse to write an instance that a reader would refuse or misread, without writing a byte. */
START_TEST(unreadable_instances_are_not_written)
{
    static const struct {
        const char *key, *value, *id, *command;
        double      gpu; /* GPU time; 0: none */
    } bad[] = {
        {"cpus", "3", "a", NULL, 0},
        {"unit", "s", "a", NULL, 0},
        {"two words", "x", "a", NULL, 0},
        {"key", "x\ny", "a", NULL, 0},
        {"key", "x\ry", "a", NULL, 0},
        {"a\n", "x", "a", NULL, 0},
        {"key", "\xff", "a", NULL, 0},
        {"hybridsched", "", "a", NULL, 0},
        {"key", "x", "\xff", NULL, 0},
        {"key", "x", "a", "\xc3", 0},
        {"key", "x", "\xed\xa0\x80", NULL, 0},
        {"key", "x", "a", "true", 1}, /* a GPU time without a GPU command */
    };
    int fd = scratch_fd();

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hs_task      task = {.struct_size = sizeof task,
                             .id = bad[i].id,
                             .cpu = 1,
                             .gpu = bad[i].gpu ? bad[i].gpu : INFINITY,
                             .cpu_command = bad[i].command};
        hs_builder  *b = NULL;
        hs_instance *in = NULL;

        ck_assert_int_eq(hs_builder_create(&b), HS_OK);
        ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
        if (hs_builder_add_note(b, bad[i].key, bad[i].value) == HS_OK) {
            ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
            ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
            ck_assert_msg(hs_instance_write(fd, in, NULL) == HS_EINVAL, "case %zu", i);
        }
        hs_instance_free(in);
        hs_builder_free(b);
    }
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), 0);
    close(fd);
}
END_TEST

START_TEST(invalid_plan_infos_are_not_written)
{
    hs_instance *in = read_text("# cpus 1\n# gpus 0\ncpu,gpu\n1,1\n");
    hs_schedule *s;
    hs_plan_info info;
    int          fd = scratch_fd();

    hsi_random_seed(&source, 8, 0);
    s = random_overlapping_schedule(in);
    for (int i = 0; i < 7; i++) {
        hs_plan_info_init(&info);
        info.bound_count = 1;
        strcpy(info.bounds[0].name, "b");
        if (i == 0)
            strcpy(info.algorithm, "two\nlines");
        else if (i == 1)
            memset(info.algorithm, 'x', sizeof info.algorithm);
        else if (i == 2)
            info.bound_count = 17;
        else if (i == 3)
            strcpy(info.bounds[0].name, "two words");
        else if (i == 4)
            info.bounds[0].name[0] = '\0';
        else if (i == 5)
            info.bounds[0].value = NAN;
        else
            info.struct_size = 1;
        ck_assert_int_eq(hs_plan_write(fd, in, s, &info, NULL), HS_EINVAL);
    }
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), 0);
    hs_instance_free(in);
    hs_schedule_free(s);
    close(fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("failures of io");
    TCase *failures = tcase_create("failures");

    tcase_add_test(failures, failing_reads_are_reported);
    tcase_add_test(failures, failing_writes_are_reported);
    tcase_add_test(failures, arguments_are_checked);
    tcase_add_test(failures, unreadable_instances_are_not_written);
    tcase_add_test(failures, invalid_plan_infos_are_not_written);
    suite_add_tcase(suite, failures);
    return run_suite(suite);
}
