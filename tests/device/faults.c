/* SPDX-License-Identifier: BSD-3-Clause */
/* Points 21 to 24 of the suite: calls and operations that fail. */
#include <string.h>

#include "open_devices.h"

enum { BYTES = 800, N = 10 };

/* The objects and the result of a sequence of calls. */
typedef struct call_sequence {
    const hs_device_ops *ops;
    hs_device           *device;
    hs_stream            stream;
    hs_event             event[2];
    hs_buffer            buffer[2];
    void                *host, *locked;
    unsigned char        own[BYTES], pageable[BYTES];
    bool                 failed; /* a call failed */
    hs_fault             fault;  /* the first one */
    char                 why[HS_WHY];
} call_sequence;

/* Note the result of a call. */
static bool done(call_sequence *c, int result)
{
    if (result != 1 && !c->failed) {
        c->failed = true;
        c->fault = c->device->fault;
    }
    return result == 1;
}

/* Make every call of the table once; go on after a failure as far as objects are there. */
static void make_calls(call_sequence *c)
{
    const hs_device_ops *ops = c->ops;
    hs_operation         o = {.m = N, .n = N, .k = N};
    size_t               work;
    int64_t              ns;
    int                  state;

    c->host = ops->host_alloc(c->device, NULL, BYTES);
    c->locked = ops->host_alloc(c->device, c->own, BYTES);
    if (fixture.pageable)
        c->host = c->pageable;
    if (!c->host)
        return; /* memory is missing, which is no fault */
    if (!done(c, ops->stream_open(c->device, &c->stream)) ||
        !done(c, ops->event_open(c->device, &c->event[0])) ||
        !done(c, ops->event_open(c->device, &c->event[1])) ||
        !done(c, ops->alloc(c->device, BYTES, &c->buffer[0])) ||
        !done(c, ops->alloc(c->device, BYTES, &c->buffer[1])))
        return;
    memset(c->host, 0, BYTES);
    done(c, ops->copy(&c->stream, on(c->device, c->buffer[0], 0), on_host(c->host), BYTES));
    done(c, ops->copy(&c->stream, on(c->device, c->buffer[1], 0), on(c->device, c->buffer[0], 0),
                      BYTES));
    done(c, ops->record(&c->stream, &c->event[0]));
    done(c, ops->wait(&c->stream, &c->event[0]));
    o.a = o.b = (hs_operand){c->buffer[0], 0, N};
    o.c = (hs_operand){c->buffer[1], 0, N};
    for (o.kind = HS_OPERATION_GEMM; o.kind <= HS_OPERATION_TRSM; o.kind++) {
        done(c, !ops->work || ops->work(c->device, &o, &work));
        done(c, ops->launch(&c->stream, &o));
    }
    done(c, ops->copy(&c->stream, on_host(c->host), on(c->device, c->buffer[1], 0), BYTES));
    done(c, ops->record(&c->stream, &c->event[1]));
    do
        state = ops->query(&c->event[1]);
    while (state == 0);
    if (done(c, state) && ops->query(&c->event[0]) == 1)
        done(c, ops->elapsed(&c->event[0], &c->event[1], &ns));
}

/* Close every open object. Closing calls cannot fail. */
static void close_all(call_sequence *c)
{
    int i;

    c->ops->stream_close(&c->stream);
    for (i = 0; i < 2; i++) {
        if (c->event[i].own)
            c->ops->event_close(&c->event[i]);
        if (c->buffer[i])
            c->ops->release(c->device, c->buffer[i]);
    }
    if (c->locked)
        c->ops->host_release(c->device, c->locked, 1);
    if (c->host && !fixture.pageable)
        c->ops->host_release(c->device, c->host, 0);
    c->ops->close(c->device);
}

/* Play the scenario with a planned fault. */
static void run_calls(call_sequence *c, const planned_fault *fault)
{
    const char *why, *which = fixture.start(1, fault);
    hs_error    error = {0};

    memset(c, 0, sizeof *c);
    c->ops = fixture.module(&why);
    if (c->ops->open(which, 0, &c->device, &error) != HS_OK) {
        c->failed = true;
        memcpy(c->why, error.why, sizeof c->why);
        return;
    }
    if (fixture.opened)
        fixture.opened();
    make_calls(c);
    close_all(c);
}

/* 21. Index 0: the failure is a loss; 1: missing memory. */
START_TEST(each_call_fails_once)
{
    planned_fault fault = {.kind = _i ? FAULT_MEMORY : FAULT_LOST};
    unsigned      failures = 0;
    bool          happened = true;
    call_sequence c;

    run_calls(&c, &fault); /* libraries compile and keep what later calls find */
    ck_assert(!c.failed && c.host);
    while (happened) {
        fault.call++;
        run_calls(&c, &fault);
        happened = fixture.happened ? fixture.happened() : c.failed || !c.host || !c.locked;
        failures += c.failed;
        if (c.failed && c.device)
            ck_assert_msg(c.fault.text[0] && c.fault.kind != HS_FAULT_NONE, "call %u has no fault",
                          fault.call);
        if (c.failed && !c.device)
            ck_assert_msg(c.why[0], "call %u has no reason", fault.call);
        if (fixture.check_clean)
            fixture.check_clean();
    }
    printf("%s: each of %u calls has failed, and %u of the failures were faults\n", fixture.name,
           fault.call - 1, failures);
    fflush(stdout);
    ck_assert_uint_gt(failures, 8);
    ck_assert(!c.failed && c.host);
}
END_TEST

/* 22. Index: the number of the failing copy. Event 4 is done, but not queried before the loss. */
START_TEST(steps_before_a_failed_operation_stay_reached)
{
    planned_fault fault = {.operation = (unsigned)_i + 1};
    unsigned char memory[BYTES] = {0};
    open_devices  s;
    hs_buffer     buffer;
    int           i, state;

    devices_open(&s, 1, &fault);
    buffer = devices_alloc(&s, 0, BYTES);
    ck_assert(s.ops->record(&s.stream[0][0], &s.event[0][4]));
    devices_finish(&s, &s.stream[0][0]);
    for (i = 0; i <= _i; i++) {
        fixture.hold(&s.stream[0][0]);
        ck_assert(s.ops->copy(&s.stream[0][0], on(s.device[0], buffer, 0), on_host(memory), BYTES));
        ck_assert(s.ops->record(&s.stream[0][0], &s.event[0][i]));
        fixture.let_go(&s.stream[0][0]);
        state = devices_await(&s, &s.event[0][i]);
        ck_assert_int_eq(state, i < _i ? 1 : -1);
    }
    ck_assert(!s.ops->record(&s.stream[0][0], &s.event[0][3])); /* no call is made after a loss */
    for (i = 0; i <= _i; i++)
        ck_assert_int_eq(s.ops->query(&s.event[0][i]), i < _i ? 1 : -1);
    ck_assert_int_eq(s.ops->query(&s.event[0][4]), -1);
    ck_assert_int_eq(s.device[0]->fault.kind, HS_FAULT_LOST);
    ck_assert(s.device[0]->fault.text[0]);
    s.ops->release(s.device[0], buffer);
    devices_close(&s, true);
}
END_TEST

/* 23, 24. A device is lost while streams of it, and of another device, wait for its step. */
START_TEST(a_loss_ends_waits_of_other_streams)
{
    planned_fault  fault = {.operation = 1};
    unsigned char *memory;
    open_devices   s;
    hs_buffer      buffer;
    bool           waits;

    devices_open(&s, 2, &fault);
    memory = devices_host(&s, BYTES);
    memset(memory, 0, BYTES);
    buffer = devices_alloc(&s, 0, BYTES);
    waits = s.count == 2 && s.device[0]->domain == s.device[1]->domain;
    fixture.hold(&s.stream[0][0]);
    ck_assert(s.ops->copy(&s.stream[0][0], on(s.device[0], buffer, 0), on_host(memory), BYTES));
    ck_assert(s.ops->record(&s.stream[0][0], &s.event[0][1]));
    ck_assert(s.ops->wait(&s.stream[0][1], &s.event[0][1]));
    ck_assert(s.ops->record(&s.stream[0][1], &s.event[0][2]));
    if (waits) {
        ck_assert(s.ops->wait(&s.stream[1][1], &s.event[0][1]));
        ck_assert(s.ops->record(&s.stream[1][1], &s.event[1][2]));
        ck_assert_int_eq(s.ops->query(&s.event[1][2]), 0);
    }
    fixture.let_go(&s.stream[0][0]);
    ck_assert_int_eq(devices_await(&s, &s.event[0][2]),
                     -1); /* before any look at the other stream */
    ck_assert_int_eq(devices_await(&s, &s.event[0][1]), -1);
    if (waits)
        ck_assert_int_ne(devices_await(&s, &s.event[1][2]), 0);
    s.ops->release(s.device[0], buffer);
    devices_host_free(&s, memory);
    devices_close(&s, true);
}
END_TEST

/* 24 */
START_TEST(a_hung_device_can_be_closed)
{
    planned_fault         fault = {.operation = 1, .kind = FAULT_HANG};
    static unsigned char *memory; /* a hung device keeps both, which is no leak of the test */
    static hs_buffer      buffer;
    open_devices          s;

    devices_open(&s, 1, &fault);
    memory = devices_host(&s, BYTES);
    memset(memory, 0, BYTES);
    buffer = devices_alloc(&s, 0, BYTES);
    ck_assert(s.ops->copy(&s.stream[0][0], on(s.device[0], buffer, 0), on_host(memory), BYTES));
    ck_assert(s.ops->record(&s.stream[0][0], &s.event[0][1]));
    ck_assert_int_eq(s.ops->query(&s.event[0][1]), 0);
    ck_assert(s.ops->record(&s.stream[0][1], &s.event[0][3]));
    ck_assert_int_eq(devices_await(&s, &s.event[0][3]), 1);
    s.device[0]->fault.kind = HS_FAULT_HUNG;
    ck_assert_int_eq(s.ops->query(&s.event[0][1]), -1);
    ck_assert_int_eq(s.ops->query(&s.event[0][3]), 1); /* seen reached before */
    ck_assert(!s.ops->record(&s.stream[0][0], &s.event[0][2]));
    s.ops->release(s.device[0], buffer);
    devices_host_free(&s, memory);
    devices_close(&s, false);
    if (fixture.end_hang)
        fixture.end_hang();
}
END_TEST

TCase *faults_tcase(void)
{
    TCase *tc = tcase_create("faults");

    if (!fixture.faults)
        return tc;
    tcase_add_loop_test(tc, each_call_fails_once, 0, 2);
    tcase_add_loop_test(tc, steps_before_a_failed_operation_stay_reached, 0, 3);
    tcase_add_test(tc, a_loss_ends_waits_of_other_streams);
    if (fixture.hangs)
        tcase_add_test(tc, a_hung_device_can_be_closed);
    return tc;
}
