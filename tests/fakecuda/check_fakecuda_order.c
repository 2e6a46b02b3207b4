/* SPDX-License-Identifier: BSD-3-Clause */

/* The order of the fake's operations by streams, events and graphs. */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_fixture.h"
#include "suite.h"

START_TEST(two_streams_need_an_event)
{
    void       *memory = device(64);
    cudaEvent_t event;

    GOOD(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    GOOD(cudaMemsetAsync(memory, 0, 64, one));
    if (_i == 0) {
        GOOD(cudaEventRecord(event, one));
        GOOD(cudaStreamWaitEvent(two, event, 0));
    } else if (_i == 1) {
        GOOD(cudaStreamSynchronize(one));
    } else if (_i == 2) { /* recorded too late */
        fake_set_quiet(1);
        GOOD(cudaStreamWaitEvent(two, event, 0));
        GOOD(cudaEventRecord(event, one));
    }
    GOOD(cudaMemsetAsync(memory, 0, 64, two));
    if (_i == 2)
        misused("another stream");
    else
        assert_no_misuse();
    cudaEventDestroy(event);
    cudaFree(memory);
}
END_TEST

START_TEST(an_event_orders_what_runs)
{
    void       *memory = device(8);
    double     *from = pinned(8), *to = pinned(8);
    cudaEvent_t event;

    GOOD(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    ck_assert_int_eq(cudaEventQuery(event), cudaSuccess);
    *from = 42;
    fake_hold_operations(FAKE_COPY_IN, 1);
    GOOD(cudaMemcpyAsync(memory, from, 8, cudaMemcpyHostToDevice, one));
    GOOD(cudaEventRecord(event, one));
    GOOD(cudaStreamWaitEvent(two, event, 0));
    GOOD(cudaMemcpyAsync(to, memory, 8, cudaMemcpyDeviceToHost, two));
    wait_until(FAKE_COPY_IN, 1, 0);
    wait_until(FAKE_WAIT, 0, 0);
    ck_assert_int_eq(cudaEventQuery(event), cudaErrorNotReady);
    ck_assert_int_eq(cudaStreamQuery(two), cudaErrorNotReady);
    ck_assert_uint_eq(fake_begun_count(FAKE_COPY_OUT), 0);
    ck_assert_double_nan(*to); /* the copy has not run */
    fake_hold_operations(FAKE_COPY_IN, 0);
    GOOD(cudaStreamSynchronize(two));
    ck_assert_double_eq(*to, 42);
    GOOD(cudaEventQuery(event));
    cudaEventDestroy(event);
    cudaFree(memory), cudaFreeHost(from), cudaFreeHost(to);
    assert_no_misuse();
}
END_TEST

START_TEST(a_copy_overlaps_a_kernel_but_not_a_copy)
{
    double  alpha = 1, beta = 0, *a_there, *c_there, *a = matrix(&a_there, 1, 0);
    double *c = matrix(&c_there, 1, 0), *b_there = device(CELLS * sizeof *b_there);

    fake_hold_operations(FAKE_KERNEL, 1);
    GOOD(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &alpha, a_there, LD, a_there, LD,
                     &beta, c_there, LD));
    wait_until(FAKE_KERNEL, 1, 0);
    GOOD(cudaMemcpyAsync(b_there, a, CELLS * sizeof *a, cudaMemcpyHostToDevice, two));
    wait_until(FAKE_COPY_IN, 3, 3);
    ck_assert_uint_eq(fake_ended_count(FAKE_KERNEL), 0);
    fake_hold_operations(FAKE_COPY_IN, 1);
    GOOD(cudaMemcpyAsync(b_there, a, 8, cudaMemcpyHostToDevice, two));
    wait_until(FAKE_COPY_IN, 4, 3);
    fake_hold_operations(FAKE_KERNEL, 0);
    GOOD(cudaMemcpyAsync(a_there, c, 8, cudaMemcpyHostToDevice, one));
    wait_until(FAKE_KERNEL, 1, 1);
    ck_assert_uint_eq(fake_begun_count(FAKE_COPY_IN), 4); /* one engine for each direction */
    fake_hold_operations(FAKE_COPY_IN, 0);
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaStreamSynchronize(two));
    ck_assert_uint_eq(fake_ended_count(FAKE_COPY_IN), 5);
    cudaFree(a_there), cudaFree(b_there), cudaFree(c_there), cudaFreeHost(a), cudaFreeHost(c);
    assert_no_misuse();
}
END_TEST

START_TEST(events_tell_the_time)
{
    void       *memory;
    float       ms = -1;
    cudaEvent_t start, end, dumb;
    size_t      i, seen = 0;

    teardown();
    open_with((fake_settings){.devices = 1, .memory = 1 << 20, .launch = 0.003, .compute = 1});
    memory = device(64);
    GOOD(cudaEventCreateWithFlags(&start, cudaEventDefault));
    GOOD(cudaEventCreateWithFlags(&end, cudaEventDefault));
    GOOD(cudaEventCreateWithFlags(&dumb, cudaEventDisableTiming));
    GOOD(cudaEventRecord(start, one));
    GOOD(cudaMemsetAsync(memory, 0, 64, one));
    GOOD(cudaEventRecord(end, one));
    GOOD(cudaEventRecord(dumb, one));
    GOOD(cudaEventSynchronize(dumb));
    GOOD(cudaEventElapsedTime(&ms, start, end));
    ck_assert_float_ge(ms, 3);
    ck_assert_int_ne(cudaEventElapsedTime(&ms, start, dumb), cudaSuccess);
    for (i = 0; i < fake_record_count(); i++)
        if (fake_record_at(i).kind == FAKE_SET) {
            ck_assert_int_ge(fake_record_at(i).end - fake_record_at(i).start, 3000000);
            seen++;
        }
    ck_assert_uint_eq(seen, 1);
    cudaEventDestroy(start), cudaEventDestroy(end), cudaEventDestroy(dumb);
    cudaFree(memory);
}
END_TEST

static cudaGraphExec_t made(cudaGraph_t graph)
{
    cudaGraphExec_t exec = NULL;

    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphDestroy(graph));
    return exec;
}

START_TEST(a_graph_runs_again_and_again)
{
    double         *there, alpha = 1, beta = 1, *a = matrix(&there, 1, 0), *c, *sum;
    cudaGraph_t     graph;
    cudaGraphExec_t exec;
    cudaEvent_t     event;
    int             i;

    GOOD(cudaEventCreateWithFlags(&event, cudaEventDefault));
    sum = device(CELLS * sizeof *sum);
    GOOD(cudaMemsetAsync(sum, 0, CELLS * sizeof *sum, one));
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    GOOD(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &alpha, there, LD, there, LD, &beta,
                     sum, LD));
    GOOD(cudaEventRecordWithFlags(event, one, cudaEventRecordExternal));
    GOOD(cudaStreamEndCapture(one, &graph));
    exec = made(graph);
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaGraphUpload(exec, one));
    GOOD(cudaStreamSynchronize(one));
    ck_assert_uint_eq(fake_begun_count(FAKE_KERNEL), 0);
    for (i = 0; i < 3; i++)
        GOOD(cudaGraphLaunch(exec, one));
    GOOD(cudaEventSynchronize(event));
    ck_assert_uint_eq(fake_ended_count(FAKE_KERNEL), 3);
    c = fetch(sum, CELLS);
    for (beta = 0, i = 0; i < N; i++)
        beta += 3 * at(a, 0, 5, i) * at(a, 0, i, 7);
    near(at(c, 0, 5, 7), beta);
    GOOD(cudaGraphExecDestroy(exec));
    cudaEventDestroy(event);
    cudaFree(sum), cudaFree(there), cudaFreeHost(a), cudaFreeHost(c);
    assert_no_misuse();
}
END_TEST

START_TEST(an_event_outlives_a_graph_that_records_it)
{
    cudaGraph_t     graph;
    cudaGraphExec_t exec;
    cudaEvent_t     event;

    GOOD(cudaEventCreateWithFlags(&event, cudaEventDefault));
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    GOOD(cudaEventRecordWithFlags(event, one, cudaEventRecordExternal));
    GOOD(cudaStreamEndCapture(one, &graph));
    exec = made(graph);
    if (_i)
        GOOD(cudaGraphExecDestroy(exec));
    fake_set_quiet(1);
    cudaEventDestroy(event);
    if (_i) {
        assert_no_misuse();
    } else {
        misused("an instantiated graph records it");
        GOOD(cudaGraphExecDestroy(exec));
    }
}
END_TEST

/* Begin a capture in stream `one` with a branch in stream `two`. */
static void fork_capture(cudaEvent_t fork)
{
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    GOOD(cudaEventRecord(fork, one));
    GOOD(cudaStreamWaitEvent(two, fork, 0));
}

static cudaGraphExec_t join_capture(cudaEvent_t join)
{
    cudaGraph_t graph = NULL;

    GOOD(cudaEventRecord(join, two));
    GOOD(cudaStreamWaitEvent(one, join, 0));
    GOOD(cudaStreamEndCapture(one, &graph));
    return made(graph);
}

/* Check that unordered branches of a graph that use the same memory are a misuse, and that an
 * unjoined branch fails the capture. */
START_TEST(branches_of_a_graph_need_their_order)
{
    unsigned char  *memory = device(64), *here = pinned(64);
    cudaGraph_t     graph = NULL;
    cudaGraphExec_t exec;
    cudaEvent_t     fork, join;

    fake_set_quiet(_i == 0);
    GOOD(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    GOOD(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    fork_capture(fork);
    GOOD(cudaMemsetAsync(memory, 1, 64, one));
    if (_i == 1) {
        GOOD(cudaEventRecord(join, one));
        GOOD(cudaStreamWaitEvent(two, join, 0));
    }
    GOOD(cudaMemsetAsync(memory, 2, 64, two));
    if (_i == 2) {
        ck_assert_int_eq(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureUnjoined);
        ck_assert_ptr_null(graph);
    } else {
        exec = join_capture(join);
        ck_assert_int_eq(cudaEventQuery(join), cudaErrorCapturedEvent);
        GOOD(cudaGraphLaunch(exec, one));
        GOOD(cudaMemcpyAsync(here, memory, 64, cudaMemcpyDeviceToHost, one));
        GOOD(cudaStreamSynchronize(one));
        ck_assert_int_eq(here[0], _i == 1 ? 2 : 255);
        GOOD(cudaGraphExecDestroy(exec));
    }
    cudaEventDestroy(fork), cudaEventDestroy(join);
    cudaFree(memory), cudaFreeHost(here);
    if (_i)
        assert_no_misuse();
    else
        misused("another branch");
}
END_TEST

/* Check both orders of branches: nodes run one by one, the last captured first, or concurrently. */
START_TEST(branches_of_a_graph_overlap)
{
    fake_settings   settings = FAKE_SETTINGS;
    unsigned char  *memory;
    cudaGraphExec_t exec;
    cudaEvent_t     fork, join;
    fake_record     first, second;

    teardown();
    settings.overlap = _i;
    open_with(settings);
    memory = device(128);
    GOOD(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    GOOD(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    fork_capture(fork);
    GOOD(cudaMemsetAsync(memory, 1, 64, one));
    GOOD(cudaMemsetAsync(memory + 64, 2, 32, two));
    exec = join_capture(join);
    fake_hold_operations(FAKE_SET, 1);
    GOOD(cudaGraphLaunch(exec, one));
    wait_until(FAKE_SET, _i ? 2 : 1, 0);
    fake_hold_operations(FAKE_SET, 0);
    GOOD(cudaStreamSynchronize(one));
    first = fake_record_at(0);
    second = fake_record_at(1);
    ck_assert(first.kind == FAKE_SET && second.kind == FAKE_SET);
    ck_assert(_i ? second.start < first.end : second.start >= first.end && first.bytes == 32);
    GOOD(cudaGraphExecDestroy(exec));
    cudaEventDestroy(fork), cudaEventDestroy(join);
    cudaFree(memory);
    assert_no_misuse();
}
END_TEST

/* Check that an event in a graph orders only its own branch. */
START_TEST(an_event_in_a_graph_is_of_its_branch)
{
    unsigned char  *memory = device(128);
    cudaGraphExec_t exec;
    cudaEvent_t     fork, join, event;

    fake_set_quiet(_i);
    GOOD(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    GOOD(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    GOOD(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    fork_capture(fork);
    GOOD(cudaMemsetAsync(memory + 64, 2, 64, two));
    GOOD(cudaMemsetAsync(memory, 1, 64, one));
    GOOD(cudaEventRecordWithFlags(event, one, cudaEventRecordExternal));
    exec = join_capture(join);
    GOOD(cudaGraphLaunch(exec, one));
    GOOD(cudaStreamWaitEvent(two, event, 0));
    GOOD(cudaMemsetAsync(memory + (_i ? 64 : 0), 3, 64, two));
    if (_i)
        misused("another stream");
    else
        assert_no_misuse();
    GOOD(cudaStreamSynchronize(two));
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaGraphExecDestroy(exec));
    cudaEventDestroy(fork), cudaEventDestroy(join), cudaEventDestroy(event);
    cudaFree(memory);
}
END_TEST

/* Check that an event in a graph is pending from the launch on or, if late, from the run of its
 * node on; until then it has its former state. */
START_TEST(an_event_in_a_graph_is_pending)
{
    fake_settings   settings = FAKE_SETTINGS;
    unsigned char  *memory;
    cudaGraph_t     graph;
    cudaGraphExec_t exec;
    cudaEvent_t     event;

    teardown();
    settings.late = _i;
    open_with(settings);
    memory = device(64);
    GOOD(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    GOOD(cudaMemsetAsync(memory, 1, 64, one));
    GOOD(cudaEventRecordWithFlags(event, one, cudaEventRecordExternal));
    GOOD(cudaStreamEndCapture(one, &graph));
    exec = made(graph);
    fake_hold_operations(FAKE_SET, 1);
    GOOD(cudaGraphLaunch(exec, one));
    wait_until(FAKE_SET, 1, 0);
    ck_assert_int_eq(cudaEventQuery(event), _i ? cudaSuccess : cudaErrorNotReady);
    GOOD(cudaStreamWaitEvent(two, event, 0));
    fake_set_quiet(1);
    GOOD(cudaMemsetAsync(memory, 2, 64, two));
    ck_assert_uint_eq(fake_misuse_count(),
                      (unsigned)_i); /* with a late event, stream `two` did not wait
                                      */
    fake_hold_operations(FAKE_SET, 0);
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaEventQuery(event));
    GOOD(cudaStreamSynchronize(two));
    GOOD(cudaGraphExecDestroy(exec));
    cudaEventDestroy(event);
    cudaFree(memory);
}
END_TEST

START_TEST(not_during_a_capture)
{
    void       *memory = NULL;
    cudaGraph_t graph;
    cudaEvent_t event;

    GOOD(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    fake_set_quiet(1);
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    ck_assert_int_eq(cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
    ck_assert_int_eq(cudaEventQuery(event), cudaErrorStreamCaptureUnsupported);
    ck_assert_int_eq(cudaStreamSynchronize(one), cudaErrorStreamCaptureUnsupported);
    ck_assert_uint_eq(fake_misuse_count(), 2);
    GOOD(cudaStreamEndCapture(one, &graph));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaEventDestroy(event));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fakecuda order");
    TCase *tcase = tcase_create("fakecuda");

    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, two_streams_need_an_event, 0, 3);
    tcase_add_test(tcase, an_event_orders_what_runs);
    tcase_add_test(tcase, a_copy_overlaps_a_kernel_but_not_a_copy);
    tcase_add_test(tcase, events_tell_the_time);
    tcase_add_test(tcase, a_graph_runs_again_and_again);
    tcase_add_loop_test(tcase, an_event_outlives_a_graph_that_records_it, 0, 2);
    tcase_add_loop_test(tcase, branches_of_a_graph_need_their_order, 0, 3);
    tcase_add_loop_test(tcase, branches_of_a_graph_overlap, 0, 2);
    tcase_add_loop_test(tcase, an_event_in_a_graph_is_of_its_branch, 0, 2);
    tcase_add_loop_test(tcase, an_event_in_a_graph_is_pending, 0, 2);
    tcase_add_test(tcase, not_during_a_capture);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
