/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks and transfers of devices over a ledger, on emulated devices whose streams go on by hand. */
#include <string.h>

#include "exec/device/devices.h"
#include "exec/device/emulated/emulated.h"
#include "suite.h"
#include "support/clock.h"

enum { N = 4, HANDLES = 200, UNIT = HSI_LEDGER_UNIT, MOST_DEVICES = 3 };

static const char       *which; /* settings of the emulated devices */
static hs_device_ops     ops;
static hsi_devices       devices;
static hsi_device_choice choice[MOST_DEVICES];
static double            home[HANDLES][UNIT / sizeof(double)];
static uint32_t          tasks;              /* launched so far */
static bool              opens_without_last; /* devices lack the last kind of operation */

static hs_status list(const char *none, hs_device_info *info, unsigned room, unsigned *count,
                      hs_error *error)
{
    (void)none;
    return hsi_device_emulated.list(which, info, room, count, error);
}

static hs_status open_device(const char *none, unsigned index, hs_device **out, hs_error *error)
{
    hs_status st = hsi_device_emulated.open(which, index, out, error);

    (void)none;
    if (st == HS_OK)
        (*out)->ops = &ops;
    if (st == HS_OK && opens_without_last)
        (*out)->operations[0] &= ~(UINT32_C(1) << (HS_OPERATION_KINDS - 1));
    return st;
}

static hs_operation operation(void)
{
    return (hs_operation){
        .kind = HS_OPERATION_SYRK, .m = N, .n = N, .k = N, .a = {.ld = N}, .c = {.ld = N}};
}

static void create_devices(void)
{
    which = "devices=3";
    ops = hsi_device_emulated;
    ops.list = list;
    ops.open = open_device;
    tasks = 0;
    for (unsigned i = 0; i < MOST_DEVICES; i++)
        choice[i] = (hsi_device_choice){.ops = &ops, .index = i};
    ck_assert_int_eq(hsi_devices_create(choice, MOST_DEVICES, HANDLES, &devices), HS_OK);
    devices.unit = UNIT;
    devices.most_units = HANDLES;
    devices.least_units = 2;
    devices.together = 1;
    devices.operation = calloc(1, sizeof *devices.operation);
    devices.operation[devices.operations++] = operation();
    hsi_devices_renew(&devices);
    for (uint32_t h = 0; h < HANDLES; h++) {
        for (int i = 0; i < N * N; i++)
            home[h][i] = h + 1;
        devices.bytes[h] = UNIT;
        hsi_ledger_place(devices.ledger, h, UNIT, home[h], UNIT);
    }
}

static void free_devices(void)
{
    hsi_devices_free(&devices);
}

static void hold(hsi_device_node *node)
{
    for (unsigned i = 0; i < HSI_STREAMS; i++)
        if (node->stream[i].is_open)
            hsi_emulated_hold(&node->stream[i].stream);
}

static void let_run(hsi_device_node *node)
{
    for (unsigned i = 0; i < HSI_STREAMS; i++)
        if (node->stream[i].is_open)
            hsi_emulated_continue(&node->stream[i].stream);
}

/* Open a device with room for `units` replicas, and hold its streams. */
static hsi_device_node *open_worker(unsigned index, size_t units)
{
    const hs_backend_options     options = {.data = &devices};
    const hs_backend_worker_info info = {.index = index, .device_index = index};
    hs_backend_worker           *worker = NULL;
    hs_error                     error = {0};

    devices.limit = (double)(units * UNIT);
    ck_assert_msg(hsi_device_worker_open(&options, &info, &worker, &error) == HS_OK, "%s",
                  error.why);
    hold(hsi_node_of_worker(worker));
    return hsi_node_of_worker(worker);
}

static void close_worker(hsi_device_node *node)
{
    let_run(node);
    hsi_device_worker_close(&node->base);
    ck_assert_ptr_null(hsi_ledger_check(devices.ledger));
}

/* Let all held streams execute what they can, and look for the reached steps. */
static void step_all(void)
{
    bool goes_on = true;

    while (goes_on) {
        goes_on = false;
        for (uint32_t s = 0; s < devices.streams; s++) {
            hsi_device_stream *stream = &hsi_node_of_stream(&devices, s)->stream[s % HSI_STREAMS];

            while (stream->is_open && hsi_emulated_step(&stream->stream))
                goes_on = true;
        }
    }
    hsi_devices_look(&devices, UINT64_MAX);
}

static uint64_t pending(const hsi_device_node *node, unsigned stream)
{
    return node->stream[stream].recorded - node->stream[stream].reached;
}

/* Return a task that subtracts a product of one handle from another, in place. */
static hsi_device_body task_of(uint32_t from, uint32_t to)
{
    hsi_device_body body = {.name = "syrk:4",
                            .kernel = "dsyrk",
                            .version = tasks++,
                            .count = 2,
                            .operation = operation(),
                            .operand = {1, 0, 2, 0}};

    body.use[0] = (hsi_use){.handle = from,
                            .version = hsi_ledger_newest(devices.ledger, from),
                            .mode = HS_READ,
                            .range = HS_NONE,
                            .second = HS_NONE};
    body.use[1] = body.use[0];
    body.use[1].handle = to;
    body.use[1].version = hsi_ledger_newest(devices.ledger, to);
    body.use[1].mode = HS_READ_WRITE;
    return body;
}

static hsi_in_flight *launch(hsi_device_node *node, const hsi_device_body *body)
{
    hsi_ledger_answer answer;
    hsi_in_flight    *f;

    ck_assert_int_eq(hsi_in_flight_start(node, body, body->version, 1, &f, &answer), HSI_LAUNCHED);
    return f;
}

static void finish(hsi_device_node *node, hsi_in_flight *f)
{
    step_all();
    hsi_in_flight_settle(node);
    ck_assert(f->settled);
    ck_assert_int_eq(f->outcome, HS_OUTCOME_DONE);
    f->there = false;
}

static void prefetch(const hsi_device_node *node, uint32_t handle)
{
    const hsi_use use = {
        .handle = handle, .version = hsi_ledger_newest(devices.ledger, handle), .mode = HS_READ};

    hsi_devices_renew_window(&devices, node->node);
    hsi_devices_prefetch(&devices, node->node, &use, 1, 0);
}

static hsi_coherence state_of(const hsi_device_node *node, uint32_t handle)
{
    return hsi_ledger_state(devices.ledger, handle, node->node);
}

/*
 * A kernel waits for the first copy in. The copy out of its result precedes, in its stream, the
 * copy out of a replica that a later copy in replaces. So no event of the first copy may be reused
 * before the copy is seen complete.
 */
START_TEST(transfers_under_way_are_bounded)
{
    enum { UNITS = 40, OLD = 199, OTHER = 198 };
    hsi_device_node      *node = open_worker(0, UNITS);
    const hsi_device_body old = task_of(OTHER, OLD);
    hsi_device_body       next;
    hsi_in_flight        *f;

    finish(node, launch(node, &old));
    prefetch(node, 0);
    next = task_of(OTHER, 0);
    next.is_last[1] = true;
    f = launch(node, &next);
    for (uint32_t h = 1; h < OTHER; h++)
        prefetch(node, h);
    ck_assert_int_eq(state_of(node, OLD), HSI_REPLICA_INVALID);
    ck_assert_uint_le(pending(node, HSI_STREAM_IN), HSI_STREAM_EVENTS);
    finish(node, f);
    ck_assert_uint_eq(pending(node, HSI_STREAM_IN), 0);
    ck_assert_uint_eq(pending(node, HSI_STREAM_OUT), 0);
    ck_assert_double_eq(home[OLD][0], OLD + 1 - N * (OTHER + 1.0) * (OTHER + 1));
    ck_assert_double_eq(home[0][0], 1 - N * (OTHER + 1.0) * (OTHER + 1));
    prefetch(node, OTHER - 1);
    ck_assert_int_eq(state_of(node, OTHER - 1), HSI_REPLICA_SHARED);
    close_worker(node);
}
END_TEST

static uint64_t most_pending;

static int count_pending(hs_stream *stream, hs_address to, hs_address from, size_t bytes)
{
    uint64_t now = pending(&devices.device[0], HSI_STREAM_OUT);

    most_pending = now > most_pending ? now : most_pending;
    return hsi_device_emulated.copy(stream, to, from, bytes);
}

/* Check that the eviction of all copies, when a worker closes, keeps the number of pending copies
 * below the limit of a stream. */
START_TEST(eviction_of_all_is_bounded)
{
    enum { MODIFIED = 100 };
    hsi_device_node *node = open_worker(0, HANDLES);

    for (uint32_t h = 1; h <= MODIFIED; h++) {
        const hsi_device_body body = task_of(0, h);

        finish(node, launch(node, &body));
    }
    most_pending = 0;
    ops.copy = count_pending;
    close_worker(node);
    ck_assert_uint_gt(most_pending, 0);
    ck_assert_uint_lt(most_pending, HSI_STREAM_EVENTS);
    for (uint32_t h = 1; h <= MODIFIED; h++)
        ck_assert_double_eq(home[h][0], h + 1.0 - N);
}
END_TEST

/* Tasks in flight pin four of five ranges, so the next task has room for one input. */
START_TEST(inputs_of_a_task_without_room_stay)
{
    enum { UNITS = 5 };
    hsi_device_node      *node = open_worker(0, UNITS);
    const hsi_device_body body[] = {task_of(0, 1), task_of(2, 3)};
    hsi_device_body       next = task_of(4, 5), last = task_of(7, 8);
    hsi_in_flight        *first = launch(node, &body[0]), *second = launch(node, &body[1]);
    const hsi_ahead       list[] = {{&body[0].base, body[0].version, true},
                                    {&body[1].base, body[1].version, true},
                                    {&next.base, next.version, true},
                                    {&last.base, last.version, false}};

    hsi_device_ahead(&node->base, list, sizeof list / sizeof *list);
    ck_assert_ptr_null(hsi_in_flight_find(node, next.version));
    ck_assert_int_eq(state_of(node, 4), HSI_REPLICA_SHARED);
    ck_assert_int_eq(state_of(node, 7), HSI_REPLICA_INVALID);
    finish(node, first);
    finish(node, second);
    close_worker(node);
}
END_TEST

/* A device that joins the domain of another one after the loss of the first copies to it directly,
 * before the other device's step is reached. */
START_TEST(domain_outlives_its_first_device)
{
    hsi_device_node      *lost = open_worker(0, 10), *other = open_worker(1, 10), *node;
    const hsi_device_body body = task_of(0, 1);
    hsi_in_flight        *f;

    pthread_mutex_lock(&lost->issue);
    lost->device->fault.kind = HS_FAULT_LOST;
    hsi_node_lose(lost);
    pthread_mutex_unlock(&lost->issue);
    node = open_worker(2, 10);
    f = launch(other, &body);
    prefetch(node, 1);
    ck_assert_int_eq(state_of(node, 1), HSI_REPLICA_SHARED);
    finish(other, f);
    close_worker(node);
    close_worker(other);
    close_worker(lost);
}
END_TEST

static bool locks_pages;
static int  locked_blocks;

static void *lock_pages(hs_device *device, void *at, size_t bytes)
{
    void *block = locks_pages ? hsi_device_emulated.host_alloc(device, at, bytes) : NULL;

    locked_blocks += block != NULL;
    return block;
}

static void unlock_pages(hs_device *device, void *at, int locked_only)
{
    locked_blocks--;
    hsi_device_emulated.host_release(device, at, locked_only);
}

/* Page-locked memory runs out, is back, or the device cannot be opened. */
START_TEST(pageable_memory_has_to_do)
{
    enum { BYTES = 1000 };
    void *at[4];

    ops.host_alloc = lock_pages;
    ops.host_release = unlock_pages;
    which = "devices=0";
    locks_pages = true;
    for (int i = 0; i < 4; i++) {
        at[i] = hsi_devices_allocate(&devices, BYTES);
        ck_assert_ptr_nonnull(at[i]);
        ck_assert_uint_eq((uintptr_t)at[i] % 64, 0);
        memset(at[i], i, BYTES);
        which = "devices=1";
        locks_pages = i != 1;
    }
    ck_assert_int_eq(locked_blocks, 2);
    for (int i = 0; i < 4; i++)
        hsi_devices_release(&devices, at[i]);
    ck_assert_int_eq(locked_blocks, 0);
    ck_assert_ptr_null(hsi_devices_allocate(&devices, SIZE_MAX - 10));
}
END_TEST

static int calls, failing_call; /* that open or record an event of a transfer record */

static int lack_memory(hs_device *device)
{
    if (++calls != failing_call)
        return 0;
    device->fault = (hs_fault){.kind = HS_FAULT_MEMORY, .text = "no memory for an event"};
    return 1;
}

static int open_event(hs_device *device, hs_event *out)
{
    return lack_memory(device) ? 0 : hsi_device_emulated.event_open(device, out);
}

static int record(hs_stream *stream, hs_event *event)
{
    return lack_memory(stream->device) ? 0 : hsi_device_emulated.record(stream, event);
}

/* Opening the first or second event of a record fails, or recording one; the next transfer has a
 * record. */
START_TEST(transfer_without_a_record_is_made)
{
    hsi_device_node *node;
    size_t           count;

    devices.keeps_records = true;
    node = open_worker(0, 10);
    ops.event_open = open_event;
    ops.record = record;
    calls = 0;
    failing_call = _i;
    prefetch(node, 0);
    ops.event_open = hsi_device_emulated.event_open;
    ops.record = hsi_device_emulated.record;
    ck_assert(!hsi_node_is_lost(node));
    ck_assert_int_eq(node->device->fault.kind, HS_FAULT_NONE);
    ck_assert_int_eq(state_of(node, 0), HSI_REPLICA_SHARED);
    prefetch(node, 1);
    close_worker(node);
    hsi_records_list(&devices, devices.epoch, &count);
    ck_assert_uint_eq(count, 1);
}
END_TEST

static bool other_was_free; /* during the launch of a segment */

static int begin_segment(hs_stream *lead)
{
    (void)lead;
    return 1;
}

static int end_segment(hs_stream *lead, hs_segment **out)
{
    *out = (void *)lead;
    return 1;
}

static int launch_segment(hs_segment *segment, hs_stream *stream)
{
    pthread_mutex_t *issue = &devices.device[1].issue;

    (void)segment;
    (void)stream;
    other_was_free = pthread_mutex_trylock(issue) == 0;
    if (other_was_free)
        pthread_mutex_unlock(issue);
    return 1;
}

static void release_segment(hs_segment *segment)
{
    (void)segment;
}

/* The stub executes the tasks when they are collected. */
static const hs_segment_ops segments = {begin_segment, end_segment, launch_segment,
                                        release_segment};

START_TEST(segment_holds_no_mutex_of_another_device)
{
    hsi_device_node *node, *other;
    hsi_device_body  body[] = {task_of(0, 1), task_of(2, 3)};
    const hsi_ahead  list[] = {{&body[0].base, body[0].version, true},
                               {&body[1].base, body[1].version, true}};
    size_t           count = 2;
    hs_error         error = {0};

    ops.segments = &segments;
    node = open_worker(0, HANDLES);
    other = open_worker(1, 10);
    ck_assert_int_eq(hsi_device_segment_make(&node->base, list, &count, &error), HS_OK);
    ck_assert_uint_eq(count, 2);
    hsi_device_ahead(&node->base, list, 2);
    ck_assert(other_was_free);
    step_all();
    hsi_in_flight_settle(node);
    for (int i = 0; i < 2; i++) {
        hsi_in_flight *f = hsi_in_flight_find(node, list[i].task);

        ck_assert_ptr_nonnull(f);
        ck_assert(f->settled && f->outcome == HS_OUTCOME_DONE);
    }
    close_worker(node);
    close_worker(other);
}
END_TEST

static int alloc_little(hs_device *device, size_t bytes, hs_buffer *out)
{
    if (bytes <= 10 * UNIT)
        return hsi_device_emulated.alloc(device, bytes, out);
    device->fault = (hs_fault){.kind = HS_FAULT_MEMORY, .text = "alloc: none is left"};
    return 0;
}

static void expect_refusal(const char *why)
{
    const hs_backend_options     options = {.data = &devices};
    const hs_backend_worker_info info = {.struct_size = sizeof info};
    hs_backend_worker           *worker = NULL;
    hs_error                     error = {0};

    ck_assert_int_eq(hsi_device_worker_open(&options, &info, &worker, &error), HS_ERESOURCE);
    ck_assert_msg(strstr(error.why, why), "%s", error.why);
}

/* The memory is smaller than the data, the device gives less than it has, or lacks an operation. */
START_TEST(refusal_names_what_is_missing)
{
    devices.limit_setting = "the limit";
    devices.limit = HANDLES * UNIT;
    which = "memory=20000";
    expect_refusal(
        "0 of its 0 MiB are free and the data take 0: other processes hold the rest; wait "
        "for them, or set a smaller the limit");
    which = "devices=1";
    ops.alloc = alloc_little;
    expect_refusal("it gives no 0 MiB for the data");
    ops.alloc = hsi_device_emulated.alloc;
    devices.limit = UNIT;
    expect_refusal(
        "the data may take 256 bytes, too few for the 512 that one task uses: set a larger the "
        "limit");
    devices.operation->kind = HS_OPERATION_KINDS - 1;
    devices.limit = HANDLES * UNIT;
    opens_without_last = true;
    expect_refusal("it has no tpmqrt of doubles, which tasks of this run need");
    opens_without_last = false;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("devices");
    TCase *transfers = tcase_create("transfers"), *memory = tcase_create("memory");

    tcase_add_checked_fixture(transfers, create_devices, free_devices);
    tcase_add_test(transfers, transfers_under_way_are_bounded);
    tcase_add_test(transfers, eviction_of_all_is_bounded);
    tcase_add_test(transfers, inputs_of_a_task_without_room_stay);
    tcase_add_test(transfers, domain_outlives_its_first_device);
    tcase_add_test(transfers, segment_holds_no_mutex_of_another_device);
    tcase_add_loop_test(transfers, transfer_without_a_record_is_made, 1, 5);
    tcase_add_checked_fixture(memory, create_devices, free_devices);
    tcase_add_test(memory, pageable_memory_has_to_do);
    tcase_add_test(memory, refusal_names_what_is_missing);
    suite_add_tcase(suite, transfers);
    suite_add_tcase(suite, memory);
    return run_suite(suite);
}
