/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * GLPK ends the process on errors and lack of memory, unless it is kept from it:
 * here each of its allocations fails once. It also keeps an environment a thread,
 * which a call leaves as it was found.
 *
 * This program's malloc() is everybody's, so it is left out with sanitizers, which
 * have one of their own.
 */

#include <check.h>
#include <glpk.h>
#include <pthread.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

enum { TASKS = 300, MANY_TASKS = 30000 };

static double       cpu[MANY_TASKS], gpu[MANY_TASKS];
static hs_instance *small, *large;

static void make_instances(void)
{
    size_t i;

    for (i = 0; i < MANY_TASKS; i++) {
        cpu[i] = 2 + (double)(i * 37 % 101);
        gpu[i] = 1 + (double)(i * 53 % 103);
    }
    ck_assert_int_eq(hs_instance_wrap(TASKS, cpu, gpu, NULL, 3, 2, &small), HS_OK);
    ck_assert_int_eq(hs_instance_wrap(MANY_TASKS, cpu, gpu, NULL, 3, 2, &large), HS_OK);
}

static void free_instances(void)
{
    hs_instance_free(small);
    hs_instance_free(large);
}

static hs_status area_of(const hs_instance *in, double *value)
{
    return hs_bound_compute(hs_bound_find("area"), in, NULL, value);
}

/* ---- the environment ------------------------------------------------------------------ */

START_TEST(errors_become_a_status)
{
    double value = 0;

    glp_init_env();
    glp_mem_limit(1); /* MiB: less than the problem takes */
    ck_assert_int_eq(area_of(large, &value), HS_ESOLVER);
    ck_assert_int_eq(area_of(large, &value), HS_OK);
    ck_assert_double_gt(value, 0);
    glp_free_env();
}
END_TEST

static void *compute_in_thread(void *value)
{
    return area_of(small, value) == HS_OK ? value : NULL;
}

START_TEST(environments_are_left_as_found)
{
    double    value = 0;
    pthread_t thread;
    void     *done;
    glp_prob *mine;

    glp_free_env();
    ck_assert_int_eq(area_of(small, &value), HS_OK);
    ck_assert_int_eq(glp_free_env(), 1); /* there was none, there is none */
    mine = glp_create_prob();
    glp_add_cols(mine, 7);
    glp_term_out(GLP_ON);
    ck_assert_int_eq(area_of(small, &value), HS_OK);
    ck_assert_int_eq(glp_get_num_cols(mine), 7);
    ck_assert_int_eq(glp_term_out(GLP_OFF), GLP_ON);
    glp_delete_prob(mine);
    ck_assert_int_eq(glp_free_env(), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, compute_in_thread, &value), 0);
    ck_assert_int_eq(pthread_join(thread, &done), 0);
    ck_assert_ptr_eq(done, &value);
}
END_TEST

/* ---- every allocation fails --------------------------------------------------------------- */

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define HAS_OWN_MALLOC
#endif
#endif
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_OWN_MALLOC
#endif

#ifndef HAS_OWN_MALLOC

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void  __libc_free(void *at);

static struct {
    int  armed, from_there_on;
    long left, failed, calls;
} heap;

static int fails(void)
{
    heap.calls++;
    if (!heap.armed || heap.left-- > 0 || (heap.failed && !heap.from_there_on))
        return 0;
    heap.failed++;
    return 1;
}

#pragma GCC visibility push(default) /* GLPK is to find them */

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void free(void *at)
{
    __libc_free(at);
}

#pragma GCC visibility pop

static hs_status area_without(long allocation, int from_there_on, double *value)
{
    hs_status st;

    heap.left = allocation;
    heap.failed = 0;
    heap.from_there_on = from_there_on;
    heap.armed = 1;
    st = area_of(small, value);
    heap.armed = 0;
    return st;
}

/* Not so under valgrind. */
static int malloc_is_ours(void)
{
    void *(*volatile allocate)(size_t) = malloc;
    long calls = heap.calls;

    free(allocate(1));
    return heap.calls > calls;
}

START_TEST(no_allocation_is_missed)
{
    double    expected = 0, value, after;
    long      n = 0, failed;
    hs_status st;

    if (!malloc_is_ours())
        return;
    ck_assert_int_eq(area_of(small, &expected), HS_OK);
    do {
        st = area_without(n, _i, &value);
        failed = heap.failed;
        if (st == HS_OK)
            ck_assert(value == expected);
        else
            ck_assert_msg(failed && (st == HS_ENOMEM || st == HS_ESOLVER), "allocation %ld: %s",
                          n, hs_status_text(st));
        ck_assert_int_eq(area_of(small, &after), HS_OK);
        ck_assert(after == expected);
        n++;
    } while (failed);
    ck_assert_int_gt(n, 20);
}
END_TEST

#endif

int main(void)
{
    Suite   *suite = suite_create("glpk");
    TCase   *cases = tcase_create("area");
    SRunner *runner;
    int      failed;

    tcase_set_timeout(cases, 600);
    tcase_add_checked_fixture(cases, make_instances, free_instances);
    tcase_add_test(cases, errors_become_a_status);
    tcase_add_test(cases, environments_are_left_as_found);
#ifndef HAS_OWN_MALLOC
    tcase_add_loop_test(cases, no_allocation_is_missed, 0, 2);
#endif
    suite_add_tcase(suite, cases);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
