/* SPDX-License-Identifier: BSD-3-Clause */

/* What is written is read back the same, however it comes in, and failures are reported. */

#include "io_fixture.h"

#include <errno.h>
#include <locale.h>
#include <sys/wait.h>

static void same_text(const char *a, const char *b)
{
    ck_assert_int_eq(!a, !b);
    if (a)
        ck_assert_str_eq(a, b);
}

static void same_rows(const hs_instance *a, const hs_instance *b)
{
    ck_assert_uint_eq(hs_instance_rows(a), hs_instance_rows(b));
    for (size_t row = 0; row < hs_instance_rows(a); row++) {
        hs_task x, y;

        hs_instance_row(a, row, &x);
        hs_instance_row(b, row, &y);
        ck_assert(x.cpu == y.cpu && x.gpu == y.gpu);
        ck_assert(x.priority == y.priority && x.count == y.count);
        ck_assert_int_eq(x.restartable, y.restartable);
        same_text(x.id, y.id);
        same_text(x.kernel, y.kernel);
        same_text(x.cpu_command, y.cpu_command);
        same_text(x.gpu_command, y.gpu_command);
    }
}

static void same_header(const hs_instance *a, const hs_instance *b)
{
    const char *value_a = NULL, *value_b = NULL, *key;
    size_t      i = 0;

    ck_assert_uint_eq(hs_instance_cpus(a), hs_instance_cpus(b));
    ck_assert_uint_eq(hs_instance_gpus(a), hs_instance_gpus(b));
    ck_assert_int_eq(hs_instance_unit(a), hs_instance_unit(b));
    for (; (key = hs_instance_note(a, i, &value_a)); i++) {
        same_text(key, hs_instance_note(b, i, &value_b));
        same_text(value_a, value_b);
    }
    ck_assert_ptr_null(hs_instance_note(b, i, &value_b));
}

static void same_instance(const hs_instance *a, const hs_instance *b)
{
    same_header(a, b);
    same_rows(a, b);
    ck_assert_uint_eq(hs_instance_digest(a), hs_instance_digest(b));
}

/* ---- round trips --------------------------------------------------------------- */

static void instance_round_trip(int fd, const hs_instance *in)
{
    hs_instance *back;
    char        *first, *second;

    set_text(fd, "", 0);
    ck_assert_int_eq(hs_instance_write(fd, in), HS_OK);
    first = get_text(fd, NULL);
    back = read_good(fd);
    same_instance(in, back);
    set_text(fd, "", 0);
    ck_assert_int_eq(hs_instance_write(fd, back), HS_OK);
    second = get_text(fd, NULL);
    ck_assert_str_eq(first, second);
    hs_instance_free(back);
    free(first);
    free(second);
}

START_TEST(instances_come_back_the_same)
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

/* Rows of all lengths across the reader's blocks. */
START_TEST(large_instances_come_back_the_same)
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

START_TEST(rows_longer_than_the_block_come_back_the_same)
{
    const size_t sizes[] = {262100, 262143, 262144, 262145, 600000, 3000000};
    int          fd = scratch_fd();

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char        *command = malloc(sizes[i] + 1);
        hs_task      task = {.cpu = 1, .gpu = 2, .cpu_command = command, .gpu_command = "\"x\""};
        hs_task      plain = {.cpu = 1, .gpu = 2, .kernel = "k"};
        hs_builder  *b = NULL;
        hs_instance *in = NULL;

        for (size_t c = 0; c < sizes[i]; c++)
            command[c] = "abc\"\n,\r \""[c % 9];
        command[sizes[i]] = '\0';
        ck_assert_int_eq(hs_builder_create(&b), HS_OK);
        ck_assert_int_eq(hs_builder_workers(b, 1, 1), HS_OK);
        for (int k = 0; k < 3; k++) {
            ck_assert_int_eq(hs_builder_add(b, &plain), HS_OK);
            ck_assert_int_eq(hs_builder_add(b, &task), HS_OK);
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

/* The same entries, tasks compared by name: their numbers differ. */
static void same_schedule(const hs_instance *a, const hs_schedule *s, const hs_instance *b,
                          const hs_schedule *t)
{
    unsigned workers = hs_schedule_cpus(s) + hs_schedule_gpus(s);
    char     x[HS_MAX_ID + 16], y[HS_MAX_ID + 16];

    ck_assert_uint_eq(hs_schedule_size(s), hs_schedule_size(t));
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
                            const hs_plan_info *info, int again)
{
    hs_instance  *back = NULL;
    hs_schedule  *t = NULL;
    hs_plan_info  read;
    hs_diagnostic why = {0};
    hs_status     st;

    set_text(fd, "", 0);
    ck_assert_int_eq(hs_plan_write(fd, in, s, info), HS_OK);
    lseek(fd, 0, SEEK_SET);
    hs_plan_info_init(&read);
    st = hs_plan_read(fd, NULL, &back, &t, &read, &why);
    ck_assert_msg(st == HS_OK, "%d:%d: %s", (int)why.line, (int)why.column, why.text);
    same_header(in, back);
    same_schedule(in, s, back, t);
    same_info(info, &read);
    ck_assert(read.makespan == hs_schedule_makespan(s));
    ck_assert(read.has_digest && read.digest == hs_instance_digest(in));
    ck_assert_uint_eq(hs_instance_digest(back), hs_instance_digest(in));
    if (again)
        plan_round_trip(fd, back, t, &read, 0);
    hs_instance_free(back);
    hs_schedule_free(t);
}

START_TEST(plans_come_back_the_same)
{
    int fd = scratch_fd();

    hsi_random_seed(&source, 3, (uint64_t)_i);
    for (int i = 0; i < rounds(400); i++) {
        hs_instance *in = random_instance(i % 50 ? 20 : 400);
        hs_schedule *s = random_schedule(in);
        hs_plan_info info;

        random_info(&info);
        plan_round_trip(fd, in, s, &info, 1);
        hs_instance_free(in);
        hs_schedule_free(s);
    }
    close(fd);
}
END_TEST

/* A name with the number of a copy may be longer than any id. */
START_TEST(longest_names_come_back_from_plans)
{
    char         id[HS_MAX_ID + 1];
    hs_task      task = {.id = id, .cpu = 1, .gpu = 1, .count = 12};
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_schedule *s;
    hs_plan_info info;
    int          fd = scratch_fd();

    memset(id, 'x', HS_MAX_ID);
    id[HS_MAX_ID] = '\0';
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_workers(b, 1, 1), HS_OK);
    ck_assert_int_eq(hs_builder_add(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hsi_random_seed(&source, 4, 0);
    s = random_schedule(in);
    hs_plan_info_init(&info);
    plan_round_trip(fd, in, s, &info, 1);
    hs_schedule_free(s);
    hs_instance_free(in);
    hs_builder_free(b);
    close(fd);
}
END_TEST

/* ---- however it comes in ---------------------------------------------------------- */

/* A process that writes the text in pieces; what it writes to is returned. */
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

START_TEST(pipes_are_read_in_whatever_pieces_they_come)
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
        ck_assert_int_eq(hs_instance_write(fd, in), HS_OK);
        text = get_text(fd, &length);
        end = feed(text, length, i < 10 ? 3 : 5000, &child);
        back = read_good(end);
        same_instance(in, back);
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

/* Only what lies behind the descriptor's position is read. */
START_TEST(reading_starts_where_the_descriptor_stands)
{
    const char  *text = "leave me\n# cpus 1\n# gpus 0\ncpu,gpu\n3,\n";
    int          fd = scratch_fd();
    hs_instance *in;

    set_text(fd, text, strlen(text));
    lseek(fd, 9, SEEK_SET);
    in = read_good(fd);
    ck_assert_uint_eq(hs_instance_rows(in), 1);
    hs_instance_free(in);
    close(fd);
}
END_TEST

/* The plain and the careful way of reading a row: quotes force the latter. */
START_TEST(quotes_do_not_matter)
{
    hs_instance *a = read_text("# cpus 1\n# gpus 1\n"
                               "id,cpu,gpu,priority,kernel,count,restartable\n"
                               "a,1.5,2,-9,k,1,\nb,3,0.1,12,,20,\n\xc3\xa9,1e-3,7,0,x y,1,\n");
    hs_instance *b = read_text("# cpus 1\n# gpus 1\n"
                               "\"id\",cpu,gpu,priority,kernel,count,restartable\n"
                               "a,1.5,2,\"-9\",k,1,\nb,\"3\",0.1,12,\"\",20,\n"
                               "\xc3\xa9,1e-3,7,0,\"x y\",1,\"\"\n");

    same_instance(a, b);
    hs_instance_free(a);
    hs_instance_free(b);
}
END_TEST

/* Does nothing where the locale is not installed. */
START_TEST(the_locale_does_not_matter)
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

/* ---- the examples in data/ ------------------------------------------------------------ */

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

START_TEST(examples_are_good)
{
    static const struct {
        const char *name;
        size_t      rows, tasks;
    } examples[] = {{"tiles.csv", 11, 11}, {"render.csv", 5, 5}, {"copies.csv", 4, 100000}};

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        int          fd = example_fd(examples[i].name), copy = scratch_fd();
        hs_instance *in = read_good(fd);

        ck_assert_uint_eq(hs_instance_rows(in), examples[i].rows);
        ck_assert_uint_eq(hs_instance_tasks(in), examples[i].tasks);
        instance_round_trip(copy, in);
        hs_instance_free(in);
        close(copy);
        close(fd);
    }
}
END_TEST

START_TEST(example_affinities_are_good)
{
    int           fd = example_fd("tiles.csv"), affinity_fd = example_fd("tiles-affinities.csv");
    hs_instance  *in = read_good(fd);
    hs_affinity  *affinities = NULL;
    size_t        count = 0;
    hs_diagnostic why = {0};
    hs_status     st = hs_affinities_read(affinity_fd, in, &affinities, &count, &why);

    ck_assert_msg(st == HS_OK, "%d:%d: %s", (int)why.line, (int)why.column, why.text);
    ck_assert_uint_eq(count, 6);
    ck_assert_uint_eq(affinities[5].worker, 0);
    ck_assert_uint_eq(affinities[2].worker, 11);
    free(affinities);
    hs_instance_free(in);
    close(affinity_fd);
    close(fd);
}
END_TEST

/* ---- options ------------------------------------------------------------------------ */

START_TEST(options_of_an_older_caller_are_understood)
{
    hs_read_options options;
    hs_instance    *in = NULL;
    int             fd = scratch_fd();
    const char     *text = "# cpus 1\n# gpus 1\ncpu,gpu,x\n1,1,1\n";

    hs_read_options_init(&options);
    options.ignore_unknown = 1;
    options.has_cpus = options.has_gpus = 1; /* beyond what this caller knows: not read */
    options.struct_size = offsetof(hs_read_options, has_cpus);
    set_text(fd, text, strlen(text));
    ck_assert_int_eq(hs_instance_read(fd, &options, &in, NULL), HS_OK);
    ck_assert_uint_eq(hs_instance_cpus(in), 1);
    hs_instance_free(in);
    options.struct_size = 0;
    ck_assert_int_eq(hs_instance_read(fd, &options, &in, NULL), HS_EINVAL);
    close(fd);
}
END_TEST

START_TEST(infos_of_an_older_caller_are_understood)
{
    hs_instance *in = read_text("# cpus 1\n# gpus 0\ncpu,gpu\n1,1\n"), *back = NULL;
    hs_schedule *s, *t = NULL;
    hs_plan_info info, read;
    int          fd = scratch_fd();

    hsi_random_seed(&source, 6, 0);
    s = random_schedule(in);
    hs_plan_info_init(&info);
    strcpy(info.algorithm, "lpt");
    info.has_seed = 1;
    info.struct_size = offsetof(hs_plan_info, seed);
    ck_assert_int_eq(hs_plan_write(fd, in, s, &info), HS_OK);
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

/* ---- failures ------------------------------------------------------------------------ */

START_TEST(reading_may_fail)
{
    hs_instance  *in = NULL;
    hs_schedule  *s = NULL;
    hs_diagnostic why;
    int           folder = open("/", O_RDONLY);

    memset(&why, 0x55, sizeof why);
    errno = 0;
    ck_assert_int_eq(hs_instance_read(-1, NULL, &in, &why), HS_EIO);
    ck_assert_int_eq(errno, EBADF);
    ck_assert_uint_eq(why.line, 0);
    ck_assert_str_eq(why.text, hs_status_text(HS_EIO));
    ck_assert_int_eq(hs_plan_read(folder, NULL, &in, &s, NULL, &why), HS_EIO);
    ck_assert_int_eq(errno, EISDIR);
    ck_assert_ptr_null(in);
    ck_assert_ptr_null(s);
    close(folder);
}
END_TEST

START_TEST(writing_may_fail)
{
    hs_instance *in = read_text("# cpus 1\n# gpus 0\ncpu,gpu\n1,1\n");
    hs_schedule *s;
    int          full = open("/dev/full", O_WRONLY);

    hsi_random_seed(&source, 7, 0);
    s = random_schedule(in);
    errno = 0;
    ck_assert_int_eq(hs_instance_write(-1, in), HS_EIO);
    ck_assert_int_eq(errno, EBADF);
    if (full >= 0) {
        ck_assert_int_eq(hs_instance_write(full, in), HS_EIO);
        ck_assert_int_eq(errno, ENOSPC);
        errno = 0;
        ck_assert_int_eq(hs_plan_write(full, in, s, NULL), HS_EIO);
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
    hs_placement beyond = {0, 1, 1, 0, HS_RUN}; /* task 1 of one task */
    hs_schedule *s = NULL;
    size_t       count;

    ck_assert_int_eq(hs_instance_read(0, NULL, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_instance_write(1, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_plan_read(0, NULL, &in, NULL, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_plan_write(1, in, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_affinities_read(0, NULL, &affinities, &count, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(1, 1, 1, &beyond, &s), HS_OK);
    ck_assert_int_eq(hs_plan_write(1, in, s, NULL), HS_EINVAL);
    hs_schedule_free(s);
    ck_assert_int_eq(hs_schedule_build(2, 1, 0, NULL, &s), HS_OK);
    ck_assert_int_eq(hs_plan_write(1, in, s, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_instance_on(in, 2, 1, &other), HS_OK);
    hs_schedule_free(s);
    hs_instance_free(in);
    hs_instance_free(other);
}
END_TEST

/* What could not be read back is not written: nothing is. */
START_TEST(what_would_not_come_back_is_not_written)
{
    static const struct {
        const char *key, *value, *id, *command;
    } bad[] = {
        {"cpus", "3", "a", NULL},    {"unit", "s", "a", NULL},    {"two words", "x", "a", NULL},
        {"key", "x\ny", "a", NULL},  {"key", "x\ry", "a", NULL},  {"a\n", "x", "a", NULL},
        {"key", "\xff", "a", NULL},  {"hybridsched", "", "a", NULL},
        {"key", "x", "\xff", NULL},  {"key", "x", "a", "\xc3"},
        {"key", "x", "\xed\xa0\x80", NULL},
    };
    int fd = scratch_fd();

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hs_task      task = {.id = bad[i].id, .cpu = 1, .gpu = 1, .cpu_command = bad[i].command};
        hs_builder  *b = NULL;
        hs_instance *in = NULL;

        ck_assert_int_eq(hs_builder_create(&b), HS_OK);
        ck_assert_int_eq(hs_builder_workers(b, 1, 1), HS_OK);
        if (hs_builder_note(b, bad[i].key, bad[i].value) == HS_OK) {
            ck_assert_int_eq(hs_builder_add(b, &task), HS_OK);
            ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
            ck_assert_msg(hs_instance_write(fd, in) == HS_EINVAL, "case %zu", i);
        }
        hs_instance_free(in);
        hs_builder_free(b);
    }
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), 0);
    close(fd);
}
END_TEST

START_TEST(bad_infos_are_not_written)
{
    hs_instance *in = read_text("# cpus 1\n# gpus 0\ncpu,gpu\n1,1\n");
    hs_schedule *s;
    hs_plan_info info;
    int          fd = scratch_fd();

    hsi_random_seed(&source, 8, 0);
    s = random_schedule(in);
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
        ck_assert_int_eq(hs_plan_write(fd, in, s, &info), HS_EINVAL);
    }
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), 0);
    hs_instance_free(in);
    hs_schedule_free(s);
    close(fd);
}
END_TEST

int main(void)
{
    Suite   *suite = suite_create("io");
    TCase   *trips = tcase_create("round trips"), *ways = tcase_create("ways in");
    TCase   *failures = tcase_create("failures");
    SRunner *runner = srunner_create(suite);
    int      failed;

    tcase_set_timeout(trips, 300);
    tcase_set_timeout(ways, 300);
    suite_add_tcase(suite, trips);
    tcase_add_loop_test(trips, instances_come_back_the_same, 0, 3);
    tcase_add_test(trips, large_instances_come_back_the_same);
    tcase_add_test(trips, rows_longer_than_the_block_come_back_the_same);
    tcase_add_loop_test(trips, plans_come_back_the_same, 0, 3);
    tcase_add_test(trips, longest_names_come_back_from_plans);
    suite_add_tcase(suite, ways);
    tcase_add_test(ways, pipes_are_read_in_whatever_pieces_they_come);
    tcase_add_test(ways, reading_starts_where_the_descriptor_stands);
    tcase_add_test(ways, quotes_do_not_matter);
    tcase_add_test(ways, the_locale_does_not_matter);
    tcase_add_test(ways, options_of_an_older_caller_are_understood);
    tcase_add_test(ways, infos_of_an_older_caller_are_understood);
    tcase_add_test(ways, examples_are_good);
    tcase_add_test(ways, example_affinities_are_good);
    suite_add_tcase(suite, failures);
    tcase_add_test(failures, reading_may_fail);
    tcase_add_test(failures, writing_may_fail);
    tcase_add_test(failures, arguments_are_checked);
    tcase_add_test(failures, what_would_not_come_back_is_not_written);
    tcase_add_test(failures, bad_infos_are_not_written);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
