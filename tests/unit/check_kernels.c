/* SPDX-License-Identifier: BSD-3-Clause */

/* Built-in kernels on matrices: results, their verification, repeatability and cancellation. */

#include "config.h"

#include "backend_fixture.h"
#include "suite.h"

#include <math.h>
#include <pthread.h>

#include "support/atomic.h"
#ifdef HAVE_OPENBLAS
#include "exec/backend/kernel/blas.h"
#endif
#include "exec/backend/kernel/kernel.h"
#include "exec/machine/limits.h"

static bool   damage;          /* whether to make the result wrong */
static long   polls_left = -1; /* polls before the task is cancelled; negative: never cancelled */
static int   *polled_cancel;   /* cancel flag of the task; NULL: polls are not counted */
static long   polls;           /* number of polls of the cancel flag */
static long   allocations_left = -1;
static double memory; /* pretended size of memory in bytes; 0: the real size */

void         __real_hsi_job_compute(hsi_job *job);
void         __wrap_hsi_job_compute(hsi_job *job);
int          __real_hsi_job_is_stopped(hsi_job *job);
int          __wrap_hsi_job_is_stopped(hsi_job *job);
void        *__real_aligned_alloc(size_t alignment, size_t size);
HS_API void *__wrap_aligned_alloc(size_t alignment, size_t size); /* exported for sanitizers */
double       __real_hsi_memory_limit(void);
double       __wrap_hsi_memory_limit(void);

void __wrap_hsi_job_compute(hsi_job *job)
{
    __real_hsi_job_compute(job);
    if (damage)
        hsi_element_set(job, job->out[0], 0, hsi_element_get(job, job->out[0], 0) + 1);
}

int __wrap_hsi_job_is_stopped(hsi_job *job)
{
    if (polled_cancel) {
        polls++;
        if (polls_left >= 0 && polls_left-- == 0)
            __atomic_store_n(polled_cancel, 1, __ATOMIC_RELEASE);
    }
    return __real_hsi_job_is_stopped(job);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    if (allocations_left >= 0 && allocations_left-- == 0)
        return NULL;
    return __real_aligned_alloc(alignment, size);
}

double __wrap_hsi_memory_limit(void)
{
    return memory > 0 ? memory : __real_hsi_memory_limit();
}

static const hsi_kernel_entry *kernel_at(int index)
{
    const hsi_kernel_entry *entry = hsi_kernel_at((size_t)index);

    return entry->kernel ? entry : NULL;
}

static int kernel_count(void)
{
    int count = 0;

    while (hsi_kernel_at((size_t)count))
        count++;
    return count;
}

static void open_fixture(fixture *s, bool verify)
{
    fixture_set(s, &hsi_backend_cpu, HS_CPU);
    s->options.verify = verify;
    fixture_open(s);
}

static hs_body *body_of(fixture *s, const char *name, int order)
{
    char    kernel[64];
    hs_task row = {.kernel = kernel};

    snprintf(kernel, sizeof kernel, "%s:%d", name, order);
    return fixture_create_body(s, &row);
}

static hs_outcome run_once(fixture *s, const char *name, int order)
{
    hs_body   *body = body_of(s, name, order);
    hs_outcome outcome = s->backend->run(s->worker, body, &s->attempt);

    s->backend->body_free(body);
    return outcome;
}

/* Return true if the number of rounds is reduced, as under slow tools. */
static bool is_slow(void)
{
    return rounds(100) < 100;
}

static void start_job(hsi_job *job, const hsi_kernel *kernel, int n, uint64_t seed,
                      hsi_space *space)
{
    static const int        never = 0;
    static const hs_attempt attempt = {.cancel = &never};

    hsi_job_begin(job, kernel, hsi_square(n), seed, &attempt, space);
    ck_assert(!job->stopped);
}

static uint64_t seed_of_round(int round)
{
    return 0x9e3779b97f4a7c15u * (uint64_t)(round + 1);
}

static const int sizes[] = {1, 2, 3, 7, 31, 32, 33, 64, 65, 200, 333, 700};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(results_are_correct)
{
    const hsi_kernel_entry *entry = kernel_at(_i);
    fixture                 s;

    if (!entry)
        return;
    open_fixture(&s, true);
    for (int i = 0; i < SIZES && (sizes[i] <= 65 || !is_slow()); i++)
        ck_assert_msg(run_once(&s, entry->name, sizes[i]) == HS_OUTCOME_DONE, "%s", s.why);
    if (entry->alias)
        ck_assert_int_eq(run_once(&s, entry->alias, 40), HS_OUTCOME_DONE);
    fixture_close(&s);
}
END_TEST

/* Compare residuals of right results with half of the limit: verification must fail no task by
 * chance. */
START_TEST(residuals_stay_far_from_the_limit)
{
    const hsi_kernel_entry *entry = kernel_at(_i);
    hsi_space               space = {0};
    double                  largest = 0;
    hsi_job                 job;

    if (!entry)
        return;
    for (int i = 0; i < SIZES && sizes[i] <= 65; i++)
        for (int round = 0; round < rounds(200); round++) {
            double residual;

            start_job(&job, entry->kernel, sizes[i], seed_of_round(round), &space);
            hsi_job_predict_product(&job);
            __real_hsi_job_compute(&job);
            residual = hsi_job_residual(&job);
            ck_assert(!job.stopped);
            largest = residual > largest ? residual : largest;
        }
    hsi_space_free(&space);
    ck_assert_double_lt(largest, HSI_RESIDUAL_MOST / 2);
}
END_TEST

/* Return true if the kernel computes element (i, j) of result `result`. */
static bool is_result(const char *name, int result, int row, int column)
{
    if (strcmp(name + 1, "syrk") == 0 || strcmp(name + 1, "potrf") == 0)
        return row >= column;
    if (strcmp(name + 1, "tpqrt") == 0)
        return result == 1 || row <= column;
    return true;
}

static double damaged_residual(const hsi_kernel *kernel, int n, int result, int element,
                               hsi_space *space)
{
    hsi_job job;

    start_job(&job, kernel, n, seed_of_round(n), space);
    hsi_job_predict_product(&job);
    __real_hsi_job_compute(&job);
    hsi_element_set(&job, job.out[result], element,
                    hsi_element_get(&job, job.out[result], element) +
                        (kernel->single ? 1e-3 : 1e-6));
    return hsi_job_residual(&job);
}

START_TEST(any_damaged_element_is_detected)
{
    static const int        small[] = {1, 2, 5, 33};
    const hsi_kernel_entry *entry = kernel_at(_i);
    hsi_space               space = {0};

    if (!entry)
        return;
    for (int s = 0; s < 4; s++)
        for (int which = 0; which < entry->kernel->outputs; which++)
            for (int e = 0; e < small[s] * small[s]; e++) {
                double residual;

                if (!is_result(entry->name, which, e % small[s], e / small[s]))
                    continue;
                residual = damaged_residual(entry->kernel, small[s], which, e, &space);
                ck_assert_msg(residual > HSI_RESIDUAL_MOST, "%s:%d result %d element %d: %g",
                              entry->name, small[s], which, e, residual);
            }
    hsi_space_free(&space);
}
END_TEST

START_TEST(a_wrong_result_fails_the_task)
{
    const hsi_kernel_entry *entry = kernel_at(_i);
    fixture                 s;

    if (!entry)
        return;
    open_fixture(&s, true);
    damage = true;
    ck_assert_int_eq(run_once(&s, entry->name, 50), HS_OUTCOME_FAILED);
    ck_assert_ptr_nonnull(strstr(s.why, "wrong result: residual"));
    ck_assert_int_eq(strncmp(s.why, entry->name, strlen(entry->name)), 0);
    damage = false;
    ck_assert_int_eq(run_once(&s, entry->name, 50), HS_OUTCOME_DONE);
    fixture_close(&s);
}
END_TEST

START_TEST(damage_passes_without_verification)
{
    fixture s;

    open_fixture(&s, false);
    damage = true;
    ck_assert_int_eq(run_once(&s, "dgemm", 50), HS_OUTCOME_DONE);
    damage = false;
    fixture_close(&s);
}
END_TEST

static size_t result_bytes(const hsi_kernel *kernel, int order)
{
    return (size_t)order * (size_t)order * hsi_kernel_element_bytes(kernel);
}

START_TEST(data_and_results_depend_only_on_the_seed)
{
    enum { N = 97 };
    const hsi_kernel_entry *entry = kernel_at(_i);
    hsi_space               fresh = {0}, used = {0};
    hsi_job                 a, b;

    if (!entry)
        return;
    start_job(&b, entry->kernel, 150, 1, &used);
    __real_hsi_job_compute(&b);
    start_job(&a, entry->kernel, N, seed_of_round(1), &fresh);
    start_job(&b, entry->kernel, N, seed_of_round(1), &used);
    if (!entry->kernel->overwrites)
        ck_assert_mem_eq(a.out[0], b.out[0], result_bytes(entry->kernel, N));
    __real_hsi_job_compute(&a);
    __real_hsi_job_compute(&b);
    ck_assert_mem_eq(a.out[0], b.out[0], result_bytes(entry->kernel, N));
    start_job(&b, entry->kernel, N, seed_of_round(2), &used);
    __real_hsi_job_compute(&b);
    ck_assert_mem_ne(a.out[0], b.out[0], result_bytes(entry->kernel, N));
    hsi_space_free(&fresh);
    hsi_space_free(&used);
}
END_TEST

/* Compare the results of all tasks of a row dgemm:N/PARTS with those of dgemm:N. */
static void compare_parts(const hsi_kernel *kernel, int n, int parts)
{
    hsi_kernel_size size = {.n = n, .columns = n, .parts = parts};
    hsi_space       whole_space = {0}, space = {0};
    hs_task         row = {.struct_size = sizeof row, .id = "parts", .cpu = 1, .gpu = 1};
    hs_builder     *b = NULL;
    hs_instance    *in = NULL;
    hsi_job         whole, job;
    uint64_t        seed;
    int             column = 0;

    row.count = (uint32_t)parts;
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 0), HS_OK);
    row.id = "before";
    ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK);
    row.id = "parts";
    ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK); /* the parts of row 1 are tested */
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    (void)hsi_kernel_shape_of_task(&size, in, (uint32_t)parts, &seed);
    start_job(&whole, kernel, n, seed, &whole_space);
    __real_hsi_job_compute(&whole);
    for (int part = 0; part < parts; part++) {
        static const int        never = 0;
        static const hs_attempt attempt = {.cancel = &never};
        hsi_shape shape = hsi_kernel_shape_of_task(&size, in, (uint32_t)(parts + part), &seed);

        ck_assert_int_eq(shape.first, column);
        ck_assert_int_le(shape.columns, hsi_kernel_largest_shape(&size).columns);
        hsi_job_begin(&job, kernel, shape, seed, &attempt, &space);
        hsi_job_predict_product(&job);
        __real_hsi_job_compute(&job);
        ck_assert_double_le(hsi_job_residual(&job), HSI_RESIDUAL_MOST);
        for (int i = 0; i < n * shape.columns; i++)
            ck_assert_double_eq_tol(hsi_element_get(&job, job.out[0], i),
                                    hsi_element_get(&whole, whole.out[0], n * column + i),
                                    kernel->single ? 1e-5 : 1e-13);
        column += shape.columns;
    }
    ck_assert_int_eq(column, n);
    hsi_space_free(&whole_space);
    hsi_space_free(&space);
    hs_instance_free(in);
    hs_builder_free(b);
}

START_TEST(parts_make_the_whole_result)
{
    const hsi_kernel_entry *entry = kernel_at(_i);

    if (!entry || !entry->kernel->divisible)
        return;
    compare_parts(entry->kernel, 200, 2);
    compare_parts(entry->kernel, 133, 8);
    compare_parts(entry->kernel, 7, 7);
}
END_TEST

START_TEST(sizes_are_read)
{
    const hsi_kernel_entry *gemm = hsi_kernel_find("dgemm", 5), *syrk = hsi_kernel_find("dsyrk", 5);
    const hsi_kernel_entry *copy = hsi_kernel_find("copy", 4);
    hsi_kernel_size         size;

    ck_assert(hsi_kernel_read_size(copy, "4097", &size));
    ck_assert_int_eq(size.n * size.columns * (int)sizeof(double), 8192);
    ck_assert(!hsi_kernel_read_size(copy, "4096/2", &size));
    ck_assert(!hsi_kernel_read_size(copy, "0", &size));
    ck_assert(!hsi_kernel_read_size(copy, "99999999999999999999999", &size));
    if (!gemm->kernel)
        return;
    ck_assert(hsi_kernel_read_size(gemm, "4096/8", &size));
    ck_assert(size.n == 4096 && size.columns == 4096 && size.parts == 8);
    ck_assert(hsi_kernel_read_size(gemm, "8/8", &size));
    ck_assert(!hsi_kernel_read_size(gemm, "8/9", &size));
    ck_assert(!hsi_kernel_read_size(gemm, "8/", &size));
    ck_assert(!hsi_kernel_read_size(gemm, "8/0", &size));
    ck_assert(!hsi_kernel_read_size(gemm, "8/2x", &size));
    ck_assert(!hsi_kernel_read_size(gemm, "65537", &size));
    ck_assert(!hsi_kernel_read_size(gemm, "", &size));
    ck_assert(!hsi_kernel_read_size(syrk, "64/2", &size));
}
END_TEST

/* Cancel the task at each of its polls, or at about `most` of them: the task is aborted, and the
 * worker can run it again. */
static void stop_at_polls(const char *name, int order, long most)
{
    long    count, k, step;
    fixture s;

    open_fixture(&s, true);
    polled_cancel = &s.cancel;
    polls = 0;
    ck_assert_int_eq(run_once(&s, name, order), HS_OUTCOME_DONE);
    count = polls;
    ck_assert_int_gt(count, 0);
    step = 1 + count / most;
    for (k = 0; k < count; k += step) {
        polls_left = k;
        ck_assert_int_eq(run_once(&s, name, order), HS_OUTCOME_ABORTED);
        fixture_reset_cancel(&s);
    }
    polls_left = -1;
    ck_assert_int_eq(run_once(&s, name, order), HS_OUTCOME_DONE);
    polled_cancel = NULL;
    fixture_close(&s);
}

START_TEST(stops_at_every_poll)
{
    const hsi_kernel_entry *entry = kernel_at(_i);

    if (!entry)
        return;
    stop_at_polls(entry->name, 100, 1000);
    if (!is_slow())
        stop_at_polls(entry->name, 400, 50);
}
END_TEST

#ifdef HAVE_OPENBLAS

enum { CALLS_BEFORE_CANCEL = 5 };

static int   *gemm_cancel; /* cancel flag that call CALLS_BEFORE_CANCEL of counted_gemm() sets */
static int    gemm_calls;
static double gemm_most; /* largest m n k of a call */

/* Take the place of cblas_dgemm(): count the call, and compute nothing. */
static void counted_gemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transpose_a,
                         enum CBLAS_TRANSPOSE transpose_b, blasint m, blasint n, blasint k,
                         double alpha, const double *a, blasint lda, const double *b, blasint ldb,
                         double beta, double *c, blasint ldc)
{
    (void)order, (void)transpose_a, (void)transpose_b, (void)alpha, (void)a, (void)lda, (void)b;
    (void)ldb, (void)beta, (void)c, (void)ldc;
    gemm_most = fmax(gemm_most, (double)m * n * k);
    if (++gemm_calls == CALLS_BEFORE_CANCEL)
        __atomic_store_n(gemm_cancel, 1, __ATOMIC_RELEASE);
}

/* Cancel a large product during a call of BLAS: no call follows, and a call computes about a
 * millisecond. */
START_TEST(stops_after_the_call_that_runs)
{
    __typeof__(hsi_blas.dgemm) before = hsi_blas.dgemm;
    fixture                    s;

    open_fixture(&s, false);
    gemm_cancel = &s.cancel;
    hsi_blas.dgemm = counted_gemm;
    ck_assert_int_eq(run_once(&s, "dgemm", 3000), HS_OUTCOME_ABORTED);
    hsi_blas.dgemm = before;
    ck_assert_int_eq(gemm_calls, CALLS_BEFORE_CANCEL);
    ck_assert_double_le(gemm_most, 320. * 320 * 320);
    fixture_close(&s);
}
END_TEST

#endif

static void *run_kernels(void *argument)
{
    const hsi_kernel_entry *entry;
    fixture                *s = argument;
    long                    done = 0;

    fixture_open(s);
    for (int i = 0; (entry = hsi_kernel_at((size_t)i)); i++)
        done += !entry->kernel || run_once(s, entry->name, 70 + i) == HS_OUTCOME_DONE;
    s->backend->worker_close(s->worker);
    s->worker = NULL;
    return (void *)done;
}

START_TEST(workers_do_not_disturb_each_other)
{
    enum { WORKERS = 4 };
    fixture   s[WORKERS];
    pthread_t thread[WORKERS];
    void     *done;

    for (int i = 0; i < WORKERS; i++) {
        fixture_set(&s[i], &hsi_backend_cpu, HS_CPU);
        s[i].options.verify = 1;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, run_kernels, &s[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        ck_assert_int_eq(pthread_join(thread[i], &done), 0);
        ck_assert_msg((long)done == kernel_count(), "%s", s[i].why);
        fixture_close(&s[i]);
    }
}
END_TEST

START_TEST(short_memory_fails_the_task_alone)
{
    const hsi_kernel_entry *entry = kernel_at(_i);
    fixture                 s;

    if (!entry)
        return;
    open_fixture(&s, true);
    for (long k = 0; k < 2; k++) {
        allocations_left = k;
        ck_assert_int_eq(run_once(&s, entry->name, 60 + (int)k), HS_OUTCOME_FAILED);
        ck_assert_ptr_nonnull(strstr(s.why, "out of memory"));
        allocations_left = -1;
        ck_assert_int_eq(run_once(&s, entry->name, 60 + (int)k), HS_OUTCOME_DONE);
        s.backend->worker_close(s.worker);
        s.worker = NULL;
        fixture_open(&s);
    }
    fixture_close(&s);
}
END_TEST

START_TEST(a_size_beyond_all_memory_is_refused)
{
    fixture  s;
    hs_task  row = {.kernel = "dgemm:20000"};
    hs_body *body = NULL;

    open_fixture(&s, true);
    memory = 0x1p30;
    ck_assert_int_eq(hsi_backend_cpu.body_create(&s.options, &row, HS_CPU, &body, &s.error),
                     HS_ERESOURCE);
    ck_assert_ptr_null(body);
    ck_assert_ptr_nonnull(strstr(s.error.why, "needs 6.0 GiB"));
    row.kernel = "dgemm:8000";
    ck_assert_int_eq(hsi_backend_cpu.body_create(&s.options, &row, HS_CPU, &body, &s.error), HS_OK);
    hsi_backend_cpu.body_free(body);
    memory = 0;
    fixture_close(&s);
}
END_TEST

int main(void)
{
    Suite   *suite = suite_create("kernels");
    TCase   *tc = tcase_create("kernels");
    int      count = kernel_count();
    hs_error error;

    if (hsi_blas_open(&error) != HS_OK) { /* start_job() needs BLAS, and uses no backend that
                                             opens it */
        puts(error.why);
        return EXIT_FAILURE;
    }
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, results_are_correct, 0, count);
    tcase_add_loop_test(tc, residuals_stay_far_from_the_limit, 0, count);
    tcase_add_loop_test(tc, any_damaged_element_is_detected, 0, count);
    tcase_add_loop_test(tc, a_wrong_result_fails_the_task, 0, count);
    tcase_add_test(tc, damage_passes_without_verification);
    tcase_add_loop_test(tc, data_and_results_depend_only_on_the_seed, 0, count);
    tcase_add_loop_test(tc, parts_make_the_whole_result, 0, count);
    tcase_add_test(tc, sizes_are_read);
    tcase_add_loop_test(tc, stops_at_every_poll, 0, count);
#ifdef HAVE_OPENBLAS
    tcase_add_test(tc, stops_after_the_call_that_runs);
#endif
    tcase_add_test(tc, workers_do_not_disturb_each_other);
    tcase_add_loop_test(tc, short_memory_fails_the_task_alone, 0, count);
    tcase_add_test(tc, a_size_beyond_all_memory_is_refused);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
