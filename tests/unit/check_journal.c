/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The journal: what was recorded comes back, whatever was done to the file, and nothing
 * that was not recorded ever does. The linker sends what it asks of the system to
 * this test, so that each of it can fail.
 */

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "exec/journal.h"
#include "exec/journal_text.h"

/* ---- a system that fails when it is told to ------------------------------------------------- */

void     *__real_malloc(size_t size);
void     *__real_calloc(size_t count, size_t size);
char     *__real_strdup(const char *text);
char     *__real_strndup(const char *text, size_t size);
hs_status __real_hs_index_create(const hs_instance *in, hs_index **out);
int       __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                void *(*start)(void *), void            *data);
ssize_t   __real_write(int fd, const void *at, size_t size);

/* Exported, for sanitizers look for them. */
HS_API void   *__wrap_malloc(size_t size);
HS_API void   *__wrap_calloc(size_t count, size_t size);
HS_API char   *__wrap_strdup(const char *text);
HS_API char   *__wrap_strndup(const char *text, size_t size);
hs_status      __wrap_hs_index_create(const hs_instance *in, hs_index **out);
HS_API int     __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                     void *(*start)(void *), void            *data);
HS_API ssize_t __wrap_write(int fd, const void *at, size_t size);
HS_API int     __wrap_fdatasync(int fd);
HS_API int     __wrap_fsync(int fd);

static int         memory_counts;    /* only around the calls that are tested */
static long        memory_left = -1; /* allocations before the one that fails; negative: none */
static atomic_long writes_left, syncs_left; /* likewise, but from then on; negative: none */
static atomic_int  fault;                   /* errno of what fails */
static atomic_int  drip;                    /* each write takes a few bytes, each second none */
static atomic_int  syncs, gate_closed;      /* how many there were; they wait while it is closed */
static atomic_int  clean_writes = 1;        /* a write that fails takes nothing */

static int refused(void)
{
    return memory_counts && memory_left >= 0 && memory_left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : __real_calloc(count, size);
}

char *__wrap_strdup(const char *text)
{
    return refused() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return refused() ? NULL : __real_strndup(text, size);
}

hs_status __wrap_hs_index_create(const hs_instance *in, hs_index **out)
{
    return refused() ? HS_ENOMEM : __real_hs_index_create(in, out);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void            *data)
{
    return refused() ? EAGAIN : __real_pthread_create(thread, attributes, start, data);
}

static int fails(atomic_long *left)
{
    long before = atomic_load(left);

    if (before > 0)
        atomic_fetch_sub(left, 1);
    if (before == 0)
        errno = atomic_load(&fault);
    return before == 0;
}

ssize_t __wrap_write(int fd, const void *at, size_t size)
{
    static atomic_int turn;

    if (atomic_load(&drip)) {
        if (atomic_fetch_add(&turn, 1) % 2) {
            errno = EINTR;
            return -1;
        }
        return __real_write(fd, at, size < 7 ? size : 7);
    }
    if (fails(&writes_left)) {
        if (!atomic_exchange(&clean_writes, 1))
            return __real_write(fd, at, size / 2);
        errno = atomic_load(&fault);
        return -1;
    }
    return __real_write(fd, at, size);
}

/* The tests do not pull the plug: nothing needs to reach the disk. */
static int sync_nothing(void)
{
    atomic_fetch_add(&syncs, 1);
    while (atomic_load(&gate_closed))
        usleep(200);
    return fails(&syncs_left) ? -1 : 0;
}

int __wrap_fdatasync(int fd)
{
    (void)fd;
    return sync_nothing();
}

int __wrap_fsync(int fd)
{
    (void)fd;
    return sync_nothing();
}

static void all_well(void)
{
    memory_left = -1;
    memory_counts = 0;
    atomic_store(&writes_left, -1);
    atomic_store(&syncs_left, -1);
    atomic_store(&drip, 0);
    atomic_store(&gate_closed, 0);
    atomic_store(&clean_writes, 1);
}

/* ---- an instance with awkward names, and a folder -----------------------------------------------
 */

enum { TASKS = 48 };

static hs_instance *in;
static char         folder[] = "check_journal.XXXXXX", file[64], why[HS_WHY];

static hs_instance *make(unsigned cpus, double time)
{
    static const char *const names[] = {
        "two\nlines",  "a blank",        "100%",         "%0a",      "tab\tand\x01\x7f",
        "caf\xc3\xa9", "\xff\xfe bytes", "done undone ", "closed 1", "run \n done t1 \n"};
    hs_builder  *b = NULL;
    hs_instance *made = NULL;
    hs_task      task = {.cpu = time, .gpu = 2};
    size_t       i;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_workers(b, cpus, 1), HS_OK);
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        task.id = names[i];
        ck_assert_int_eq(hs_builder_add(b, &task), HS_OK);
    }
    task.id = "frame";
    task.count = 20;
    ck_assert_int_eq(hs_builder_add(b, &task), HS_OK);
    task.id = NULL;
    for (task.count = 1, i += task.count + 19; i < TASKS; i++)
        ck_assert_int_eq(hs_builder_add(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &made, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_uint_eq(hs_instance_tasks(made), TASKS);
    return made;
}

static void set_up(void)
{
    all_well();
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/journal", folder);
    in = make(2, 1);
}

static void tear_down(void)
{
    all_well();
    hs_instance_free(in);
    unlink(file);
    rmdir(folder);
}

/* ---- the file as bytes
 * ------------------------------------------------------------------------------ */

typedef struct bytes {
    char  *at;
    size_t size;
} bytes;

static bytes slurp(void)
{
    FILE *from = fopen(file, "rb");
    bytes all = {malloc(1 << 20), 0};

    ck_assert_ptr_nonnull(from);
    all.size = fread(all.at, 1, 1 << 20, from);
    fclose(from);
    return all;
}

static void spit(const char *at, size_t size)
{
    FILE *to = fopen(file, "wb");

    ck_assert_ptr_nonnull(to);
    ck_assert_uint_eq(fwrite(at, 1, size, to), size);
    fclose(to);
}

static int exists(void)
{
    return access(file, F_OK) == 0;
}

/* Where the line begins that holds the byte `at`. */
static size_t line_of(const bytes *all, size_t at)
{
    while (at > 0 && all->at[at - 1] != '\n')
        at--;
    return at;
}

/* How many records end before `end`. */
static size_t records_before(const bytes *all, size_t end)
{
    size_t count = 0, at, next;

    for (at = 0; at < all->size; at = next) {
        const char *newline = memchr(all->at + at, '\n', all->size - at);

        next = newline ? (size_t)(newline - all->at) + 1 : all->size;
        if (newline && next <= end && memcmp(all->at + at, "done ", 5) == 0)
            count++;
    }
    return count;
}

/* ---- short words for the calls
 * ---------------------------------------------------------------------- */

static hs_status open_journal(int resume, unsigned char *done, uint64_t *count, hsi_journal **out)
{
    uint64_t  ignored;
    hs_status st;

    memory_counts = 1;
    st = hsi_journal_open(file, in, hsi_journal_digest(in, NULL), resume, done,
                          count ? count : &ignored, out, why);
    memory_counts = 0;
    return st;
}

static hs_status look(int resume, unsigned char *done, uint64_t *count)
{
    uint64_t ignored;

    return hsi_journal_look(file, in, hsi_journal_digest(in, NULL), resume, done,
                            count ? count : &ignored, why);
}

static hsi_journal *opened(int resume, unsigned char *done, uint64_t *count)
{
    hsi_journal *j = NULL;

    ck_assert_msg(open_journal(resume, done, count, &j) == HS_OK, "%s", why);
    return j;
}

/* Which task is the n-th to be done: any order but theirs. */
static uint32_t nth(size_t n)
{
    return (uint32_t)(n * 29 % TASKS);
}

static hs_status record(hsi_journal *j, uint32_t task)
{
    hsi_journal_record r = {.task = task, .worker = task % 3, .number = 1 + task % 2};

    r.start = 0.25 * task;
    r.end = r.start + 1e-9;
    return hsi_journal_done(j, &r);
}

static void record_some(hsi_journal *j, size_t from, size_t to)
{
    for (; from < to; from++)
        ck_assert_int_eq(record(j, nth(from)), HS_OK);
}

static void shut(hsi_journal *j)
{
    ck_assert_msg(hsi_journal_close(j, why) == HS_OK, "%s", why);
    ck_assert_str_eq(why, "");
}

/* A journal of three runs; the tasks from `known` on are not done. `closed`: in the end, too. */
static bytes three_runs(size_t known, int closed)
{
    unsigned char done[TASKS] = {0};
    hsi_journal  *j = opened(0, done, NULL);
    bytes         all;

    record_some(j, 0, 10);
    shut(j);
    j = opened(1, done, NULL);
    record_some(j, 10, 30);
    shut(j);
    j = opened(1, done, NULL);
    record_some(j, 30, known);
    shut(j);
    all = slurp();
    if (!closed)
        all.size = line_of(&all, all.size - 1);
    return all;
}

/* The first `count` that were recorded, and no other. */
static void assert_done(const unsigned char *done, size_t count)
{
    size_t n;

    for (n = 0; n < TASKS; n++)
        ck_assert_msg(done[nth(n)] == (n < count), "record %zu of %zu is %d", n, count,
                      done[nth(n)]);
}

/* ---- what was recorded comes back
 * -------------------------------------------------------------------- */

START_TEST(round_trip)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count = 99;
    size_t        n;
    hsi_journal  *j = opened(0, done, &count);

    ck_assert_uint_eq(count, 0);
    shut(j);
    for (n = 0; n < TASKS; n++) { /* a resume of a resume of ... */
        memset(done, 0, sizeof done);
        j = opened(1, done, &count);
        ck_assert_str_eq(why, "");
        ck_assert_uint_eq(count, n);
        assert_done(done, n);
        record_some(j, n, n + 1);
        shut(j);
    }
}
END_TEST

START_TEST(a_line_can_be_found_by_eye)
{
    hsi_journal *j = opened(0, NULL, NULL);
    bytes        all;

    record_some(j, 0, TASKS);
    shut(j);
    all = slurp();
    all.at[all.size] = '\0';
    ck_assert_int_eq(strncmp(all.at, "hybridsched-journal 1 ", 22), 0);
    ck_assert_ptr_nonnull(strstr(all.at, "\nrun 20"));
    ck_assert_ptr_nonnull(strstr(all.at, "\ndone two%0alines cpu0 1 0.000000000 0.000000001 "));
    ck_assert_ptr_nonnull(strstr(all.at, "\ndone 100%25 gpu0 1 0.500000000 0.500000001 "));
    ck_assert_ptr_nonnull(strstr(all.at, "\ndone frame#1 cpu1 1 2.500000000 2.500000001 "));
    ck_assert_ptr_nonnull(strstr(all.at, "\ndone caf\xc3\xa9 "));
    ck_assert_ptr_nonnull(strstr(all.at, "\nclosed "));
    free(all.at);
}
END_TEST

START_TEST(longest_name)
{
    unsigned char done[300] = {0};
    hs_builder   *b = NULL;
    hs_instance  *large = NULL;
    hs_task       task = {.cpu = 1, .gpu = 1, .count = 300};
    char         *name = malloc(HS_MAX_ID + 1);
    hsi_journal  *j = NULL;
    uint64_t      count;
    uint32_t      i;

    memset(name, '\n', HS_MAX_ID);
    name[HS_MAX_ID] = '\0';
    task.id = name;
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_workers(b, 2, 1), HS_OK);
    ck_assert_int_eq(hs_builder_add(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &large, NULL), HS_OK);
    ck_assert_int_eq(
        hsi_journal_open(file, large, hsi_journal_digest(large, NULL), 0, done, &count, &j, why),
        HS_OK);
    for (i = 0; i < 300; i++)
        ck_assert_int_eq(record(j, i), HS_OK);
    shut(j);
    ck_assert_int_eq(
        hsi_journal_open(file, large, hsi_journal_digest(large, NULL), 1, done, &count, &j, why),
        HS_OK);
    ck_assert_uint_eq(count, 300);
    shut(j);
    hs_instance_free(large);
    hs_builder_free(b);
    free(name);
}
END_TEST

START_TEST(twice_is_once)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count;
    hsi_journal  *j = opened(0, done, NULL);

    record_some(j, 0, 5);
    record_some(j, 0, 5);
    shut(j);
    shut(opened(1, done, &count));
    ck_assert_uint_eq(count, 5);
    assert_done(done, 5);
}
END_TEST

START_TEST(odd_times_do_no_harm)
{
    static const double times[] = {-1, 1e300, 1e9, 0.9999999999};
    unsigned char       done[TASKS] = {0};
    uint64_t            count;
    hsi_journal        *j = opened(0, done, NULL);
    uint32_t            i;

    for (i = 0; i < 4; i++) {
        hsi_journal_record r = {.task = i, .start = times[i], .end = times[i] - times[i] / 0.0};

        ck_assert_int_eq(hsi_journal_done(j, &r), HS_OK);
    }
    shut(j);
    shut(opened(1, done, &count));
    ck_assert_uint_eq(count, 4);
}
END_TEST

/* It reaches the file without anything else that happens. */
START_TEST(nobody_has_to_push)
{
    hsi_journal *j = opened(0, NULL, NULL);
    bytes        all;
    size_t       count;

    record_some(j, 0, 1);
    do {
        all = slurp();
        count = records_before(&all, all.size);
        free(all.at);
        usleep(1000);
    } while (count == 0);
    shut(j);
}
END_TEST

/* ---- threads
 * -------------------------------------------------------------------------------------------- */

enum { THREADS = 8, EACH = 3000 };

typedef struct part {
    hsi_journal *journal;
    uint32_t     first;
    int          failed;
} part;

static void *record_part(void *data)
{
    part    *p = data;
    uint32_t i;

    for (i = 0; i < EACH; i++)
        p->failed |= record(p->journal, p->first + i * THREADS) != HS_OK;
    return NULL;
}

START_TEST(many_threads)
{
    static double        ones[THREADS * EACH];
    static unsigned char done[THREADS * EACH];
    pthread_t            thread[THREADS];
    part                 parts[THREADS];
    hs_instance         *large = NULL;
    hsi_journal         *j = NULL;
    uint64_t             count;
    uint32_t             i;

    for (i = 0; i < THREADS * EACH; i++)
        ones[i] = 1;
    ck_assert_int_eq(hs_instance_wrap(THREADS * EACH, ones, ones, NULL, 2, 1, &large), HS_OK);
    ck_assert_int_eq(
        hsi_journal_open(file, large, hsi_journal_digest(large, NULL), 0, done, &count, &j, why),
        HS_OK);
    for (i = 0; i < THREADS; i++) {
        parts[i] = (part){j, i, 0};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, record_part, &parts[i]), 0);
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_int_eq(parts[i].failed, 0);
    }
    shut(j);
    ck_assert_int_eq(
        hsi_journal_open(file, large, hsi_journal_digest(large, NULL), 1, done, &count, &j, why),
        HS_OK);
    ck_assert_uint_eq(count, THREADS * EACH);
    for (i = 0; i < THREADS * EACH; i++)
        ck_assert_int_eq(done[i], 1);
    shut(j);
    hs_instance_free(large);
}
END_TEST

static atomic_uint recorded;

static void *record_all(void *data)
{
    uint32_t i;

    for (i = 0; i < HSI_JOURNAL_LAG + 40; i++) {
        if (record(data, i % TASKS) != HS_OK)
            return data;
        atomic_fetch_add(&recorded, 1);
    }
    return NULL;
}

/* As long as the disk hangs, so does who wants to be more than so many records ahead. */
START_TEST(never_too_far_behind)
{
    hsi_journal *j = opened(0, NULL, NULL);
    pthread_t    thread;
    void        *failed;

    atomic_store(&recorded, 0);
    atomic_store(&gate_closed, 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, record_all, j), 0);
    while (atomic_load(&recorded) < HSI_JOURNAL_LAG)
        usleep(1000);
    usleep(30000);
    ck_assert_uint_eq(atomic_load(&recorded), HSI_JOURNAL_LAG);
    atomic_store(&gate_closed, 0);
    pthread_join(thread, &failed);
    ck_assert_ptr_null(failed);
    ck_assert_uint_eq(atomic_load(&recorded), HSI_JOURNAL_LAG + 40);
    shut(j);
}
END_TEST

/* A full ring is one group, not one a record. */
START_TEST(groups_share_a_sync)
{
    hsi_journal *j = opened(0, NULL, NULL);
    int          before = atomic_load(&syncs);

    record_some(j, 0, TASKS);
    shut(j);
    ck_assert_int_ge(atomic_load(&syncs), before + 1);
    ck_assert_int_lt(atomic_load(&syncs), before + TASKS);
}
END_TEST

/* ---- damage
 * --------------------------------------------------------------------------------------------- */

/* 1; more if HS_TEST_ROUNDS in the environment asks for that many per cent of the work. */
static size_t stride(void)
{
    const char *percent = getenv("HS_TEST_ROUNDS");
    long        value = percent ? strtol(percent, NULL, 10) : 100;

    return value > 0 && value < 100 ? (size_t)(100 / value) : 1;
}

/* Reads damaged text; if it is believed, then the first of the records and no other. */
static hs_status read_damaged(const char *text, size_t size, size_t *count)
{
    unsigned char     done[TASKS] = {0};
    hsi_journal_found found = {0};
    char             *exact = malloc(size + 1); /* so that no byte behind it is looked at */
    hs_status         st;

    memcpy(exact, text, size);
    exact[size] = '\0';
    why[0] = '\0';
    st = hsi_journal_read(file, exact, size, in, hsi_journal_digest(in, NULL), done, &found, why);
    free(exact);
    ck_assert_msg(st == HS_OK || st == HS_EINVAL, "status %d", (int)st);
    ck_assert(st == HS_OK || why[0] != '\0');
    if (st == HS_OK)
        assert_done(done, (size_t)found.done);
    *count = (size_t)found.done;
    return st;
}

START_TEST(cut_at_every_byte)
{
    bytes         all = three_runs(TASKS - 2, 1);
    size_t        size;
    unsigned char done[TASKS];

    for (size = 0; size <= all.size; size += stride()) {
        size_t       known = records_before(&all, size);
        uint64_t     count;
        hsi_journal *j;

        spit(all.at, size);
        memset(done, 0, sizeof done);
        j = opened(1, done, &count);
        ck_assert_uint_eq(count, known);
        ck_assert_int_eq(why[0] == '\0', size == 0 || size == all.size || all.at[size - 1] == '\n');
        assert_done(done, known);
        record_some(j, known, TASKS);
        shut(j);
        memset(done, 0, sizeof done);
        shut(opened(1, done, &count));
        ck_assert_uint_eq(count, TASKS);
    }
    free(all.at);
}
END_TEST

START_TEST(zeros_from_every_byte)
{
    bytes  all = three_runs(TASKS - 2, 1);
    char  *text = calloc(1, all.size + 5000);
    size_t size, count, extra;

    for (size = 0; size <= all.size; size += stride())
        for (extra = 0; extra <= 5000; extra += 2500) {
            memset(text, 0, all.size + extra);
            memcpy(text, all.at, size);
            ck_assert_msg(read_damaged(text, all.size + extra, &count) == HS_OK, "%s", why);
            ck_assert_uint_eq(count, records_before(&all, size));
        }
    free(text);
    free(all.at);
}
END_TEST

/* Where the last group begins that might not have been on disk. */
static size_t last_synced(const bytes *all)
{
    size_t last = line_of(all, all->size - 1), end = all->size - HSI_JOURNAL_HEX - 2, at = end;

    while (at > last && all->at[at - 1] != ' ')
        at--;
    return (size_t)strtoul(all->at + at, NULL, 10);
}

static void flip_every_byte(const bytes *all, unsigned char change)
{
    size_t synced = last_synced(all), at, count;

    for (at = 0; at < all->size; at += stride()) {
        hs_status st;

        all->at[at] = (char)((unsigned char)all->at[at] ^ change);
        st = read_damaged(all->at, all->size, &count);
        all->at[at] = (char)((unsigned char)all->at[at] ^ change);
        if (at < synced)
            ck_assert_msg(st == HS_EINVAL, "byte %zu ^ %02x is believed", at, change);
        else
            ck_assert_msg(st == HS_OK && count == records_before(all, line_of(all, at)),
                          "byte %zu ^ %02x: %zu records (%s)", at, change, count, why);
    }
}

START_TEST(flip_bytes)
{
    static const unsigned char changes[] = {1, 2, 4, 8, 16, 32, 64, 128, 255, ' ' ^ '\n', 'd'};
    bytes                      all = three_runs(TASKS - 2, _i % 2);
    size_t                     synced = last_synced(&all);

    /* After a clean end, nothing but the last line can be taken for torn. */
    ck_assert_int_eq(synced == line_of(&all, all.size - 1), _i % 2);
    flip_every_byte(&all, changes[_i / 2]);
    free(all.at);
}
END_TEST

/* Every byte made a newline, a blank or a zero: lines fall apart and run together. */
START_TEST(set_bytes)
{
    static const char values[] = {'\n', ' ', 0, 'd'};
    bytes             all = three_runs(TASKS - 2, 1);
    size_t            synced = last_synced(&all), at, i, count;

    for (at = 0; at < all.size; at += stride())
        for (i = 0; i < sizeof values; i++) {
            char      before = all.at[at];
            hs_status st;

            all.at[at] = values[i];
            st = read_damaged(all.at, all.size, &count);
            if (before != values[i])
                ck_assert_int_eq(st, at < synced ? HS_EINVAL : HS_OK);
            all.at[at] = before;
        }
    free(all.at);
}
END_TEST

START_TEST(zeroed_blocks)
{
    bytes  all = three_runs(TASKS - 2, 1);
    size_t synced = last_synced(&all), block, at, count;
    char  *text = malloc(all.size);

    for (block = 16; block <= 1024; block *= 2)
        for (at = 0; at + block < all.size; at += 16) {
            hs_status st;

            memcpy(text, all.at, all.size);
            memset(text + at, 0, block);
            st = read_damaged(text, all.size, &count);
            /* What is left of the last two lines may not be enough to know that they were there. */
            if (at + block + 200 < synced)
                ck_assert_msg(st == HS_EINVAL, "zeros at %zu, %zu bytes, are believed", at, block);
        }
    free(text);
    free(all.at);
}
END_TEST

typedef struct lines {
    size_t start[TASKS + 16], count;
} lines;

static lines split(const bytes *all)
{
    lines  l = {.count = 0};
    size_t at;

    for (at = 0; at < all->size; at++)
        if (at == 0 || all->at[at - 1] == '\n')
            l.start[l.count++] = at;
    l.start[l.count] = all->size;
    return l;
}

/* Appends the line `n` of `all`. */
static void add_line(bytes *to, const bytes *all, const lines *l, size_t n)
{
    size_t length = l->start[n + 1] - l->start[n];

    memcpy(to->at + to->size, all->at + l->start[n], length);
    to->size += length;
}

/* Line `n` left out (0), repeated (1), or after the next one (2). */
static bytes rearrange(const bytes *all, const lines *l, size_t n, int how)
{
    bytes  out = {malloc(2 * all->size), 0};
    size_t i;

    for (i = 0; i < l->count; i++)
        if (i != n || how == 1)
            add_line(&out, all, l, i), i == n ? add_line(&out, all, l, i) : (void)0;
        else if (how == 2)
            add_line(&out, all, l, n + 1), add_line(&out, all, l, n), i++;
    return out;
}

START_TEST(rearranged_lines)
{
    bytes  all = three_runs(TASKS - 2, 1);
    lines  l = split(&all);
    size_t n, count;
    int    how;

    for (n = 0; n + 2 < l.count; n++)
        for (how = 0; how < 3; how++) {
            bytes     other = rearrange(&all, &l, n, how);
            hs_status st = read_damaged(other.at, other.size, &count);

            if (n + 3 < l.count)
                ck_assert_msg(st == HS_EINVAL, "line %zu, change %d", n, how);
            free(other.at);
        }
    free(all.at);
}
END_TEST

/* A run that crashed: the next cuts what was torn and goes on; damage in it is told apart. */
START_TEST(damage_is_refused_and_told)
{
    unsigned char done[TASKS] = {0};
    bytes         all = three_runs(TASKS - 2, 1), after;
    hsi_journal  *j = NULL;

    all.at[all.size / 2] ^= 1;
    spit(all.at, all.size);
    ck_assert_int_eq(open_journal(1, done, NULL, &j), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "damaged in line "));
    ck_assert_ptr_nonnull(strstr(why, "truncate -s "));
    after = slurp();
    ck_assert_uint_eq(after.size, all.size);
    ck_assert_int_eq(memcmp(after.at, all.at, all.size), 0);

    /* As it says. */
    ck_assert_int_eq(truncate(file, strtol(strstr(why, "truncate -s ") + 12, NULL, 10)), 0);
    shut(opened(1, done, NULL));
    free(after.at);
    free(all.at);
}
END_TEST

/* ---- what is not this plan's journal
 * ------------------------------------------------------------------- */

static void refuse_text(const char *text, size_t size, const char *reason)
{
    unsigned char done[TASKS] = {0};
    hsi_journal  *j = NULL;
    bytes         after;

    spit(text, size);
    ck_assert_int_eq(open_journal(1, done, NULL, &j), HS_EINVAL);
    ck_assert_msg(strstr(why, reason) != NULL, "%s", why);
    after = slurp();
    ck_assert_uint_eq(after.size, size);
    ck_assert_int_eq(memcmp(after.at, text, size), 0);
    free(after.at);
}

START_TEST(other_files)
{
    static const char plan[] = "# hybridsched plan 1\n# cpus 2\n";

    refuse_text(plan, strlen(plan), "is not a journal");
    refuse_text("\n", 1, "is not a journal");
    refuse_text("hybridsched-journal 1 x", 23, "damaged");
    refuse_text("hybridsched-journal 1 x\n", 24, "damaged");
    refuse_text("hybridsched-journal \n", 21, "damaged");
}
END_TEST

/* A line and its sum, as another program of the same family may write it. */
static size_t sealed(char *to, uint64_t *chain, const char *text)
{
    size_t   length = strlen(text);
    uint64_t state = hsi_journal_sum_add(hsi_journal_sum_start(*chain), text, length);

    *chain = hsi_journal_sum_end(state);
    return (size_t)sprintf(to, "%s %016llx\n", text, (unsigned long long)*chain);
}

START_TEST(other_versions)
{
    char     text[HSI_JOURNAL_LINE + 200];
    uint64_t chain = 0;
    size_t   size = sealed(text, &chain, "hybridsched-journal 2 what comes");

    refuse_text(text, size, "another version");
}
END_TEST

START_TEST(other_records)
{
    char     text[HSI_JOURNAL_LINE + 200];
    uint64_t chain = 0;
    size_t   header =
        hsi_journal_put_header(text, hsi_journal_digest(in, NULL), hs_instance_tasks(in), &chain);
    uint64_t start = chain;

    refuse_text(text, header + sealed(text + header, &chain, "begun t1 0"), "does not know");
    chain = start;
    refuse_text(text, header + sealed(text + header, &chain, "done nobody cpu0 1 0 1 0"),
                "not in the plan");
    chain = start;
    refuse_text(text, header + sealed(text + header, &chain, "done %zz cpu0 1 0 1 0"),
                "not in the plan");
    chain = start;
    refuse_text(text, header + sealed(text + header, &chain, "done "), "not in the plan");
}
END_TEST

START_TEST(another_plan)
{
    unsigned char done[TASKS] = {0};
    hs_instance  *own = in;
    hsi_journal  *j = NULL;
    int           i;

    for (i = 0; i < 2; i++) {
        hs_instance *other = i ? make(2, 1.5) : make(3, 1);

        in = own;
        shut(opened(1, done, NULL));
        in = other;
        ck_assert_int_eq(open_journal(1, done, NULL, &j), HS_EINVAL);
        ck_assert_ptr_nonnull(strstr(why, "another plan"));
        in = own;
        hs_instance_free(other);
    }
}
END_TEST

START_TEST(not_twice)
{
    unsigned char done[TASKS] = {0};
    hsi_journal  *j = opened(0, done, NULL), *second = NULL;

    ck_assert_int_eq(open_journal(1, done, NULL, &second), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "another process"));
    shut(j);
    shut(opened(1, done, NULL));
}
END_TEST

START_TEST(not_over_another)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count;
    hsi_journal  *j = opened(0, done, NULL);

    record_some(j, 0, 3);
    shut(j);
    ck_assert_int_eq(open_journal(0, done, NULL, &j), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "resume it, or remove it"));
    shut(opened(1, done, &count));
    ck_assert_uint_eq(count, 3);
}
END_TEST

START_TEST(no_journal_yet)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count = 9;
    hsi_journal  *j = opened(1, done, &count);

    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_nonnull(strstr(why, "there was no journal"));
    shut(j);
    spit("", 0);
    shut(opened(0, done, &count)); /* an empty file is as good as none */
    ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(no_file)
{
    hsi_journal *j = NULL;

    snprintf(file, sizeof file, "%s/no/journal", folder);
    ck_assert_int_eq(open_journal(0, NULL, NULL, &j), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "No such file"));
    ck_assert_int_eq(look(0, NULL, NULL), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "No such file"));
    snprintf(file, sizeof file, "%s/fifo", folder);
    ck_assert_int_eq(mkfifo(file, 0600), 0);
    ck_assert_int_eq(open_journal(0, NULL, NULL, &j), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "regular file"));
    ck_assert_int_eq(look(0, NULL, NULL), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "regular file"));
    ck_assert_int_eq(hsi_journal_close(NULL, why), HS_OK);
}
END_TEST

/* Sees what a run would go on from, or be refused for, and leaves the file as it is. */
START_TEST(looked_at)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count = 1;
    struct stat   before, after;
    hsi_journal  *j;

    ck_assert_int_eq(look(1, done, &count), HS_OK);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_ne(access(file, F_OK), 0);

    j = opened(0, NULL, NULL);
    ck_assert_int_eq(record(j, nth(0)), HS_OK);
    ck_assert_int_eq(record(j, nth(1)), HS_OK);
    ck_assert_int_eq(look(1, done, &count), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "another process"));
    ck_assert_int_eq(hsi_journal_close(j, why), HS_OK);
    ck_assert_int_eq(look(0, done, &count), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "resume it"));

    ck_assert_int_eq(stat(file, &before), 0);
    ck_assert_int_eq(truncate(file, before.st_size - 1), 0);
    ck_assert_int_eq(look(1, done, &count), HS_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(why, "");
    assert_done(done, 2);
    ck_assert_int_eq(stat(file, &after), 0);
    ck_assert_int_eq(after.st_size, before.st_size - 1);
}
END_TEST

/* ---- a disk that fails
 * ------------------------------------------------------------------------------------ */

/* Records what is missing until it fails, and closes; what st said first. */
static hs_status run_once(size_t *believed)
{
    unsigned char done[TASKS] = {0};
    hsi_journal  *j = NULL;
    uint64_t      count = 0;
    hs_status     st = open_journal(1, done, &count, &j), end;
    size_t        n;

    *believed = 0;
    if (st != HS_OK)
        return st;
    assert_done(done, (size_t)count);
    for (n = (size_t)count; n < TASKS && st == HS_OK; n++) {
        if (n % 12 == 0)
            usleep(n % 24 == 0 ? 12000 : 0); /* some more groups */
        st = record(j, nth(n));
    }
    if (st != HS_OK)
        ck_assert_int_eq(record(j, 0), HS_EIO); /* once and for all */
    end = hsi_journal_close(j, why);
    ck_assert(st == HS_OK || end == HS_EIO);
    *believed = n;
    return end;
}

static void fail_from(atomic_long *left, int error, int clean)
{
    long first;

    for (first = 0;; first++) {
        hs_status st;
        size_t    tried, rest;

        unlink(file);
        atomic_store(&fault, error);
        atomic_store(&clean_writes, clean);
        atomic_store(left, first);
        st = run_once(&tried);
        if (st == HS_OK)
            break; /* none was left to fail, or just the last line, without which it can do */
        ck_assert_int_eq(st, HS_EIO);
        ck_assert_msg(strstr(why, error == ENOSPC ? "No space left" : "Input/output") != NULL, "%s",
                      why);
        ck_assert(exists() == (first >= (left == &syncs_left ? 2 : 1)));
        all_well();
        ck_assert_int_eq(run_once(&rest), HS_OK);
        ck_assert_uint_eq(rest, TASKS);
        ck_assert_int_lt(first, 1000);
    }
    all_well();
    ck_assert_int_gt(first, 1);
}

START_TEST(disk_full)
{
    fail_from(&writes_left, ENOSPC, _i);
}
END_TEST

START_TEST(sync_fails)
{
    fail_from(&syncs_left, EIO, 1);
}
END_TEST

START_TEST(short_and_interrupted_writes)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count;
    hsi_journal  *j;

    atomic_store(&drip, 1);
    j = opened(0, done, NULL);
    record_some(j, 0, TASKS);
    shut(j);
    shut(opened(1, done, &count));
    ck_assert_uint_eq(count, TASKS);
}
END_TEST

/* In a process of its own, as the test itself writes files. */
static void outgrow(void)
{
    struct rlimit small;
    unsigned char done[TASKS] = {0};
    hsi_journal  *j = NULL;
    uint64_t      count;
    size_t        n;
    int           failed;

    if (getrlimit(RLIMIT_FSIZE, &small) != 0)
        _exit(2);
    small.rlim_cur = 1000;
    if (setrlimit(RLIMIT_FSIZE, &small) != 0 ||
        hsi_journal_open(file, in, hsi_journal_digest(in, NULL), 0, done, &count, &j, why) != HS_OK)
        _exit(3);
    for (failed = 0, n = 0; n < TASKS; n++)
        failed |= record(j, nth(n)) == HS_EIO;
    failed |= hsi_journal_close(j, why) == HS_EIO;
    _exit(!failed || !strstr(why, "File too large"));
}

/* A real limit: it is an error like any other, and no signal ends the program. */
START_TEST(file_too_large)
{
    int    status;
    size_t believed;
    pid_t  child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0)
        outgrow();
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    ck_assert_int_eq(run_once(&believed), HS_OK);
    ck_assert_uint_eq(believed, TASKS);
}
END_TEST

/* Whoever waits for room is told, too. */
START_TEST(failure_wakes_all)
{
    hsi_journal *j = opened(0, NULL, NULL);
    pthread_t    thread;
    void        *failed;

    atomic_store(&recorded, 0);
    atomic_store(&gate_closed, 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, record_all, j), 0);
    while (atomic_load(&recorded) < HSI_JOURNAL_LAG)
        usleep(1000);
    atomic_store(&fault, EIO);
    atomic_store(&syncs_left, 0);
    atomic_store(&gate_closed, 0);
    pthread_join(thread, &failed);
    ck_assert_ptr_nonnull(failed);
    ck_assert_int_eq(hsi_journal_close(j, why), HS_EIO);
}
END_TEST

/* ---- memory
 * -------------------------------------------------------------------------------------------------
 */

static void refuse_each(int is_new)
{
    unsigned char done[TASKS] = {0};
    hsi_journal  *j = NULL;
    uint64_t      count;
    long          first;

    for (first = 0;; first++) {
        hs_status st;

        memset(done, 0, sizeof done);
        memory_left = first;
        st = open_journal(1, done, NULL, &j);
        if (st == HS_OK)
            break;
        ck_assert_int_eq(st, HS_ENOMEM);
        ck_assert_ptr_nonnull(strstr(why, "memory"));
        ck_assert_int_eq(exists(), !is_new);
        ck_assert_int_lt(first, 100);
    }
    all_well();
    shut(j);
    ck_assert_int_gt(first, 3);
    memset(done, 0, sizeof done);
    shut(opened(1, done, &count));
    ck_assert_uint_eq(count, is_new ? 0u : 7u);
}

START_TEST(memory_is_short)
{
    hsi_journal *j;

    refuse_each(1);
    unlink(file);
    j = opened(0, NULL, NULL);
    record_some(j, 0, 7);
    shut(j);
    refuse_each(0);
}
END_TEST

static TCase *add_case(Suite *s, const char *name)
{
    TCase *tc = tcase_create(name);

    tcase_set_timeout(tc, 0);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    suite_add_tcase(s, tc);
    return tc;
}

static void add_records(TCase *tc)
{
    tcase_add_test(tc, round_trip);
    tcase_add_test(tc, a_line_can_be_found_by_eye);
    tcase_add_test(tc, longest_name);
    tcase_add_test(tc, twice_is_once);
    tcase_add_test(tc, odd_times_do_no_harm);
    tcase_add_test(tc, nobody_has_to_push);
    tcase_add_test(tc, many_threads);
    tcase_add_test(tc, never_too_far_behind);
    tcase_add_test(tc, groups_share_a_sync);
}

static void add_damage(TCase *tc)
{
    tcase_add_test(tc, cut_at_every_byte);
    tcase_add_test(tc, zeros_from_every_byte);
    tcase_add_loop_test(tc, flip_bytes, 0, 22);
    tcase_add_test(tc, set_bytes);
    tcase_add_test(tc, zeroed_blocks);
    tcase_add_test(tc, rearranged_lines);
    tcase_add_test(tc, damage_is_refused_and_told);
}

static void add_refusals(TCase *tc)
{
    tcase_add_test(tc, other_files);
    tcase_add_test(tc, other_versions);
    tcase_add_test(tc, other_records);
    tcase_add_test(tc, another_plan);
    tcase_add_test(tc, not_twice);
    tcase_add_test(tc, not_over_another);
    tcase_add_test(tc, no_journal_yet);
    tcase_add_test(tc, no_file);
    tcase_add_test(tc, looked_at);
}

static void add_failures(TCase *tc)
{
    tcase_add_loop_test(tc, disk_full, 0, 2);
    tcase_add_test(tc, sync_fails);
    tcase_add_test(tc, short_and_interrupted_writes);
    tcase_add_test(tc, file_too_large);
    tcase_add_test(tc, failure_wakes_all);
    tcase_add_test(tc, memory_is_short);
}

int main(void)
{
    Suite   *s = suite_create("journal");
    SRunner *runner;
    int      failed;

    add_records(add_case(s, "records"));
    add_damage(add_case(s, "damage"));
    add_refusals(add_case(s, "refusals"));
    add_failures(add_case(s, "failures"));
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
