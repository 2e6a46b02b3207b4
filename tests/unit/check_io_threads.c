/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A file that several threads read, cut into pieces of a few bytes, comes to the same as one
 * that a single reader reads: the same instance, or the same refusal in the same place.
 */

#include "io_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "io/instance/reader.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int   __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*run)(void *), void *data);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int   __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*run)(void *), void *data);

static atomic_long left = -1;  /* allocations before the one that fails; negative: none will */
static long        first = -1; /* what it is during a reading, not in the tests themselves */
static atomic_int  threads_left = -1; /* threads before the one that cannot begin */
static atomic_int  threads_begun;

static int refused(void)
{
    return atomic_load(&left) >= 0 && atomic_fetch_sub(&left, 1) == 0;
}

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refused() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return refused() ? NULL : __real_aligned_alloc(alignment, size);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *data)
{
    if (atomic_load(&threads_left) >= 0 && atomic_fetch_sub(&threads_left, 1) <= 0) {
        atomic_store(&threads_left, 0);
        return EAGAIN;
    }
    atomic_fetch_add(&threads_begun, 1);
    return __real_pthread_create(thread, attributes, run, data);
}

struct outcome {
    hs_status     st;
    hs_instance  *in;
    hs_diagnostic why;
    int           was_refused; /* some memory */
};

/* One thread: as ever. More: in pieces of so many bytes, from the first row on. */
static struct outcome read_with(int fd, unsigned threads, size_t piece)
{
    const struct hsi_sharing sharing = {0, 1, piece};
    struct outcome           o = {0};
    hs_read_options          options;

    hs_read_options_init(&options);
    options.threads = threads;
    atomic_store(&left, first);
    o.st = hsi_instance_read(fd, &options, &sharing, &o.in, &o.why);
    o.was_refused = first >= 0 && atomic_load(&left) < 0;
    atomic_store(&left, -1);
    ck_assert_int_eq(o.st == HS_OK, o.in != NULL);
    return o;
}

static char *text_of(const hs_instance *in, size_t *length)
{
    int   fd = scratch_fd();
    char *text;

    ck_assert_int_eq(hs_instance_write(fd, in), HS_OK);
    text = get_text(fd, length);
    close(fd);
    return text;
}

static void same_instance(const hs_instance *a, const hs_instance *b)
{
    size_t a_length, b_length;
    char  *a_text = text_of(a, &a_length), *b_text = text_of(b, &b_length);

    ck_assert_uint_eq(hs_instance_tasks(a), hs_instance_tasks(b));
    if (hs_instance_tasks(a) < 1000000) /* it takes a while */
        ck_assert_uint_eq(hs_instance_digest(a), hs_instance_digest(b));
    ck_assert_uint_eq(a_length, b_length);
    ck_assert_int_eq(memcmp(a_text, b_text, a_length), 0);
    free(a_text);
    free(b_text);
}

static void same_outcome(const struct outcome *one, const struct outcome *several)
{
    ck_assert_msg(one->st == several->st && one->why.line == several->why.line &&
                      one->why.column == several->why.column &&
                      strcmp(one->why.text, several->why.text) == 0,
                  "one: %d at %d:%d: %s\nseveral: %d at %d:%d: %s", (int)one->st,
                  (int)one->why.line, (int)one->why.column, one->why.text, (int)several->st,
                  (int)several->why.line, (int)several->why.column, several->why.text);
    if (one->st == HS_OK)
        same_instance(one->in, several->in);
}

static int good, bad; /* readings compared so far */

/* Lengths about that of a row, and others. */
static size_t random_piece(void)
{
    return 1 + below(below(2) ? 40 : 400);
}

static void compare(int fd)
{
    struct outcome one, several;

    lseek(fd, 0, SEEK_SET);
    one = read_with(fd, 1, 1);
    lseek(fd, 0, SEEK_SET);
    several = read_with(fd, 2 + below(3), random_piece());
    same_outcome(&one, &several);
    good += one.st == HS_OK;
    bad += one.st != HS_OK;
    hs_instance_free(one.in);
    hs_instance_free(several.in);
}

static void compare_text(int fd, const char *text, size_t length)
{
    set_text(fd, text, length);
    compare(fd);
}

static void setup(void)
{
    good = bad = 0;
    hsi_random_seed(&source, 21, 1);
}

/* Quotes with line ends, all columns, all lengths of rows; every other file is damaged. */
START_TEST(random_files)
{
    static const char foreign[] = "\n\r,\"#-.9ea +i\xff\xc3";
    int               fd = scratch_fd();

    for (int i = 0; i < rounds(1500); i++) {
        hs_instance *in = random_instance(60);
        size_t       length;
        char        *text = text_of(in, &length);

        for (unsigned damages = i % 2 ? 1 + below(2) : 0; damages > 0; damages--)
            text[below((unsigned)length)] = foreign[below(sizeof foreign)];
        compare_text(fd, text, length);
        free(text);
        hs_instance_free(in);
    }
    ck_assert_int_gt(good, rounds(1500) / 3);
    ck_assert_int_gt(bad, 0);
    close(fd);
}
END_TEST

/* Ids that count up, or are in no order, or are missing, or are there twice. */
static int put_id(char *to, int kind, unsigned row, unsigned rows)
{
    switch (kind) {
    case 0:
        return sprintf(to, "task-%u,", row + (below(2000) == 0 ? 1 : 0));
    case 1:
        return sprintf(to, "%08x,", row * 2654435769u);
    case 2:
        return sprintf(to, "%u,", below(rows * rows));
    case 3:
        return sprintf(to, "%s,", below(30) ? "" : below(2) ? "t7" : "x#2");
    default:
        return 0;
    }
}

static int put_extra(char *to, int kind, unsigned row, unsigned rows)
{
    switch (kind) {
    case 0:
        return sprintf(to, ",%d,", row > rows / 2 ? (int)below(3) : 0);
    case 1:
        return sprintf(to, ",,%u", below(20) ? 1 : 1 + below(300) * 10000000u);
    default:
        return sprintf(to, ",,%s", row > rows / 2 && below(9) == 0 ? "2" : "");
    }
}

START_TEST(files_of_a_kind)
{
    char *text = malloc(1 << 16);
    int   fd = scratch_fd();

    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < rounds(1500); i++) {
        int      ids = (int)below(5), extra = (int)below(6);
        unsigned rows = 1 + below(300);
        int      at = sprintf(text, "# cpus 2\n# gpus 1\n%scpu,gpu%s\n", ids < 4 ? "id," : "",
                              extra < 3 ? ",priority,count" : "");

        for (unsigned row = 0; row < rows; row++) {
            at += put_id(text + at, ids, row, rows);
            at += sprintf(text + at, "%u.%u,%s", below(90), 1 + below(999),
                          below(50) ? "2.5" : below(10) ? "inf" : below(2) ? "1e308" : "x");
            if (extra < 3)
                at += put_extra(text + at, extra, row, rows);
            at += sprintf(text + at, "%s", row + 1 == rows && below(2) ? "" :
                          below(40) ? "\n" : "\r\n");
        }
        compare_text(fd, text, (size_t)at);
    }
    ck_assert_int_gt(good, rounds(1500) / 8);
    ck_assert_int_gt(bad, rounds(1500) / 8);
    free(text);
    close(fd);
}
END_TEST

/* The id that stands behind the times has its place in every row. */
START_TEST(places_of_ids)
{
    char text[4096];
    int  fd = scratch_fd();

    for (int i = 0; i < rounds(200); i++) {
        int at = sprintf(text, "# cpus 2\n# gpus 1\ncpu,gpu,id\n");

        for (unsigned row = 0; row < 100; row++)
            at += sprintf(text + at, below(9) ? "%u,1,%u\n" : "%u,1,\"a\n%u\"\n",
                          1 + below(5000), below(9000));
        compare_text(fd, text, (size_t)at);
    }
    ck_assert_int_gt(bad, 0);
    close(fd);
}
END_TEST

/* Ids of a few rows, among them some that the library would make up for others. */
static hs_builder *ids_of(unsigned rows, unsigned different)
{
    hs_builder *b = NULL;
    char        id[32];

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    for (unsigned row = 0; row < rows; row++) {
        hs_task task = {.cpu = 1, .gpu = 1, .count = below(1000) ? 1 : 2};

        sprintf(id, "%s%u", below(100) ? "x" : below(2) ? "t" : "x1#", below(different));
        task.id = below(500) ? id : NULL;
        ck_assert_int_eq(hs_builder_add(b, &task), HS_OK);
    }
    return b;
}

/* hs_builder_finish() numbers the tasks before it has the names verified. */
static void number_tasks(const hsi_store *store, uint32_t *numbers)
{
    numbers[0] = 0;
    for (size_t row = 0; row < store->rows; row++)
        numbers[row + 1] = numbers[row] + hsi_store_count(store, row);
}

START_TEST(ids_there_twice)
{
    int twice = 0;

    for (int i = 0; i < rounds(400); i++) {
        unsigned    rows = 1 + below(20000), different = below(2) ? 1u << 31 : rows * 400;
        hs_builder *b = ids_of(rows, different);
        hsi_store   store = *hsi_builder_store(b);
        uint32_t   *numbers = malloc((rows + 1) * sizeof *numbers);
        size_t      one = 0, several = 0;
        hs_status   st;

        ck_assert_ptr_nonnull(numbers);
        number_tasks(&store, numbers);
        store.first = numbers;
        st = hsi_names_verify(&store, 1, &one);
        ck_assert_int_eq(hsi_names_verify(&store, 2 + below(3), &several), st);
        if (st != HS_OK)
            ck_assert_uint_eq(one, several);
        twice += st == HS_EDUPLICATE;
        free(numbers);
        hs_builder_free(b);
    }
    ck_assert_int_gt(twice, rounds(400) / 20);
    ck_assert_int_lt(twice, rounds(400) - rounds(400) / 20);
}
END_TEST

static size_t plain_text(char *text, unsigned rows)
{
    size_t at = (size_t)sprintf(text, "# cpus 2\n# gpus 1\nid,cpu,gpu,kernel\n");

    for (unsigned row = 0; row < rows; row++)
        at += (size_t)sprintf(text + at, "%u,%u.5,3,%s\n", row * 7 % rows, row + 1,
                              row % 3 ? "k" : "");
    return at;
}

START_TEST(streams)
{
    char           text[40000];
    size_t         length = plain_text(text, 1500);
    int            fd = scratch_fd(), ends[2];
    struct outcome one, several;

    set_text(fd, text, length);
    one = read_with(fd, 1, 1);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], text, length), (ssize_t)length);
    close(ends[1]);
    threads_begun = 0;
    several = read_with(ends[0], 3, 1000);
    ck_assert_int_eq(threads_begun, 2);
    same_outcome(&one, &several);
    hs_instance_free(one.in);
    hs_instance_free(several.in);
    close(ends[0]);
    close(fd);
}
END_TEST

/* What is shared is a long file, and only if it is asked for: its text, then its ids. */
START_TEST(long_files_alone)
{
    static const struct {
        unsigned threads, rows;
        int      begun;
    } cases[] = {{0, 500000, 0}, {64, 250000, 0}, {64, 500000, 2}};
    char           *text = malloc((size_t)500000 * 24);
    int             fd = scratch_fd();
    hs_instance    *in[3];
    hs_read_options options;

    ck_assert_ptr_nonnull(text);
    hs_read_options_init(&options);
    for (unsigned i = 0; i < 3; i++) {
        set_text(fd, text, plain_text(text, cases[i].rows));
        options.threads = cases[i].threads;
        threads_begun = 0;
        ck_assert_int_eq(hs_instance_read(fd, &options, &in[i], NULL), HS_OK);
        ck_assert_int_eq(threads_begun, cases[i].begun);
    }
    same_instance(in[0], in[2]);
    for (unsigned i = 0; i < 3; i++)
        hs_instance_free(in[i]);
    free(text);
    close(fd);
}
END_TEST

START_TEST(threads_that_cannot_begin)
{
    char           text[8192];
    size_t         length = plain_text(text, 300);
    int            fd = scratch_fd();
    struct outcome one, several;

    set_text(fd, text, length);
    one = read_with(fd, 1, 1);
    for (int begin = 0; begin < 4; begin++) {
        lseek(fd, 0, SEEK_SET);
        threads_left = begin;
        threads_begun = 0;
        several = read_with(fd, 5, 100);
        threads_left = -1;
        ck_assert_int_eq(threads_begun, begin);
        same_outcome(&one, &several);
        hs_instance_free(several.in);
    }
    hs_instance_free(one.in);
    close(fd);
}
END_TEST

/* Each allocation is refused in turn: the reading fails, or does without. */
START_TEST(memory_is_short)
{
    char           text[8192];
    size_t         length = plain_text(text, 300);
    int            fd = scratch_fd(), failed = 0;
    struct outcome one, several;

    if (_i)
        length += (size_t)sprintf(text + length, "b1,2,3,\"a\nb\"\nb5,5,5,\n");
    set_text(fd, text, length);
    one = read_with(fd, 1, 1);
    for (first = 0;; first++) {
        lseek(fd, 0, SEEK_SET);
        several = read_with(fd, 3, 200);
        if (several.st == HS_ENOMEM)
            failed++;
        else
            same_outcome(&one, &several);
        if (!several.was_refused)
            break;
        hs_instance_free(several.in);
    }
    first = -1;
    ck_assert_int_eq(several.st, HS_OK);
    ck_assert_int_gt(failed, 10);
    hs_instance_free(several.in);
    hs_instance_free(one.in);
    close(fd);
}
END_TEST

int main(void)
{
    Suite   *suite = suite_create("reading by several threads");
    TCase   *tests = tcase_create("threads");
    SRunner *runner = srunner_create(suite);
    int      failed;

    tcase_set_timeout(tests, 600);
    tcase_add_checked_fixture(tests, setup, NULL);
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, random_files);
    tcase_add_test(tests, files_of_a_kind);
    tcase_add_test(tests, places_of_ids);
    tcase_add_test(tests, ids_there_twice);
    tcase_add_test(tests, streams);
    tcase_add_test(tests, long_files_alone);
    tcase_add_test(tests, threads_that_cannot_begin);
    tcase_add_loop_test(tests, memory_is_short, 0, 2);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
