/* SPDX-License-Identifier: BSD-3-Clause */
/* Point 25 of the suite: a segment computes the same results as separate launches. */
#include <string.h>

#include "open_devices.h"

enum { N = 12, STEPS = 3 };

typedef struct work {
    hs_buffer a, c[2];
    double    numbers[N * N];
} work;

static void product(open_devices *s, unsigned stream, hs_buffer a, hs_buffer c)
{
    hs_operation gemm = {.kind = HS_OPERATION_GEMM,
                         .m = N,
                         .n = N,
                         .k = N,
                         .a = {a, 0, N},
                         .b = {a, 0, N},
                         .c = {c, 0, N}};

    ck_assert_msg(s->ops->launch(&s->stream[0][stream], &gemm), "%s", s->device[0]->fault.text);
}

static void record(open_devices *s, unsigned stream, unsigned event)
{
    ck_assert_msg(s->ops->record(&s->stream[0][stream], &s->event[0][event]), "%s",
                  s->device[0]->fault.text);
}

static void wait(open_devices *s, unsigned stream, unsigned event)
{
    ck_assert_msg(s->ops->wait(&s->stream[0][stream], &s->event[0][event]), "%s",
                  s->device[0]->fault.text);
}

/* Launch work in streams 0 and 1, with steps 1 to 4: the same with and without a segment. */
static void launch(open_devices *s, const work *w)
{
    record(s, 0, 1);
    wait(s, 1, 1);
    product(s, 0, w->a, w->c[0]);
    record(s, 0, 2);
    product(s, 1, w->a, w->c[1]);
    wait(s, 1, 2);
    product(s, 1, w->c[0], w->c[1]);
    record(s, 1, 3);
    wait(s, 0, 3);
    record(s, 0, 4);
}

static void reset(open_devices *s, work *w)
{
    int i;

    for (i = 0; i < N * N; i++)
        w->numbers[i] = 1.0 / (i + 1);
    devices_write(s, w->a, 0, w->numbers, sizeof w->numbers);
    memset(w->numbers, 0, sizeof w->numbers);
    devices_write(s, w->c[0], 0, w->numbers, sizeof w->numbers);
    devices_write(s, w->c[1], 0, w->numbers, sizeof w->numbers);
}

/* Index 1: events are pending late. */
static void begin(open_devices *s, work *w, int index)
{
    if (fixture.choose_late)
        fixture.choose_late(index == 1);
    devices_open(s, 1, NULL);
    w->a = devices_alloc(s, 0, sizeof w->numbers);
    w->c[0] = devices_alloc(s, 0, sizeof w->numbers);
    w->c[1] = devices_alloc(s, 0, sizeof w->numbers);
    reset(s, w);
    product(s, 0, w->a, w->c[0]); /* libraries are loaded */
    product(s, 1, w->a, w->c[1]);
    devices_finish(s, &s->stream[0][0]);
    devices_finish(s, &s->stream[0][1]);
    reset(s, w);
}

static void finish(open_devices *s, const work *w)
{
    s->ops->release(s->device[0], w->a);
    s->ops->release(s->device[0], w->c[0]);
    s->ops->release(s->device[0], w->c[1]);
    devices_close(s, true);
}

static hs_segment *collect(open_devices *s, const work *w)
{
    hs_segment *segment = NULL;

    ck_assert_msg(s->ops->segments->begin(&s->stream[0][0]), "%s", s->device[0]->fault.text);
    launch(s, w);
    ck_assert_msg(s->ops->segments->end(&s->stream[0][0], &segment), "%s",
                  s->device[0]->fault.text);
    ck_assert_ptr_nonnull(segment);
    return segment;
}

START_TEST(a_segment_equals_its_work_one_by_one)
{
    open_devices s;
    work         w;
    double       alone[2][N * N];
    hs_segment  *segment;
    int          round, i;

    begin(&s, &w, _i);
    for (round = 0; round < 2; round++) {
        launch(&s, &w);
        ck_assert_int_eq(devices_await(&s, &s.event[0][4]), 1);
        devices_read(&s, alone[round], w.c[1], 0, sizeof alone[round]);
    }
    reset(&s, &w);
    segment = collect(&s, &w);
    devices_read(&s, w.numbers, w.c[1], 0, sizeof w.numbers);
    ck_assert_double_eq(w.numbers[0], 0); /* collected, not executed */
    for (round = 0; round < 2; round++) {
        fixture.hold(&s.stream[0][0]);
        ck_assert(s.ops->segments->launch(segment, &s.stream[0][0]));
        for (i = 1; i <= 4; i++)
            ck_assert_int_eq(s.ops->query(&s.event[0][i]), 0);
        fixture.let_go(&s.stream[0][0]);
        for (i = 4; i > 0; i--)
            ck_assert_int_eq(devices_await(&s, &s.event[0][i]), 1);
        devices_read(&s, w.numbers, w.c[1], 0, sizeof w.numbers);
        ck_assert_mem_eq(w.numbers, alone[round], sizeof w.numbers);
    }
    s.ops->segments->release(segment);
    finish(&s, &w);
}
END_TEST

/* Events that a segment records are steps: pending from the launch on, and others can wait. */
START_TEST(events_in_a_segment_are_steps)
{
    open_devices s;
    work         w;
    hs_segment  *segment;
    int          i;

    begin(&s, &w, _i);
    segment = collect(&s, &w);
    fixture.hold(&s.stream[0][0]);
    ck_assert(s.ops->segments->launch(segment, &s.stream[0][0]));
    wait(&s, 2, 3);
    ck_assert(s.ops->copy(&s.stream[0][2], on(s.device[0], w.c[0], 0), on(s.device[0], w.c[1], 0),
                          sizeof w.numbers));
    record(&s, 2, 5);
    for (i = 1; i <= 5; i++)
        ck_assert_int_eq(s.ops->query(&s.event[0][i]), 0);
    fixture.let_go(&s.stream[0][0]);
    ck_assert_int_eq(devices_await(&s, &s.event[0][5]), 1);
    devices_read(&s, w.numbers, w.c[0], 0, sizeof w.numbers);
    ck_assert(w.numbers[0] != 0);
    s.ops->segments->release(segment);
    finish(&s, &w);
}
END_TEST

/* The first copy or operation of the launch fails, or a later one. A launch may report that its
 * work has failed already. */
START_TEST(an_operation_of_a_segment_fails)
{
    open_devices s;
    work         w;
    hs_segment  *segment;

    begin(&s, &w, 0);
    segment = collect(&s, &w);
    fixture.fail_operation((unsigned)_i + 1);
    if (s.ops->segments->launch(segment, &s.stream[0][0]))
        ck_assert_int_eq(devices_await(&s, &s.event[0][4]), -1);
    ck_assert_int_eq(s.device[0]->fault.kind, HS_FAULT_LOST);
    s.ops->segments->release(segment);
    finish(&s, &w);
}
END_TEST

TCase *segments_tcase(void)
{
    TCase               *tc = tcase_create("segments");
    const char          *why;
    const hs_device_ops *ops = fixture.module(&why);

    if (!ops || !ops->segments)
        return tc;
    tcase_add_loop_test(tc, a_segment_equals_its_work_one_by_one, 0, fixture.choose_late ? 2 : 1);
    tcase_add_loop_test(tc, events_in_a_segment_are_steps, 0, fixture.choose_late ? 2 : 1);
    if (fixture.fail_operation)
        tcase_add_loop_test(tc, an_operation_of_a_segment_fails, 0, STEPS);
    return tc;
}
