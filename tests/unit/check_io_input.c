/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Test that the kind of input (file, pipe, offset, quotes, locale) and older callers do not change
 * what a reader returns.
 */

#include "io_fixture.h"
#include "io_same.h"
#include "suite.h"

#include <errno.h>
#include <locale.h>
#include <sys/wait.h>

/*
 * Start a process that writes the text in pieces of up to `most` bytes to a pipe. Return the read
 * end of the pipe.
 */
static int feed(const char *text, size_t length, unsigned most, pid_t *child)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    *child = fork();
    ck_assert_int_ge(*child, 0);
    if (*child == 0) {
        close(ends[0]);
        for (size_t done = 0; done < length;) {
            size_t piece = 1 + below(most);

            if (piece > length - done)
                piece = length - done;
            if (write(ends[1], text + done, piece) < 0)
                _exit(1);
            done += piece;
        }
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

START_TEST(pipes_are_read_in_pieces_of_any_size)
{
    int fd = scratch_fd();

    hsi_random_seed(&source, 5, 0);
    for (int i = 0; i < 12; i++) {
        hs_instance *in = random_instance(i < 10 ? 30 : 8000), *back;
        size_t       length;
        char        *text;
        pid_t        child;
        int          end, status;

        set_text(fd, "", 0);
        ck_assert_int_eq(hs_instance_write(fd, in, NULL), HS_OK);
        text = get_text(fd, &length);
        end = feed(text, length, i < 10 ? 3 : 5000, &child);
        back = read_valid_instance(end);
        assert_same_instance(in, back);
        close(end);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
        hs_instance_free(back);
        hs_instance_free(in);
        free(text);
    }
    close(fd);
}
END_TEST

/*
 * Report the same of two faults far from each other for a pipe, whose length is unknown, and for a
 * file.
 */
START_TEST(faults_in_pipes_are_reported_in_the_same_order)
{
    static const char head[] = "# cpus 1\n# gpus 1\ncpu,gpu,data\n1,2,no-mode\n",
                      row[] = "1,2,a:r\n";
    enum { ROWS = 1500, MOST = sizeof head + (ROWS + 2) * sizeof row };
    char         text[MOST] = "";
    size_t       length = sizeof head - 1;
    hs_error     of_file, of_pipe;
    hs_instance *in;
    pid_t        child;
    int          fd = scratch_fd(), end, status;

    hsi_random_seed(&source, 6, 0);
    memcpy(text, head, length);
    for (int i = 0; i < ROWS; i++, length += sizeof row - 1)
        memcpy(text + length, row, sizeof row - 1);
    length += (size_t)snprintf(text + length, MOST - length, "bad,2,a:r\n");
    set_text(fd, text, length);
    ck_assert_int_eq(hs_instance_read(fd, NULL, &in, &of_file), HS_ESYNTAX);
    end = feed(text, length, 5000, &child);
    ck_assert_int_eq(hs_instance_read(end, NULL, &in, &of_pipe), HS_ESYNTAX);
    close(end);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_uint_eq(of_file.line, 4);
    ck_assert_uint_eq(of_pipe.line, 4);
    ck_assert_str_eq(of_file.why, of_pipe.why);
    close(fd);
}
END_TEST

/* In so many rows every byte of a row is once the last byte of the text in memory. */
START_TEST(record_does_not_end_at_the_end_of_the_window)
{
    enum { ROWS = 25000 }; /* more rows than fit into the reader's window */
    static const char row[] = "1,,\"a\"\"b\"\r\n";
    size_t            length = sizeof row - 1, begin, i, shift;
    char             *text = malloc(200 + ROWS * length);
    int               fd = scratch_fd();
    hs_task           task;

    for (shift = 0; shift < length; shift++) {
        hs_instance *in;

        begin = (size_t)sprintf(text, "# note %.*s\n# cpus 1\n# gpus 0\ncpu,gpu,cpu_command\n",
                                (int)shift, "xxxxxxxxxxxxxxxxxxxxxxxx");
        for (i = 0; i < ROWS; i++)
            memcpy(text + begin + i * length, row, length);
        set_text(fd, text, begin + ROWS * length);
        in = read_valid_instance(fd);
        ck_assert_uint_eq(hs_instance_rows(in), ROWS);
        for (i = 0; i < ROWS; i++) {
            hs_task_init(&task);
            hs_instance_row(in, i, &task);
            ck_assert_str_eq(task.cpu_command, "a\"b");
        }
        hs_instance_free(in);
    }
    free(text);
    close(fd);
}
END_TEST

/* Read from the position of the descriptor, not from the begin of the file. */
START_TEST(reading_starts_at_the_offset_of_the_descriptor)
{
    const char  *text = "leave me\n# cpus 1\n# gpus 0\ncpu,gpu\n3,\n";
    int          fd = scratch_fd();
    hs_instance *in;

    set_text(fd, text, strlen(text));
    lseek(fd, 9, SEEK_SET);
    in = read_valid_instance(fd);
    ck_assert_uint_eq(hs_instance_rows(in), 1);
    hs_instance_free(in);
    close(fd);
}
END_TEST

/* Read equal rows with and without quotes; quotes force the slower path of the reader. */
START_TEST(quotes_do_not_change_the_result)
{
    hs_instance *a = read_text("# cpus 1\n# gpus 1\n"
                               "id,cpu,gpu,priority,kernel,count,restartable\n"
                               "a,1.5,2,-9,k,1,\nb,3,0.1,12,,20,\n\xc3\xa9,1e-3,7,0,x y,1,\n");
    hs_instance *b = read_text("# cpus 1\n# gpus 1\n"
                               "\"id\",cpu,gpu,priority,kernel,count,restartable\n"
                               "a,1.5,2,\"-9\",k,1,\nb,\"3\",0.1,12,\"\",20,\n"
                               "\xc3\xa9,1e-3,7,0,\"x y\",1,\"\"\n");

    assert_same_instance(a, b);
    hs_instance_free(a);
    hs_instance_free(b);
}
END_TEST

/*
 * Read and write under a locale with a decimal comma; skip the test if the locale is not installed.
 */
START_TEST(locale_does_not_change_the_result)
{
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    hs_instance             *in;
    hs_task                  task;
    int                      fd = scratch_fd();

    for (size_t i = 0; i < sizeof commas / sizeof *commas; i++)
        if (setlocale(LC_ALL, commas[i]))
            break;
    in = read_text("# cpus 1\n# gpus 1\ncpu,gpu\n1.5,2.25\n");
    hs_instance_row(in, 0, &task);
    ck_assert(task.cpu == 1.5 && task.gpu == 2.25);
    instance_round_trip(fd, in);
    hs_instance_free(in);
    close(fd);
    setlocale(LC_ALL, "C");
}
END_TEST

static int example_fd(const char *name)
{
    const char *srcdir = getenv("srcdir");
    char        path[512];
    int         fd;

    snprintf(path, sizeof path, "%s/data/%s", srcdir ? srcdir : ".", name);
    fd = open(path, O_RDONLY);
    ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
    return fd;
}

START_TEST(examples_are_accepted)
{
    static const struct {
        const char *name;
        size_t      rows, tasks;
    } examples[] = {{"tiles.csv", 11, 11}, {"render.csv", 5, 5}, {"copies.csv", 4, 100000}};

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        int          fd = example_fd(examples[i].name), copy = scratch_fd();
        hs_instance *in = read_valid_instance(fd);

        ck_assert_uint_eq(hs_instance_rows(in), examples[i].rows);
        ck_assert_uint_eq(hs_instance_tasks(in), examples[i].tasks);
        instance_round_trip(copy, in);
        hs_instance_free(in);
        close(copy);
        close(fd);
    }
}
END_TEST

START_TEST(example_affinities_are_accepted)
{
    int          fd = example_fd("tiles.csv"), affinity_fd = example_fd("tiles-affinities.csv");
    hs_instance *in = read_valid_instance(fd);
    hs_affinity *affinities = NULL;
    size_t       count = 0;
    hs_error     error = {0};
    hs_status    st = hs_affinities_read(affinity_fd, in, &affinities, &count, &error);

    ck_assert_msg(st == HS_OK, "%d:%d: %s", (int)error.line, (int)error.column, error.why);
    ck_assert_uint_eq(count, 6);
    ck_assert_uint_eq(affinities[5].worker, 0);
    ck_assert_uint_eq(affinities[2].worker, 11);
    free(affinities);
    hs_instance_free(in);
    close(affinity_fd);
    close(fd);
}
END_TEST

START_TEST(settings_of_an_older_caller_are_read)
{
    hs_read_settings options;
    hs_instance     *in = NULL;
    int              fd = scratch_fd();
    const char      *text = "# cpus 1\n# gpus 1\ncpu,gpu,x\n1,1,1\n";

    hs_read_settings_init(&options);
    options.ignore_unknown = 1;
    /* members beyond the size of the older struct: not read */
    options.has_cpus = options.has_gpus = 1;
    options.struct_size = offsetof(hs_read_settings, has_cpus);
    set_text(fd, text, strlen(text));
    ck_assert_int_eq(hs_instance_read(fd, &options, &in, NULL), HS_OK);
    ck_assert_uint_eq(hs_instance_cpus(in), 1);
    hs_instance_free(in);
    options.struct_size = 0;
    ck_assert_int_eq(hs_instance_read(fd, &options, &in, NULL), HS_EINVAL);
    close(fd);
}
END_TEST

START_TEST(plan_info_of_an_older_caller_is_read)
{
    hs_instance *in = read_text("# cpus 1\n# gpus 0\ncpu,gpu\n1,1\n"), *back = NULL;
    hs_schedule *s, *t = NULL;
    hs_plan_info info, read;
    int          fd = scratch_fd();

    hsi_random_seed(&source, 6, 0);
    s = random_overlapping_schedule(in);
    hs_plan_info_init(&info);
    strcpy(info.algorithm, "lpt");
    info.has_seed = 1;
    info.struct_size = offsetof(hs_plan_info, seed);
    ck_assert_int_eq(hs_plan_write(fd, in, s, &info, NULL), HS_OK);
    lseek(fd, 0, SEEK_SET);
    memset(&read, 0x55, sizeof read);
    hs_plan_info_init_sized(&read, offsetof(hs_plan_info, makespan));
    ck_assert_int_eq(hs_plan_read(fd, NULL, &back, &t, &read, NULL), HS_OK);
    ck_assert_str_eq(read.algorithm, "lpt");
    ck_assert_int_eq(read.has_seed, 0);
    ck_assert_uint_eq(read.digest, 0x5555555555555555u);
    ck_assert_uint_eq(read.struct_size, offsetof(hs_plan_info, makespan));
    hs_instance_free(in);
    hs_instance_free(back);
    hs_schedule_free(s);
    hs_schedule_free(t);
    close(fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ways into io");
    TCase *ways = tcase_create("ways in");

    tcase_set_timeout(ways, 300);
    tcase_add_test(ways, pipes_are_read_in_pieces_of_any_size);
    tcase_add_test(ways, faults_in_pipes_are_reported_in_the_same_order);
    tcase_add_test(ways, record_does_not_end_at_the_end_of_the_window);
    tcase_add_test(ways, reading_starts_at_the_offset_of_the_descriptor);
    tcase_add_test(ways, quotes_do_not_change_the_result);
    tcase_add_test(ways, locale_does_not_change_the_result);
    tcase_add_test(ways, settings_of_an_older_caller_are_read);
    tcase_add_test(ways, plan_info_of_an_older_caller_is_read);
    tcase_add_test(ways, examples_are_accepted);
    tcase_add_test(ways, example_affinities_are_accepted);
    suite_add_tcase(suite, ways);
    return run_suite(suite);
}
