/* SPDX-License-Identifier: BSD-3-Clause */
/* Points 8 to 16, 19 and 20 of the suite: streams, events, threads. */
#include <pthread.h>
#include <string.h>

#include "open_devices.h"
#include "support/clock.h"

enum { BYTES = 6000, LOOKS = 20 };

/* Memory of a test: a buffer, and host memory that copies reach without waiting. */
typedef struct memory {
    hs_buffer      buffer[2];
    unsigned char *in[2], *out[2];
} memory;

static void take(open_devices *s, memory *m)
{
    int i;

    for (i = 0; i < 2; i++) {
        m->buffer[i] = devices_alloc(s, 0, BYTES);
        m->in[i] = devices_host(s, BYTES);
        m->out[i] = devices_host(s, BYTES);
        devices_fill(m->in[i], BYTES, (unsigned)i + 10);
        memset(m->out[i], 0, BYTES);
    }
}

static void give(open_devices *s, const memory *m)
{
    int i;

    for (i = 0; i < 2; i++) {
        s->ops->release(s->device[0], m->buffer[i]);
        devices_host_free(s, m->in[i]);
        devices_host_free(s, m->out[i]);
    }
    devices_close(s, true);
}

static void copy_in(open_devices *s, unsigned stream, hs_buffer to, unsigned char *from)
{
    ck_assert(s->ops->copy(&s->stream[0][stream], on(s->device[0], to, 0), on_host(from), BYTES));
}

static void copy_out(open_devices *s, unsigned stream, unsigned char *to, hs_buffer from)
{
    ck_assert(s->ops->copy(&s->stream[0][stream], on_host(to), on(s->device[0], from, 0), BYTES));
}

static void record(open_devices *s, unsigned stream, unsigned event)
{
    ck_assert(s->ops->record(&s->stream[0][stream], &s->event[0][event]));
}

static void wait(open_devices *s, unsigned stream, unsigned event)
{
    ck_assert(s->ops->wait(&s->stream[0][stream], &s->event[0][event]));
}

static void reached(open_devices *s, unsigned event)
{
    ck_assert_int_eq(devices_await(s, &s->event[0][event]), 1);
}

/* Check several times that an event is pending. */
static void pending(open_devices *s, unsigned event)
{
    const struct timespec nap = {0, 100000};
    int                   i;

    for (i = 0; i < LOOKS; i++) {
        ck_assert_int_eq(s->ops->query(&s->event[0][event]), 0);
        nanosleep(&nap, NULL);
    }
}

/* 8 */
START_TEST(a_stream_keeps_its_order)
{
    open_devices s;
    memory       m;

    devices_open(&s, 1, NULL);
    take(&s, &m);
    fixture.hold(&s.stream[0][0]);
    copy_in(&s, 0, m.buffer[0], m.in[0]);
    copy_out(&s, 0, m.out[0], m.buffer[0]);
    copy_in(&s, 0, m.buffer[0], m.in[1]);
    copy_out(&s, 0, m.out[1], m.buffer[0]);
    record(&s, 0, 1);
    fixture.let_go(&s.stream[0][0]);
    reached(&s, 1);
    ck_assert(devices_has(m.out[0], BYTES, 10) && devices_has(m.out[1], BYTES, 11));
    give(&s, &m);
}
END_TEST

/* 9 */
START_TEST(a_held_stream_delays_no_other)
{
    open_devices s;
    memory       m;

    devices_open(&s, 1, NULL);
    take(&s, &m);
    fixture.hold(&s.stream[0][0]);
    copy_in(&s, 0, m.buffer[0], m.in[0]);
    record(&s, 0, 1);
    copy_in(&s, 1, m.buffer[1], m.in[1]);
    copy_out(&s, 1, m.out[1], m.buffer[1]);
    record(&s, 1, 2);
    reached(&s, 2);
    ck_assert(devices_has(m.out[1], BYTES, 11));
    pending(&s, 1);
    fixture.let_go(&s.stream[0][0]);
    reached(&s, 1);
    give(&s, &m);
}
END_TEST

/* 10 */
START_TEST(a_stream_waits_for_a_step_of_another)
{
    open_devices s;
    memory       m;

    devices_open(&s, 1, NULL);
    take(&s, &m);
    fixture.hold(&s.stream[0][0]);
    copy_in(&s, 0, m.buffer[0], m.in[0]);
    record(&s, 0, 1);
    wait(&s, 1, 1);
    copy_out(&s, 1, m.out[0], m.buffer[0]);
    record(&s, 1, 2);
    pending(&s, 2);
    fixture.let_go(&s.stream[0][0]);
    reached(&s, 2);
    ck_assert(devices_has(m.out[0], BYTES, 10));
    ck_assert_int_eq(s.ops->query(&s.event[0][1]), 1);
    give(&s, &m);
}
END_TEST

/* 11, 14 */
START_TEST(reached_and_unrecorded_events_delay_nothing)
{
    open_devices s;
    memory       m;

    devices_open(&s, 1, NULL);
    take(&s, &m);
    ck_assert_int_eq(s.ops->query(&s.event[0][1]), 1);
    wait(&s, 1, 1);
    copy_in(&s, 0, m.buffer[0], m.in[0]);
    record(&s, 0, 1);
    reached(&s, 1);
    wait(&s, 1, 1);
    copy_out(&s, 1, m.out[0], m.buffer[0]);
    record(&s, 1, 2);
    reached(&s, 2);
    ck_assert(devices_has(m.out[0], BYTES, 10));
    give(&s, &m);
}
END_TEST

/* 12. Streams 2 and 3 are held one after the other, and stream 0 records event 1 in between, and
 * again behind both. Stream 1 waits for the first of these steps. */
START_TEST(a_wait_is_for_the_step_recorded_by_then)
{
    open_devices s;
    memory       m;

    devices_open(&s, 1, NULL);
    take(&s, &m);
    fixture.hold(&s.stream[0][2]);
    record(&s, 2, 3);
    wait(&s, 0, 3);
    copy_in(&s, 0, m.buffer[0], m.in[0]);
    record(&s, 0, 1);
    wait(&s, 1, 1);
    copy_out(&s, 1, m.out[0], m.buffer[0]);
    record(&s, 1, 2);
    fixture.hold(&s.stream[0][3]);
    record(&s, 3, 4);
    wait(&s, 0, 4);
    record(&s, 0, 1);
    pending(&s, 2);
    fixture.let_go(&s.stream[0][2]);
    reached(&s, 2);
    ck_assert(devices_has(m.out[0], BYTES, 10));
    pending(&s, 1);
    fixture.let_go(&s.stream[0][3]);
    reached(&s, 1);
    give(&s, &m);
}
END_TEST

/* 13, 15 */
START_TEST(a_reached_step_shows_all_before_it)
{
    open_devices s;
    memory       m;
    int          round;

    devices_open(&s, 1, NULL);
    take(&s, &m);
    for (round = 0; round < 20; round++) {
        memset(m.out[0], 0, BYTES);
        memset(m.out[1], 0, BYTES);
        if (round == 0)
            fixture.hold(&s.stream[0][0]);
        copy_in(&s, 0, m.buffer[0], m.in[0]);
        copy_in(&s, 0, m.buffer[1], m.in[1]);
        copy_out(&s, 0, m.out[0], m.buffer[1]);
        record(&s, 0, 2);
        copy_out(&s, 0, m.out[1], m.buffer[0]);
        record(&s, 0, 1);
        if (round == 0) {
            pending(&s, 1);
            fixture.let_go(&s.stream[0][0]);
        }
        reached(&s, 1);
        ck_assert(devices_has(m.out[0], BYTES, 11) && devices_has(m.out[1], BYTES, 10));
        ck_assert_int_eq(s.ops->query(&s.event[0][2]), 1);
    }
    give(&s, &m);
}
END_TEST

/* 16. Events have a resolution of half a microsecond; clocks differ by less than 1/1000. */
START_TEST(times_of_steps_lie_between_readings_of_the_host)
{
    enum { SLACK = 2000, STEPS = 5 };
    open_devices s;
    memory       m;
    int64_t      first, now, last = 0, ns = -1, i;

    devices_open(&s, 1, NULL);
    take(&s, &m);
    copy_in(&s, 0, m.buffer[0], m.in[0]); /* the device is warm */
    record(&s, 0, 1);
    reached(&s, 1);
    first = hsi_clock_ns();
    record(&s, 0, 1);
    reached(&s, 1);
    for (i = 0; i < STEPS; i++) {
        copy_in(&s, 0, m.buffer[0], m.in[0]);
        record(&s, 0, 2);
        reached(&s, 2);
        now = hsi_clock_ns();
        ck_assert(s.ops->elapsed(&s.event[0][1], &s.event[0][2], &ns));
        ck_assert_msg(ns >= last && ns <= now - first + SLACK + (now - first) / 1000,
                      "step %d: %lld ns of %lld", (int)i, (long long)ns, (long long)(now - first));
        last = ns;
    }
    ck_assert(last > 0);
    give(&s, &m);
}
END_TEST

/* 19 */
START_TEST(launch_returns_while_the_stream_is_held)
{
    enum { N = 8 };
    double       numbers[N * N], zero[N * N] = {0};
    open_devices s;
    hs_buffer    a, c;
    int          i;

    devices_open(&s, 1, NULL);
    for (i = 0; i < N * N; i++)
        numbers[i] = i % (N + 1) == 0; /* a unit matrix */
    a = devices_alloc(&s, 0, sizeof numbers);
    c = devices_alloc(&s, 0, sizeof numbers);
    devices_write(&s, a, 0, numbers, sizeof numbers);
    devices_write(&s, c, 0, zero, sizeof zero);
    for (i = 0; i < 2; i++) { /* the first launch may load the library */
        hs_operation gemm = {.kind = HS_OPERATION_GEMM,
                             .m = N,
                             .n = N,
                             .k = N,
                             .a = {a, 0, N},
                             .b = {a, 0, N},
                             .c = {c, 0, N}};

        if (i == 1)
            fixture.hold(&s.stream[0][1]);
        ck_assert_msg(s.ops->launch(&s.stream[0][1], &gemm), "%s", s.device[0]->fault.text);
        record(&s, 1, 1);
        if (i == 1) {
            pending(&s, 1);
            fixture.let_go(&s.stream[0][1]);
        }
        reached(&s, 1);
    }
    devices_read(&s, numbers, c, 0, sizeof numbers);
    ck_assert_double_eq(numbers[0], -2);
    s.ops->release(s.device[0], a);
    s.ops->release(s.device[0], c);
    devices_close(&s, true);
}
END_TEST

/* A thread that copies in its own stream; the mutex is that of the device. */
typedef struct user {
    open_devices    *s;
    pthread_mutex_t *mutex;
    unsigned         device, stream;
    hs_buffer        buffer;
    unsigned char    in[BYTES], out[BYTES];
    bool             right;
} user;

static bool round_trip(user *u)
{
    const hs_device_ops *ops = u->s->ops;
    hs_device           *device = u->s->device[u->device];
    hs_stream           *stream = &u->s->stream[u->device][u->stream];
    hs_event            *event = &u->s->event[u->device][u->stream];
    int                  state;

    pthread_mutex_lock(u->mutex);
    state = ops->copy(stream, on(device, u->buffer, 0), on_host(u->in), BYTES) &&
            ops->copy(stream, on_host(u->out), on(device, u->buffer, 0), BYTES) &&
            ops->record(stream, event);
    pthread_mutex_unlock(u->mutex);
    if (!state)
        return false;
    do {
        pthread_mutex_lock(u->mutex);
        state = ops->query(event);
        pthread_mutex_unlock(u->mutex);
    } while (state == 0);
    return state == 1;
}

static void *use(void *context)
{
    user    *u = context;
    unsigned i;

    u->right = true;
    for (i = 0; i < 50 && u->right; i++) {
        devices_fill(u->in, BYTES, 100 * u->stream + i);
        u->right = round_trip(u) && devices_has(u->out, BYTES, 100 * u->stream + i);
    }
    return NULL;
}

/* 20. Index 0: two threads share a device and a mutex; 1: each thread has a device. */
START_TEST(two_threads_use_a_device_or_two)
{
    static user     users[2];
    pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
    pthread_t       thread[2];
    open_devices    s;
    unsigned        i;

    devices_open(&s, 1 + (unsigned)_i, NULL);
    for (i = 0; i < 2; i++) {
        users[i] = (user){.s = &s, .device = s.count == 2 ? i : 0, .stream = i + 1};
        users[i].mutex = &mutex[users[i].device];
        users[i].buffer = devices_alloc(&s, users[i].device, BYTES);
    }
    for (i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, use, &users[i]), 0);
    for (i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    for (i = 0; i < 2; i++) {
        ck_assert_msg(users[i].right, "thread %u: %s", i, s.device[users[i].device]->fault.text);
        s.ops->release(s.device[users[i].device], users[i].buffer);
    }
    devices_close(&s, true);
}
END_TEST

TCase *order_tcase(void)
{
    TCase *tc = tcase_create("order");

    tcase_add_test(tc, a_stream_keeps_its_order);
    tcase_add_test(tc, a_held_stream_delays_no_other);
    tcase_add_test(tc, a_stream_waits_for_a_step_of_another);
    tcase_add_test(tc, reached_and_unrecorded_events_delay_nothing);
    tcase_add_test(tc, a_wait_is_for_the_step_recorded_by_then);
    tcase_add_test(tc, a_reached_step_shows_all_before_it);
    tcase_add_test(tc, times_of_steps_lie_between_readings_of_the_host);
    tcase_add_test(tc, launch_returns_while_the_stream_is_held);
    tcase_add_loop_test(tc, two_threads_use_a_device_or_two, 0, 2);
    return tc;
}
