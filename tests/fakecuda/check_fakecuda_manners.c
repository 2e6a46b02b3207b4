/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of the fake beside computation: durations, queues, handles and memory calls. */
#include <string.h>
#include <time.h>

#include "fake_fixture.h"
#include "suite.h"

enum { BYTES = 1 << 16 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cublasHandle_t on_two(void)
{
    cublasHandle_t other;

    GOOD(cublasCreate(&other));
    GOOD(cublasSetStream(other, two));
    return other;
}

static void product(cublasHandle_t handle, const double *a, double *c)
{
    static const double unit = 1;

    GOOD(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, N, N, N, &unit, a, LD, a, LD, &unit, c, LD));
}

START_TEST(calls_take_their_time)
{
    fake_settings settings = FAKE_SETTINGS;
    double        start;
    int           i, device;

    settings.host = 1e-3;
    open_with(settings);
    start = now();
    for (i = 0; i < 10; i++)
        GOOD(cudaGetDevice(&device));
    ck_assert_double_ge(now() - start, 0.01);
    teardown();
}
END_TEST

/* Check that a kernel takes its number of flops (2 n^3) divided by the speed. */
START_TEST(kernels_take_what_they_compute)
{
    fake_settings settings = FAKE_SETTINGS;
    double       *there, *other;
    fake_record   last;

    settings.speed = 2.0 * N * N * N / 0.05;
    settings.compute = 0;
    open_with(settings);
    matrix(&there, 0, 0);
    matrix(&other, 1, 0);
    fake_hold_operations(FAKE_KERNEL, 1); /* the launching thread does not wait */
    product(blas, there, other);
    fake_hold_operations(FAKE_KERNEL, 0);
    GOOD(cudaStreamSynchronize(one));
    last = fake_record_at(fake_record_count() - 1);
    ck_assert_str_eq(last.name, "cublasDgemm");
    ck_assert_double_ge(1e-9 * (double)(last.end - last.start), 0.05);
    ck_assert_double_lt(1e-9 * (double)(last.end - last.start), 5);
}
END_TEST

/* Check that kernels of two streams run in sequence with a single engine, else concurrently.
 * */
START_TEST(kernels_at_once)
{
    fake_settings  settings = FAKE_SETTINGS;
    double        *a, *c, *d;
    cublasHandle_t other;
    fake_record    first, second;

    settings.engines = _i;
    settings.kernel = 0.02;
    open_with(settings);
    other = on_two();
    matrix(&a, 0, 0);
    matrix(&c, 1, 0);
    matrix(&d, 2, 0);
    GOOD(cudaStreamSynchronize(one));
    fake_hold_operations(FAKE_KERNEL, 1);
    product(blas, a, c);
    product(other, a, d);
    wait_until(FAKE_KERNEL, _i == 1 ? 1 : 2, 0);
    fake_hold_operations(FAKE_KERNEL, 0);
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaStreamSynchronize(two));
    first = fake_record_at(fake_record_count() - 2);
    second = fake_record_at(fake_record_count() - 1);
    ck_assert(_i == 1 ? second.start >= first.end : second.start < first.end);
    assert_no_misuse();
}
END_TEST

/* Check that with a single hardware queue, an operation behind a stream's second kernel waits for
 * its first kernel. */
START_TEST(queues_are_shared)
{
    fake_settings settings = FAKE_SETTINGS;
    double       *a, *c;
    cudaEvent_t   event;
    cudaError_t   seen;

    settings.queues = _i;
    open_with(settings);
    GOOD(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    matrix(&a, 0, 0);
    matrix(&c, 1, 0);
    GOOD(cudaStreamSynchronize(one));
    fake_hold_operations(FAKE_KERNEL, 1);
    product(blas, a, c);
    product(blas, a, c);
    GOOD(cudaEventRecord(event, two));
    wait_until(FAKE_KERNEL, 1, 0);
    if (_i != 1)
        wait_until(FAKE_RECORD, 0, 1);
    seen = cudaEventQuery(event);
    ck_assert_int_eq(seen, _i == 1 ? cudaErrorNotReady : cudaSuccess);
    fake_hold_operations(FAKE_KERNEL, 0);
    GOOD(cudaEventSynchronize(event));
    ck_assert_uint_ge(fake_ended_count(FAKE_KERNEL), _i == 1);
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaEventDestroy(event));
}
END_TEST

/* Check that a launch into a stream that holds three operations waits for space. */
START_TEST(a_queue_is_full)
{
    enum { ROOM = 3, KERNELS = 10 };
    fake_settings settings = FAKE_SETTINGS;
    double       *a, *c;
    int           i;

    settings.queue = _i ? ROOM : 0;
    open_with(settings);
    matrix(&a, 0, 0);
    matrix(&c, 1, 0);
    GOOD(cudaStreamSynchronize(one));
    fake_hold_operations(FAKE_KERNEL, !_i);
    for (i = 0; i < KERNELS; i++)
        product(blas, a, c);
    if (_i)
        ck_assert_uint_ge(fake_ended_count(FAKE_KERNEL), KERNELS - ROOM);
    else
        ck_assert_uint_eq(fake_full_queue_waits(), 0);
    fake_hold_operations(FAKE_KERNEL, 0);
    GOOD(cudaStreamSynchronize(one));
    ck_assert_uint_eq(fake_ended_count(FAKE_KERNEL), KERNELS);
    assert_no_misuse();
}
END_TEST

/* Check that a handle without memory is refused with an error different from "out of memory". */
START_TEST(handles_are_refused)
{
    fake_settings      settings = FAKE_SETTINGS;
    cublasHandle_t     other;
    cusolverDnHandle_t another;

    settings.memory = 100000;
    settings.handle = 40000;
    open_with(settings);
    ck_assert_uint_eq(fake_memory_used(0), 80000);
    ck_assert_int_eq(cublasCreate(&other), CUBLAS_STATUS_NOT_INITIALIZED);
    ck_assert_int_eq(cusolverDnCreate(&another), CUSOLVER_STATUS_INTERNAL_ERROR);
    GOOD(cublasDestroy(blas));
    GOOD(cublasCreate(&blas));
    teardown();
    ck_assert_uint_eq(fake_memory_used(0), 0);
}
END_TEST

START_TEST(calls_for_memory_wait)
{
    fake_settings settings = FAKE_SETTINGS;
    double       *a, *c;
    void         *memory = NULL;

    settings.hidden = _i;
    settings.kernel = 0.05;
    open_with(settings);
    matrix(&a, 0, 0);
    matrix(&c, 1, 0);
    GOOD(cudaStreamSynchronize(one));
    fake_hold_operations(FAKE_KERNEL, !_i);
    product(blas, a, c);
    GOOD(cudaHostAlloc(&memory, BYTES, cudaHostAllocDefault));
    ck_assert_uint_eq(fake_ended_count(FAKE_KERNEL), (unsigned)_i);
    fake_hold_operations(FAKE_KERNEL, 0);
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaFreeHost(memory));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fake CUDA's manners");
    TCase *tcase = tcase_create("manners");

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, calls_take_their_time);
    tcase_add_test(tcase, kernels_take_what_they_compute);
    tcase_add_loop_test(tcase, kernels_at_once, 0, 3);
    tcase_add_loop_test(tcase, queues_are_shared, 0, 3);
    tcase_add_loop_test(tcase, a_queue_is_full, 0, 2);
    tcase_add_test(tcase, handles_are_refused);
    tcase_add_loop_test(tcase, calls_for_memory_wait, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
