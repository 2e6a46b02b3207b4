/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Test that readers and writers survive the failure of each allocation, and that a reader takes at
 * most a few times the size of the file and 16 MiB.
 */

#include "failing_memory.h"
#include "io_fixture.h"
#include "suite.h"

#include <sys/resource.h>
#include <sys/wait.h>

static long first; /* number of the allocation that fails */
static bool was_refused;

/* Begin to count and refuse allocations; allocations outside the tested call succeed. */
static void start_refusing(void)
{
    memory_fail_after(first, 0);
}

static hs_status stop_refusing(hs_status st)
{
    was_refused = memory_stop_failing() > 0;
    return st;
}

/* Call `attempt` with allocation 0, 1, 2, ... refused, until a call needs no more allocations. */
static void refuse_each(hs_status (*attempt)(void *data), void *data)
{
    for (first = 0;; first++) {
        long      before = memory_live_blocks();
        hs_status st = attempt(data);

        ck_assert_int_eq(memory_live_blocks(), before);
        ck_assert_msg(st == HS_OK || (was_refused && st == HS_ENOMEM), "allocation %ld: status %d",
                      first, (int)st);
        if (!was_refused)
            break;
        ck_assert_int_lt(first, 10000);
    }
    ck_assert_int_gt(first, 0);
}

struct attempt {
    int          fd;
    hs_instance *in;
    hs_schedule *s;
};

static hs_status read_instance(void *data)
{
    struct attempt *a = data;
    hs_instance    *in = NULL;
    hs_error        error = {0};
    hs_status       st;

    lseek(a->fd, 0, SEEK_SET);
    start_refusing();
    st = stop_refusing(hs_instance_read(a->fd, NULL, &in, &error));
    ck_assert_int_eq(st == HS_OK, in != NULL);
    if (st != HS_OK)
        ck_assert_str_eq(error.why, hs_status_text(st));
    hs_instance_free(in);
    return st;
}

static hs_status read_unknown(void *data)
{
    struct attempt  *a = data;
    hs_instance     *in = NULL;
    hs_read_settings options;
    hs_status        st;

    hs_read_settings_init(&options);
    options.ignore_unknown = 1;
    lseek(a->fd, 0, SEEK_SET);
    start_refusing();
    st = stop_refusing(hs_instance_read(a->fd, &options, &in, NULL));
    ck_assert_int_eq(st == HS_OK, in != NULL);
    hs_instance_free(in);
    return st;
}

static hs_status read_commands(void *data)
{
    struct attempt  *a = data;
    hs_instance     *in = NULL;
    hs_read_settings options;
    hs_status        st;

    hs_read_settings_init(&options);
    options.has_cpus = 1;
    options.cpus = 1;
    lseek(a->fd, 0, SEEK_SET);
    start_refusing();
    st = stop_refusing(hs_commands_read(a->fd, &options, &in, NULL));
    ck_assert_int_eq(st == HS_OK, in != NULL);
    hs_instance_free(in);
    return st;
}

static hs_status read_plan(void *data)
{
    struct attempt *a = data;
    hs_instance    *in = NULL;
    hs_schedule    *s = NULL;
    hs_status       st;

    lseek(a->fd, 0, SEEK_SET);
    start_refusing();
    st = stop_refusing(hs_plan_read(a->fd, NULL, &in, &s, NULL, NULL));
    ck_assert_int_eq(st == HS_OK, in != NULL && s != NULL);
    ck_assert_int_eq(!in, !s);
    hs_instance_free(in);
    hs_schedule_free(s);
    return st;
}

static hs_status read_affinities(void *data)
{
    struct attempt *a = data;
    hs_affinity    *affinities = NULL;
    size_t          count = 0;
    hs_status       st;

    lseek(a->fd, 0, SEEK_SET);
    start_refusing();
    st = stop_refusing(hs_affinities_read(a->fd, a->in, &affinities, &count, NULL));
    ck_assert_int_eq(st == HS_OK, affinities != NULL);
    free(affinities);
    return st;
}

static hs_status write_instance(void *data)
{
    struct attempt *a = data;

    set_text(a->fd, "", 0);
    start_refusing();
    return stop_refusing(hs_instance_write(a->fd, a->in, NULL));
}

static hs_status write_plan(void *data)
{
    struct attempt *a = data;

    set_text(a->fd, "", 0);
    start_refusing();
    return stop_refusing(hs_plan_write(a->fd, a->in, a->s, NULL, NULL));
}

START_TEST(every_allocation_may_fail)
{
    struct attempt a = {.fd = scratch_fd()};
    char          *affinities = NULL;
    size_t         size;
    FILE          *f = open_memstream(&affinities, &size);
    char           name[700];

    hsi_random_seed(&source, 10, (uint64_t)_i);
    do {
        hs_instance_free(a.in);
        a.in = random_instance(3000);
    } while (hs_instance_tasks(a.in) < 1500);
    a.s = random_overlapping_schedule(a.in);
    refuse_each(write_instance, &a);
    refuse_each(read_instance, &a);
    refuse_each(write_plan, &a);
    refuse_each(read_plan, &a);
    fprintf(f, "task,worker,score\n");
    for (size_t task = 0; task < hs_instance_tasks(a.in); task++) {
        hs_instance_name(a.in, task, name, sizeof name);
        fputc('"', f);
        for (const char *c = name; *c; c++)
            fprintf(f, *c == '"' ? "\"\"" : "%c", *c);
        fprintf(f, "\",%s,%d\n", hs_instance_cpus(a.in) ? "cpu0" : "gpu0", (int)(task % 10));
    }
    fclose(f);
    set_text(a.fd, affinities, size);
    refuse_each(read_affinities, &a);
    free(affinities);
    hs_schedule_free(a.s);
    hs_instance_free(a.in);
    close(a.fd);
}
END_TEST

/*
 * The file has a column with a late first value, quotes within quotes, and a record longer than the
 * reader's block.
 */
START_TEST(every_allocation_may_fail_in_odd_files)
{
    struct attempt a = {.fd = scratch_fd()};
    char          *text = NULL;
    size_t         size;
    FILE          *f = open_memstream(&text, &size);

    fprintf(f, "# cpus 1\n# gpus 1\n# note a\nkernel,cpu,gpu,id,priority,restartable,count,a,b,c,d,"
               "e,f,g,h,i,j,k\n");
    for (int i = 0; i < 2000; i++)
        fprintf(f, ",1,1,,,,,,,,,,,,,,,\n");
    fprintf(f, "\"");
    for (int i = 0; i < 100000; i++)
        fprintf(f, "ab\"\"\n");
    fprintf(f, "\",1,1,\"\"\"\",1,no,3,,,,,,,,,,,\n");
    fclose(f);
    set_text(a.fd, text, size);
    refuse_each(read_unknown, &a);
    set_text(a.fd, text, strcspn(text, "\""));
    refuse_each(read_commands, &a);
    free(text);
    close(a.fd);
}
END_TEST

/*
 * The file has so many rows and names of data that tables grow, an edge to an earlier row, copies
 * and odd names.
 */
START_TEST(every_allocation_may_fail_in_graphs)
{
    struct attempt a = {.fd = scratch_fd()};
    char          *text = NULL;
    size_t         size;
    FILE          *f = open_memstream(&text, &size);

    hsi_random_seed(&source, 11, 0);
    fprintf(f, "# cpus 1\n# gpus 1\n# link h2d 0 1\n# link d2h 0 1\n# data d0 5\n"
               "id,cpu,gpu,count,after,data\na;0,1,1,1,a199,\n");
    for (int i = 1; i < 200; i++)
        fprintf(f, "a%d,1,1,%d,%s%s,d%d:rw;d%d:r\n", i, i % 7 ? 1 : 3, i > 1 ? "" : "c:8",
                i == 50 ? "a49;a7#2:3;a20" : "", i, i - 1);
    fprintf(f, "c,1,1,1,,\n");
    fclose(f);
    set_text(a.fd, text, size);
    refuse_each(read_instance, &a);
    lseek(a.fd, 0, SEEK_SET);
    a.in = read_valid_instance(a.fd);
    a.s = random_overlapping_schedule(a.in);
    refuse_each(write_instance, &a);
    refuse_each(write_plan, &a);
    refuse_each(read_plan, &a);
    free(text);
    hs_schedule_free(a.s);
    hs_instance_free(a.in);
    close(a.fd);
}
END_TEST

/*
 * Return whether the memory of the process is comparable: no sanitizer or other allocator that
 * keeps freed memory.
 */
static bool is_plain_process(void)
{
    const char *preload = getenv("LD_PRELOAD");

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 0;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return 0;
#endif
#endif
    return !preload || !strstr(preload, "vgpreload");
}

static const struct file {
    const char *name, *header, *row; /* parts of a file; each %d in `row` is the row's number */
    /* number of rows; whether the file is a plan; number of workers of each type */
    int rows, is_plan, workers;
    int times; /* limit on memory as a multiple of the size of the file */
} files[] = {
    {"times", "cpu,gpu", "1,\n", 3000000, 0, 1, 8},
    {"ids", "id,cpu,gpu", "%x,1,\n", 2000000, 0, 1, 8},
    {"last ids", "cpu,gpu,id", "1,,%x\n", 2000000, 0, 1, 8},
    {"quoted ids", "id,cpu,gpu", "\"%x\n\",1,\n", 1000000, 0, 1, 8},
    {"counts", "cpu,gpu,count", "1,,2\n", 2000000, 0, 1, 8},
    {"large counts", "cpu,gpu,count", "1,,2000\n", 1000000, 0, 1, 8},
    {"all columns", "id,cpu,gpu,priority,kernel,cpu_command,gpu_command,restartable,count",
     "%x,1,,1,a,b,c,no,2\n", 600000, 0, 1, 8},
    {"empty columns", "id,cpu,gpu,priority,kernel,cpu_command,gpu_command,restartable,count",
     ",1,,,,,,,\n", 1000000, 0, 1, 8},
    {"edges", "cpu,gpu,after\n1,,", "1,,t0\n", 3000000, 0, 1, 16},
    {"empty lists", "cpu,gpu,after,data", "1,,,\n", 10000000, 0, 1, 8},
    {"plan", "id,worker,start,end,state,cpu,gpu", "%x,cpu0,0,1,run,1,\n", 1000000, 1, 1, 8},
    {"plan of one task", "id,worker,start,end,state,cpu,gpu", "a,cpu0,0,1,run,1,\n", 1000000, 1, 1,
     8},
    {"workers", "cpu,gpu", "1,1\n", 1, 0, 1000000, 8},
    {"plan of workers", "id,worker,start,end,state,cpu,gpu", "%x,gpu999999,0,1,run,1,1\n", 1, 1,
     1000000, 8},
};

static void read_file(int fd, const struct file *file, struct rusage *usage)
{
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    hs_error     error = {0};
    hs_status    st;

    lseek(fd, 0, SEEK_SET);
    if (file->is_plan)
        st = hs_plan_read(fd, NULL, &in, &s, NULL, &error);
    else
        st = hs_instance_read(fd, NULL, &in, &error);
    getrusage(RUSAGE_SELF, usage);
    ck_assert_msg(st == HS_OK, "%s: %d:%d: %s", file->name, (int)error.line, (int)error.column,
                  error.why);
    hs_instance_free(in);
    hs_schedule_free(s);
}

/* Return the largest growth of the process in bytes while it reads the file. */
static long long growth(int fd, const struct file *file)
{
    struct rusage before, after;
    char          small[256];
    int           small_fd = scratch_fd();

    /* Read a small file first, so that the pages of the program do not count. */
    sprintf(small, "# cpus 1\n# gpus 1\n%s\n", file->header);
    set_text(small_fd, small, strlen(small));
    read_file(small_fd, file, &before);
    close(small_fd);
    read_file(fd, file, &after);
    return ((long long)after.ru_maxrss - before.ru_maxrss) * 1024;
}

/* Error of the count in bytes: systems count resident pages in batches per processor. */
#define INEXACT (1 << 20)

START_TEST(memory_is_limited_by_the_size_of_the_file)
{
    const struct file *file = &files[_i];
    FILE              *f = tmpfile();
    long long          size, grown;

    if (!is_plain_process())
        return;
    ck_assert_ptr_nonnull(f);
    fprintf(f, "# cpus %d\n# gpus %d\n%s\n", file->workers, file->workers, file->header);
    for (int i = 0; i < file->rows; i++)
        fprintf(f, file->row, (unsigned)i * 2654435769u);
    fflush(f);
    size = lseek(fileno(f), 0, SEEK_END);
    grown = growth(fileno(f), file);
    ck_assert_msg(grown <= file->times * size + (16 << 20) + INEXACT,
                  "%s: %lld bytes for a file of %lld", file->name, grown, size);
    if (getenv("HS_VERBOSE"))
        printf("%s: %.2f times the file\n", file->name, (double)grown / (double)size);
    fclose(f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory of readers and writers");
    TCase *failing = tcase_create("failing"), *limits = tcase_create("limits");

    tcase_set_timeout(failing, 600);
    tcase_set_timeout(limits, 300);
    suite_add_tcase(suite, failing);
    tcase_add_loop_test(failing, every_allocation_may_fail, 0, 4);
    tcase_add_test(failing, every_allocation_may_fail_in_odd_files);
    tcase_add_test(failing, every_allocation_may_fail_in_graphs);
    suite_add_tcase(suite, limits);
    tcase_add_loop_test(limits, memory_is_limited_by_the_size_of_the_file, 0,
                        (int)(sizeof files / sizeof *files));
    return run_suite(suite);
}
