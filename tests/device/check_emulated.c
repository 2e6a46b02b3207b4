/* SPDX-License-Identifier: BSD-3-Clause */
/* Emulated devices beyond the conformance suite: settings, steps by hand, times, failures. */
#include <string.h>

#include "exec/device/emulated/emulated.h"
#include "failing_memory.h"
#include "suite.h"
#include "support/clock.h"

enum { BYTES = 1000 };

static const hs_device_ops *const ops = &hsi_device_emulated;

static hs_device *opened(const char *which)
{
    hs_device *device = NULL;
    hs_error   error = {0};

    ck_assert_msg(ops->open(which, 0, &device, &error) == HS_OK, "%s", error.why);
    return device;
}

static hs_stream stream_of(hs_device *device)
{
    hs_stream stream;

    ck_assert(ops->stream_open(device, &stream));
    return stream;
}

static hs_event event_of(hs_device *device)
{
    hs_event event;

    ck_assert(ops->event_open(device, &event));
    return event;
}

static int awaited(hs_event *event)
{
    int state;

    while ((state = ops->query(event)) == 0)
        ;
    return state;
}

START_TEST(settings_are_read)
{
    hsi_emulated_settings s;
    hs_error              error = {0};

    ck_assert_int_eq(hsi_emulated_read_settings(NULL, &s, &error), HS_OK);
    ck_assert_double_eq(s.devices, 1);
    ck_assert_double_eq(s.memory, 64e6);
    ck_assert_int_eq(hsi_emulated_read_settings("devices=2,bandwidth=1e9,launch=1e-6,speed=1e10,"
                                                "memory=5e6,chunk=1e6,manual=1,fail-call=3,"
                                                "fail-operation=4,fault=wrong",
                                                &s, &error),
                     HS_OK);
    ck_assert(s.devices == 2 && s.bandwidth == 1e9 && s.launch == 1e-6 && s.speed == 1e10);
    ck_assert(s.memory == 5e6 && s.chunk == 1e6 && s.manual == 1 && s.fail_call == 3);
    ck_assert(s.fail_operation == 4 && s.fault == HSI_EMULATED_WRONG);
}
END_TEST

static const char *const wrong[] = {"devices",
                                    "devices=",
                                    "devices=-1",
                                    "devices=65",
                                    "device=1",
                                    "devices=1x",
                                    "fault=bad",
                                    "memory=inf",
                                    "launch=nan",
                                    "fault=",
                                    "=1",
                                    "bandwidth=1e9,,speed=1",
                                    "abcdefghijklmnopqrstuvwxyz=1",
                                    "devices=2;memory=5"};

START_TEST(wrong_settings_are_named)
{
    hs_device_info list[1];
    unsigned       count;
    hs_device     *device;
    hs_error       error = {0};

    ck_assert_int_eq(ops->list(wrong[_i], list, 1, &count, &error), HS_EINVAL);
    ck_assert(error.why[0]);
    ck_assert_int_eq(ops->open(wrong[_i], 0, &device, &error), HS_EINVAL);
}
END_TEST

START_TEST(steps_by_hand)
{
    unsigned char memory[BYTES] = {1}, back[BYTES] = {0};
    hs_device    *device = opened("manual=1");
    hs_stream     a = stream_of(device), b = stream_of(device);
    hs_event      e = event_of(device);
    hs_buffer     buffer;

    ck_assert(ops->alloc(device, BYTES, &buffer));
    ck_assert_int_eq(hsi_emulated_step(&a), 0); /* nothing is there */
    ck_assert(
        ops->copy(&a, (hs_address){device, buffer, 0}, (hs_address){.buffer = memory}, BYTES));
    ck_assert(ops->record(&a, &e));
    ck_assert(ops->wait(&b, &e));
    ck_assert(ops->copy(&b, (hs_address){.buffer = back}, (hs_address){device, buffer, 0}, BYTES));
    ck_assert_int_eq(hsi_emulated_step(&b), 0); /* it waits */
    ck_assert_int_eq(hsi_emulated_step(&a), 1);
    ck_assert_int_eq(hsi_emulated_step(&b), 0);
    ck_assert_int_eq(ops->query(&e), 0);
    ck_assert_int_eq(hsi_emulated_step(&a), 1);
    ck_assert_int_eq(ops->query(&e), 1);
    ck_assert_int_eq(hsi_emulated_step(&a), 0);
    ck_assert_int_eq(hsi_emulated_step(&b), 1);
    ck_assert_int_eq(back[0], 0);
    ck_assert_int_eq(hsi_emulated_step(&b), 1);
    ck_assert_int_eq(back[0], 1);
    ops->stream_close(&a);
    ops->stream_close(&b);
    ops->event_close(&e);
    ops->release(device, buffer);
    ops->close(device);
}
END_TEST

/* Copies take at least bytes / bandwidth, operations at least flops / speed. */
START_TEST(work_takes_its_time)
{
    enum { N = 10 };
    unsigned char memory[BYTES] = {0};
    hs_device    *device = opened("bandwidth=1e5,launch=5e-3,speed=2e5");
    hs_stream     stream = stream_of(device);
    hs_event      first = event_of(device), last = event_of(device);
    hs_operation  gemm = {.kind = HS_OPERATION_GEMM, .m = N, .n = N, .k = N};
    hs_buffer     buffer;
    int64_t       ns, start = hsi_clock_ns();

    ck_assert(ops->alloc(device, BYTES, &buffer));
    ck_assert(ops->record(&stream, &first));
    ck_assert(
        ops->copy(&stream, (hs_address){device, buffer, 0}, (hs_address){.buffer = memory}, BYTES));
    ck_assert(ops->record(&stream, &last));
    ck_assert_int_eq(awaited(&last), 1);
    ck_assert(ops->elapsed(&first, &last, &ns));
    ck_assert_int_ge(ns, 15000000);
    gemm.a = gemm.b = gemm.c = (hs_operand){buffer, 0, N};
    ck_assert(ops->launch(&stream, &gemm));
    ck_assert(ops->record(&stream, &first));
    ck_assert_int_eq(awaited(&first), 1);
    ck_assert(ops->elapsed(&last, &first, &ns));
    ck_assert_int_ge(ns, 15000000);
    ck_assert_int_ge(hsi_clock_ns() - start, 30000000);
    ops->stream_close(&stream);
    ops->event_close(&first);
    ops->event_close(&last);
    ops->release(device, buffer);
    ops->close(device);
}
END_TEST

START_TEST(a_result_is_wrong)
{
    float      memory[3] = {1, 2, 3}, back[3];
    hs_device *device = opened("fail-operation=2,fault=wrong");
    hs_stream  stream = stream_of(device);
    hs_event   event = event_of(device);
    hs_buffer  buffer;

    ck_assert(ops->alloc(device, sizeof memory, &buffer));
    ck_assert(ops->copy(&stream, (hs_address){device, buffer, 0}, (hs_address){.buffer = memory},
                        sizeof memory));
    ck_assert(ops->copy(&stream, (hs_address){.buffer = back}, (hs_address){device, buffer, 0},
                        sizeof memory));
    ck_assert(ops->record(&stream, &event));
    ck_assert_int_eq(awaited(&event), 1);
    ck_assert(back[0] != 1 && back[1] == 2 && back[2] == 3);
    ck_assert_int_eq(device->fault.kind, HS_FAULT_NONE);
    ops->stream_close(&stream);
    ops->event_close(&event);
    ops->release(device, buffer);
    ops->close(device);
}
END_TEST

/* Copies and operands must lie in their buffers. Index: 0 to 2: copies, then operations. */
START_TEST(work_beside_its_buffer_is_refused)
{
    enum { N = 5 };
    static double memory[N * N + 1];
    hs_device    *device = opened(NULL);
    hs_stream     stream = stream_of(device);
    hs_operation  gemm = {.kind = HS_OPERATION_GEMM, .m = N, .n = N, .k = N};
    hs_address    host = {.buffer = memory}, there = {.device = device};
    hs_buffer     buffer;
    int           result;

    ck_assert(ops->alloc(device, N * N * sizeof(double), &buffer));
    there.buffer = buffer;
    there.offset = _i == 1 ? SIZE_MAX : _i == 2;
    gemm.a = gemm.b = gemm.c = (hs_operand){buffer,
                                            _i == 3   ? 8
                                            : _i == 4 ? 4
                                                      : 0,
                                            _i == 5 ? N - 1 : N};
    gemm.k = _i == 6 ? N + 1 : _i == 7 ? -1 : N;
    if (_i < 3)
        result = ops->copy(&stream, there, host, sizeof(double) * (N * N + (_i == 0)));
    else
        result = ops->launch(&stream, &gemm);
    ck_assert_int_eq(result, 0);
    ck_assert_int_eq(device->fault.kind, HS_FAULT_LOST);
    ops->stream_close(&stream);
    ops->release(device, buffer);
    ops->close(device);
}
END_TEST

/* The limits are exact: a buffer of the chunk size, buffers that fill the memory. */
START_TEST(memory_and_chunks_are_limits)
{
    hs_device *device = opened("memory=1000,chunk=400");
    hs_buffer  buffer[3], more;
    int        i;

    ck_assert_uint_eq(device->memory, 1000);
    ck_assert_uint_eq(device->chunk, 400);
    ck_assert(!ops->alloc(device, 401, &more));
    device->fault.kind = HS_FAULT_NONE;
    ck_assert(ops->alloc(device, 400, &buffer[0]) && ops->alloc(device, 400, &buffer[1]));
    ck_assert(!ops->alloc(device, 201, &more));
    ck_assert_int_eq(device->fault.kind, HS_FAULT_MEMORY);
    ck_assert(ops->alloc(device, 200, &buffer[2]));
    for (i = 0; i < 3; i++)
        ops->release(device, buffer[i]);
    ck_assert(ops->alloc(device, 400, &more));
    ops->release(device, more);
    ops->close(device);
}
END_TEST

/* The first fault is kept, but a loss replaces missing memory. Index 0: memory; 1: a loss. */
START_TEST(the_first_fault_is_kept)
{
    hs_device *device = opened(_i ? "fail-call=2,fault=lost" : "fail-call=2,fault=memory");
    hs_buffer  buffer;
    hs_event   event;

    ck_assert(!ops->alloc(device, device->chunk + 1, &buffer));
    ck_assert(strncmp(device->fault.text, "alloc ", 6) == 0);
    ck_assert(!ops->event_open(device, &event));
    ck_assert_int_eq(device->fault.kind, _i ? HS_FAULT_LOST : HS_FAULT_MEMORY);
    ck_assert(strncmp(device->fault.text, _i ? "event_open " : "alloc ", _i ? 11 : 6) == 0);
    ops->close(device);
}
END_TEST

/* Open a device and use its functions; return false if memory for one is missing. */
static bool use_all(void)
{
    unsigned char memory[BYTES] = {0};
    hs_device    *device = NULL;
    hs_stream     stream = {NULL, NULL, NULL};
    hs_event      event = {NULL, NULL};
    hs_buffer     buffer = NULL;
    hs_error      error = {0};
    void         *host;
    bool          right;

    if (ops->open(NULL, 0, &device, &error) != HS_OK)
        return false;
    host = ops->host_alloc(device, NULL, BYTES);
    right = host && ops->stream_open(device, &stream) && ops->event_open(device, &event) &&
            ops->alloc(device, BYTES, &buffer) &&
            ops->copy(&stream, (hs_address){device, buffer, 0}, (hs_address){.buffer = memory},
                      BYTES) &&
            ops->record(&stream, &event) && ops->wait(&stream, &event) && awaited(&event) == 1;
    ck_assert(right || !host || device->fault.kind == HS_FAULT_MEMORY);
    ops->stream_close(&stream);
    if (event.own)
        ops->event_close(&event);
    ops->release(device, buffer);
    ops->host_release(device, host, 0);
    ops->close(device);
    return right;
}

START_TEST(each_allocation_fails_once)
{
    long before, number, failed = 1;
    bool right;

    ck_assert(use_all()); /* OpenBLAS is loaded */
    before = memory_live_blocks();
    for (number = 0; failed; number++) {
        memory_fail_after(number, 0);
        right = use_all();
        failed = memory_stop_failing();
        ck_assert(right == !failed);
        ck_assert_int_eq(memory_live_blocks(), before);
    }
    ck_assert_int_ge(number, 9);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("emulated devices by hand");
    TCase *tc = tcase_create("emulated");

    tcase_add_test(tc, settings_are_read);
    tcase_add_loop_test(tc, wrong_settings_are_named, 0, (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tc, steps_by_hand);
    tcase_add_test(tc, work_takes_its_time);
    tcase_add_test(tc, a_result_is_wrong);
    tcase_add_loop_test(tc, work_beside_its_buffer_is_refused, 0, 8);
    tcase_add_test(tc, memory_and_chunks_are_limits);
    tcase_add_loop_test(tc, the_first_fault_is_kept, 0, 2);
    tcase_add_test(tc, each_allocation_fails_once);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
