/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The fake's computations, refusals and misuse reports. See check_fakecuda_order.c for the order of
 * operations.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fake_fixture.h"
#include "suite.h"

START_TEST(dgemm)
{
    int     ta = _i & 1, tb = _i >> 1, i, j, k;
    double  alpha = 1.5, beta = -0.5, want, *a_there, *b_there, *c_there, *c;
    double *a = matrix(&a_there, 1, 0), *b = matrix(&b_there, 2, 0), *old = matrix(&c_there, 3, 0);

    GOOD(cublasDgemm(blas, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, N - 3,
                     N - 1, N - 2, &alpha, a_there, LD, b_there, LD, &beta, c_there, LD));
    alpha = beta = 0; /* alpha and beta were read at the call */
    c = fetch(c_there, CELLS);
    for (i = 0; i < N - 3; i++)
        for (j = 0; j < N - 1; j++) {
            for (want = -0.5 * at(old, 0, i, j), k = 0; k < N - 2; k++)
                want += 1.5 * at(a, ta, i, k) * at(b, tb, k, j);
            near(at(c, 0, i, j), want);
        }
    near(at(c, 0, N - 3, 0), at(old, 0, N - 3, 0));
    cudaFree(a_there), cudaFree(b_there), cudaFree(c_there);
    cudaFreeHost(a), cudaFreeHost(b), cudaFreeHost(c), cudaFreeHost(old);
    ck_assert_uint_eq(fake_default_workspaces(), 1);
    assert_no_misuse();
}
END_TEST

START_TEST(dsyrk_and_dtrsm)
{
    int     i, j, k;
    double  one_ = 1, minus = -1, want, *a_there, *c_there, *c;
    double *a = matrix(&a_there, 1, 9), *old = matrix(&c_there, 5, 0);

    GOOD(cublasDsyrk(blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, N, N, &minus, a_there, LD, &one_,
                     c_there, LD));
    c = fetch(c_there, CELLS);
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            for (want = at(old, 0, i, j), k = 0; k < N && i >= j; k++)
                want -= at(a, 0, i, k) * at(a, 0, j, k);
            near(at(c, 0, i, j), want);
        }
    cudaFreeHost(old);
    GOOD(cublasDtrsm(blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                     CUBLAS_DIAG_NON_UNIT, N, N, &one_, a_there, LD, c_there, LD));
    old = c;
    c = fetch(c_there, CELLS);
    for (i = 0; i < N; i++) /* check C L' against the old C */
        for (j = 0; j < N; j++) {
            for (want = 0, k = 0; k <= j; k++)
                want += at(c, 0, i, k) * at(a, 0, j, k);
            near(want, at(old, 0, i, j));
        }
    cudaFree(a_there), cudaFree(c_there);
    cudaFreeHost(a), cudaFreeHost(c), cudaFreeHost(old);
    assert_no_misuse();
}
END_TEST

/* Device memory of a cuSOLVER call: workspace, tau or pivots, and info. */
typedef struct workshop {
    double *work, *tau;
    int    *pivots, *info, size;
} workshop;

static workshop workshop_open(int size)
{
    return (workshop){device((size_t)size * sizeof(double)), device(N * sizeof(double)),
                      device(N * sizeof(int)), device(sizeof(int)), size};
}

static void workshop_close(workshop *w)
{
    int *info = pinned(sizeof *info);

    GOOD(cudaMemcpyAsync(info, w->info, sizeof *info, cudaMemcpyDeviceToHost, one));
    GOOD(cudaStreamSynchronize(one));
    ck_assert_int_eq(*info, 0);
    cudaFreeHost(info);
    cudaFree(w->work), cudaFree(w->tau), cudaFree(w->pivots), cudaFree(w->info);
}

START_TEST(dpotrf)
{
    int      i, j, k, size = 0;
    double   want, *there, *a = matrix(&there, 1, 9), *l;
    workshop w;

    GOOD(cusolverDnDpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, N, there, LD, &size));
    w = workshop_open(size);
    ck_assert_int_ne(
        cusolverDnDpotrf(solver, CUBLAS_FILL_MODE_LOWER, N, there, LD, w.work, size - 1, w.info),
        CUSOLVER_STATUS_SUCCESS);
    GOOD(cusolverDnDpotrf(solver, CUBLAS_FILL_MODE_LOWER, N, there, LD, w.work, size, w.info));
    l = fetch(there, CELLS);
    for (i = 0; i < N; i++)
        for (j = 0; j <= i; j++) {
            for (want = 0, k = 0; k <= j; k++)
                want += at(l, 0, i, k) * at(l, 0, j, k);
            near(want, at(a, 0, i, j));
        }
    workshop_close(&w);
    cudaFree(there), cudaFreeHost(a), cudaFreeHost(l);
    assert_no_misuse();
}
END_TEST

/* Check dgetrf: L U = A without pivots, and L U = P A with pivots. */
START_TEST(dgetrf)
{
    int      i, j, k, size = 0, *pivots = pinned(N * sizeof *pivots);
    double   want, *there, *a = matrix(&there, 1, _i ? 0 : 9), *lu;
    workshop w;

    GOOD(cusolverDnDgetrf_bufferSize(solver, N, N, there, LD, &size));
    w = workshop_open(size);
    GOOD(cusolverDnDgetrf(solver, N, N, there, LD, w.work, _i ? w.pivots : NULL, w.info));
    lu = fetch(there, CELLS);
    for (k = 0; _i && k < N; k++) {
        if (k == 0) {
            GOOD(
                cudaMemcpyAsync(pivots, w.pivots, N * sizeof *pivots, cudaMemcpyDeviceToHost, one));
            GOOD(cudaStreamSynchronize(one));
        }
        for (j = 0; j < N; j++) {
            want = a[j * LD + k];
            a[j * LD + k] = a[j * LD + pivots[k] - 1];
            a[j * LD + pivots[k] - 1] = want;
        }
    }
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            for (want = 0, k = 0; k <= i && k <= j; k++)
                want += (k == i ? 1 : at(lu, 0, i, k)) * at(lu, 0, k, j);
            near(want, at(a, 0, i, j));
        }
    workshop_close(&w);
    cudaFree(there), cudaFreeHost(a), cudaFreeHost(lu), cudaFreeHost(pivots);
    assert_no_misuse();
}
END_TEST

/* Check dgeqrf and dormqr: Q' A = R. */
START_TEST(dgeqrf_and_dormqr)
{
    int      i, j, size = 0, more = 0;
    double  *there, *copy_there, *a = matrix(&there, 1, 2), *copy = matrix(&copy_there, 1, 2);
    double  *r, *got;
    workshop w;

    GOOD(cusolverDnDgeqrf_bufferSize(solver, N, N, there, LD, &size));
    GOOD(cusolverDnDormqr_bufferSize(solver, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, N, N, N, there, LD,
                                     NULL, copy_there, LD, &more));
    w = workshop_open(size > more ? size : more);
    GOOD(cusolverDnDgeqrf(solver, N, N, there, LD, w.tau, w.work, w.size, w.info));
    GOOD(cusolverDnDormqr(solver, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, N, N, N, there, LD, w.tau,
                          copy_there, LD, w.work, w.size, w.info));
    r = fetch(there, CELLS);
    got = fetch(copy_there, CELLS);
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            near(at(got, 0, i, j), i <= j ? at(r, 0, i, j) : 0);
    workshop_close(&w);
    cudaFree(there), cudaFree(copy_there);
    cudaFreeHost(a), cudaFreeHost(copy), cudaFreeHost(r), cudaFreeHost(got);
    assert_no_misuse();
}
END_TEST

/* Check that dormqr leaves the reflectors unchanged for concurrent readers. */
START_TEST(dormqr_leaves_its_reflectors)
{
    enum { TIMES = 500 };
    int      i, size = 0;
    double  *there, *copy_there, *a = matrix(&there, 1, 2), *copy = matrix(&copy_there, 1, 2);
    double  *copies = device(TIMES * CELLS * sizeof *copies), *got;
    workshop w;

    GOOD(cusolverDnDormqr_bufferSize(solver, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, N, N, N, there, LD,
                                     NULL, copy_there, LD, &size));
    w = workshop_open(size);
    GOOD(cudaMemsetAsync(w.tau, 0, N * sizeof *w.tau, one));
    GOOD(cudaStreamSynchronize(one));
    for (i = 0; i < TIMES; i++) {
        GOOD(cusolverDnDormqr(solver, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, N, N, N, there, LD, w.tau,
                              copy_there, LD, w.work, w.size, w.info));
        GOOD(cudaMemcpyAsync(copies + i * CELLS, there, CELLS * sizeof *copies,
                             cudaMemcpyDeviceToDevice, two));
    }
    GOOD(cudaStreamSynchronize(two));
    got = fetch(copies, TIMES * CELLS);
    for (i = 0; i < TIMES; i++)
        ck_assert_mem_eq(got + i * CELLS, a, CELLS * sizeof *a);
    workshop_close(&w);
    cudaFree(there), cudaFree(copy_there), cudaFree(copies);
    cudaFreeHost(a), cudaFreeHost(copy), cudaFreeHost(got);
    assert_no_misuse();
}
END_TEST

START_TEST(a_source_that_changes_is_noticed)
{
    void   *memory = device(64);
    double *from = pinned(64), *to = pinned(64), plain[8] = {1};

    *from = 1;
    fake_set_quiet(1);
    fake_hold_operations(FAKE_COPY_IN, 1);
    GOOD(cudaMemcpyAsync(memory, from, 64, cudaMemcpyHostToDevice, one));
    wait_until(FAKE_COPY_IN, 1, 0);
    *from = 2;
    fake_hold_operations(FAKE_COPY_IN, 0);
    GOOD(cudaMemcpyAsync(to, memory, 64, cudaMemcpyDeviceToHost, one));
    GOOD(cudaStreamSynchronize(one));
    ck_assert_double_eq(*to, 2); /* the source was read late */
    misused("source has changed");
    ck_assert_uint_eq(fake_pageable_copies(), 0);
    GOOD(cudaMemcpyAsync(memory, plain, 64, cudaMemcpyHostToDevice, one));
    plain[0] = 7; /* allowed, and slow */
    GOOD(cudaMemcpyAsync(plain, memory, 64, cudaMemcpyDeviceToHost, one));
    ck_assert_double_eq(plain[0], 1);
    ck_assert_uint_eq(fake_pageable_copies(), 2);
    ck_assert_uint_eq(fake_misuse_count(), 1);
    cudaFree(memory), cudaFreeHost(from), cudaFreeHost(to);
}
END_TEST

START_TEST(memory_that_is_not_there)
{
    void *memory = device(64), *other;

    fake_set_quiet(1);
    switch (_i) {
    case 0:
        GOOD(cudaFreeAsync(memory, one));
        ck_assert_int_eq(cudaMemsetAsync(memory, 0, 64, one), cudaErrorIllegalAddress);
        misused("freed");
        break;
    case 1:
        GOOD(cudaFree(memory));
        ck_assert_int_eq(cudaFree(memory), cudaErrorInvalidValue);
        misused("freed already");
        break;
    case 2:
        ck_assert_int_eq(cudaMemsetAsync(memory, 0, 65, one), cudaErrorIllegalAddress);
        misused("1 bytes behind");
        cudaFree(memory);
        break;
    case 3: /* freed on a stream while another stream may use the memory */
        GOOD(cudaMemsetAsync(memory, 0, 64, one));
        GOOD(cudaFreeAsync(memory, two));
        misused("another stream");
        break;
    default: /* used on a stream while another stream may not have allocated the memory */
        GOOD(cudaMallocAsync(&other, 64, one));
        GOOD(cudaMemsetAsync(other, 0, 64, two));
        misused("another stream");
        cudaFree(other);
        cudaFree(memory);
    }
}
END_TEST

START_TEST(memory_is_limited)
{
    void  *memory = NULL, *more = NULL;
    size_t room = 0, total = 0;

    GOOD(cudaMallocAsync(&memory, (size_t)600 << 20, one));
    ck_assert_int_eq(cudaMallocAsync(&more, (size_t)600 << 20, one), cudaErrorMemoryAllocation);
    GOOD(cudaMemGetInfo(&room, &total));
    ck_assert_uint_eq(total, (size_t)1 << 30);
    ck_assert_uint_eq(room, (size_t)424 << 20);
    ck_assert_uint_eq(fake_memory_used(0), (size_t)600 << 20);
    GOOD(cudaFreeAsync(memory, one));
    ck_assert_uint_eq(fake_memory_used(0), 0);
    ck_assert_uint_eq(fake_memory_peak(0), (size_t)600 << 20);
    ck_assert_int_eq(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorMemoryAllocation);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
    assert_no_misuse();
}
END_TEST

START_TEST(a_leak_is_named)
{
    void       *memory = device(64);
    cudaEvent_t event;
    char        text[256];

    GOOD(cudaEventCreateWithFlags(&event, 0));
    fake_list_live_objects(text, sizeof text);
    ck_assert_str_eq(text, "stream: 2, event: 1, cuBLAS handle: 1, cuSOLVER handle: 1, memory: 1");
    cudaEventDestroy(event);
    fake_set_quiet(1);
    ck_assert_int_ne(cudaEventDestroy(event), cudaSuccess);
    misused("event is destroyed");
    cudaFree(memory);
}
END_TEST

START_TEST(a_call_fails_once)
{
    void *memory = NULL;

    fake_fail_call(2, 0, 0);
    GOOD(cudaMalloc(&memory, 64));
    ck_assert_int_eq(cudaMemsetAsync(memory, 0, 64, one), cudaErrorInvalidValue);
    ck_assert_str_eq(fake_name_of_failed_call(), "cudaMemsetAsync");
    GOOD(cudaMemsetAsync(memory, 0, 64, one));
    fake_fail_call(1, 0, 0);
    ck_assert_int_ne(cudaFree(memory), cudaSuccess); /* whether the memory was freed is unknown */
    ck_assert_uint_eq(fake_live_objects(), 4);
    GOOD(cudaFree(memory));
    assert_no_misuse();
}
END_TEST

START_TEST(a_broken_device_stays_so)
{
    void       *memory = device(64);
    cudaEvent_t event;

    GOOD(cudaEventCreateWithFlags(&event, cudaEventDefault));
    fake_fail_call(1, cudaErrorIllegalAddress, 1);
    ck_assert_int_eq(cublasSetWorkspace(blas, NULL, 0), CUBLAS_STATUS_EXECUTION_FAILED);
    ck_assert_int_eq(cudaMemsetAsync(memory, 0, 64, one), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaStreamSynchronize(one), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaEventQuery(event), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaEventDestroy(event), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaFree(memory), cudaErrorIllegalAddress);
    ck_assert_uint_eq(fake_live_objects(), 4);
    assert_no_misuse();
}
END_TEST

START_TEST(an_operation_breaks_its_device)
{
    void *memory;

    teardown();
    open_with((fake_settings){.devices = 2, .memory = 1 << 20, .compute = 1, .fail_operation = 2});
    memory = device(64);
    GOOD(cudaMemsetAsync(memory, 0, 64, one));
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaMemsetAsync(memory, 0, 64, one));
    ck_assert_int_eq(cudaStreamSynchronize(one), cudaErrorLaunchFailure);
    ck_assert_str_eq(fake_name_of_failed_call(), "cudaMemsetAsync");
    GOOD(cudaSetDevice(1)); /* the second device still works */
    cudaFree(device(64));
    ck_assert_int_eq(cudaSetDevice(0), cudaErrorLaunchFailure);
    cudaFree(memory);
    assert_no_misuse();
}
END_TEST

static cudaError_t ask(int how, cudaEvent_t event)
{
    switch (how) {
    case 0:
        return cudaStreamSynchronize(one);
    case 1:
        return cudaStreamQuery(two);
    case 2:
        return cudaEventSynchronize(event);
    case 3:
        return cudaSetDevice(0);
    default:
        return cudaGetLastError();
    }
}

/* Check that memory used by copies of or from a broken device may be freed, whichever call reported
 * the failure. */
START_TEST(a_broken_device_has_stopped)
{
    int          of_peer = _i >= 5;
    fake_kind    kind = of_peer ? FAKE_COPY_PEER : FAKE_COPY_OUT;
    void        *memory, *more, *to;
    cudaStream_t other;
    cudaEvent_t  event;

    teardown();
    open_with((fake_settings){.devices = 2,
                              .memory = 1 << 20,
                              .bandwidth = 64 / 0.1,
                              .compute = 1,
                              .fail_operation = 2,
                              .peers = 1});
    memory = device(64), more = device(1);
    GOOD(cudaEventCreateWithFlags(&event, cudaEventDefault));
    GOOD(cudaEventRecord(event, two));
    GOOD(cudaSetDevice(1));
    GOOD(cudaDeviceEnablePeerAccess(0, 0));
    GOOD(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    to = of_peer ? device(64) : pinned(64);
    if (of_peer)
        GOOD(cudaMemcpyPeerAsync(to, 1, memory, 0, 64, other));
    GOOD(cudaSetDevice(0));
    if (!of_peer)
        GOOD(cudaMemcpyAsync(to, memory, 64, cudaMemcpyDeviceToHost, one));
    wait_until(kind, 1, 0);
    GOOD(cudaMemsetAsync(more, 0, 1, two));
    while (ask(_i % 5, event) != cudaErrorLaunchFailure)
        ;
    ck_assert_uint_eq(fake_ended_count(kind), 1);
    cudaFree(memory), cudaFree(more);
    if (of_peer)
        cudaFree(to);
    else
        cudaFreeHost(to);
    cudaEventDestroy(event), cudaStreamDestroy(other);
    assert_no_misuse();
}
END_TEST

START_TEST(no_device)
{
    int           count = -1, version = -1;
    fake_settings settings = {.devices = _i - 1};

    teardown();
    fake_reset(&settings);
    ck_assert_int_eq(cudaGetDeviceCount(&count),
                     _i ? cudaErrorNoDevice : cudaErrorInsufficientDriver);
    ck_assert_int_eq(count, 0);
    GOOD(cudaDriverGetVersion(&version));
    ck_assert_int_eq(version != 0, _i);
    setup();
}
END_TEST

START_TEST(two_devices)
{
    struct cudaDeviceProp first, second;
    int                   count = 0;
    char                  bus[32];
    void                 *memory;

    teardown();
    open_with((fake_settings){.devices = 2, .memory = 1 << 20, .compute = 1});
    GOOD(cudaGetDeviceCount(&count));
    ck_assert_int_eq(count, 2);
    GOOD(cudaGetDeviceProperties(&first, 0));
    GOOD(cudaGetDeviceProperties(&second, 1));
    ck_assert_int_ne(memcmp(&first.uuid, &second.uuid, sizeof first.uuid), 0);
    GOOD(cudaDeviceGetPCIBusId(bus, sizeof bus, 1));
    ck_assert_str_eq(bus, "0000:41:00.0");
    GOOD(cudaSetDevice(1));
    memory = device(64);
    ck_assert_uint_eq(fake_memory_used(0), 0);
    ck_assert_uint_eq(fake_memory_used(1), 64);
    fake_set_quiet(1);
    ck_assert_int_ne(cudaMemsetAsync(memory, 0, 64, one), cudaSuccess);
    misused("another device");
    cudaFree(memory);
    GOOD(cudaSetDevice(0));
    ck_assert_int_ne(cudaSetDevice(2), cudaSuccess);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fakecuda");
    TCase *tcase = tcase_create("fakecuda");

    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, dgemm, 0, 4);
    tcase_add_test(tcase, dsyrk_and_dtrsm);
    tcase_add_test(tcase, dpotrf);
    tcase_add_loop_test(tcase, dgetrf, 0, 2);
    tcase_add_test(tcase, dgeqrf_and_dormqr);
    tcase_add_test(tcase, dormqr_leaves_its_reflectors);
    tcase_add_test(tcase, a_source_that_changes_is_noticed);
    tcase_add_loop_test(tcase, memory_that_is_not_there, 0, 5);
    tcase_add_test(tcase, memory_is_limited);
    tcase_add_test(tcase, a_leak_is_named);
    tcase_add_test(tcase, a_call_fails_once);
    tcase_add_test(tcase, a_broken_device_stays_so);
    tcase_add_test(tcase, an_operation_breaks_its_device);
    tcase_add_loop_test(tcase, a_broken_device_has_stopped, 0, 10);
    tcase_add_loop_test(tcase, no_device, 0, 2);
    tcase_add_test(tcase, two_devices);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
