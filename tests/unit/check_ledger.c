/* SPDX-License-Identifier: BSD-3-Clause */
/* The ledger: the model's moments, answers of a begin, and failed allocations. */
#include <check.h>
#include <math.h>

#include "data/ledger.h"
#include "failing_memory.h"
#include "suite.h"

enum { UNIT = HSI_LEDGER_UNIT, ALL = UINT32_MAX };

static hsi_ledger *ledger;
static char        host[3][UNIT];

static void open_devices(void)
{
    const hsi_ledger_size size = {
        .handles = 2, .nodes = 3, .streams = 3, .in = 1, .out = 2, .spares = 1};
    const size_t chunk = 2 * UNIT;

    ck_assert_int_eq(hsi_ledger_create(&size, &ledger), HS_OK);
    for (uint32_t h = 0; h < 2; h++)
        hsi_ledger_place(ledger, h, UNIT, host[h], UNIT);
    for (uint32_t node = 1; node < 3; node++)
        ck_assert_int_eq(hsi_ledger_open_node(ledger, node, 0, &chunk, 1), HS_OK);
}

static void open_model(void)
{
    const hsi_ledger_size size = {.handles = 2, .nodes = 100, .is_model = true};

    ck_assert_int_eq(hsi_ledger_create(&size, &ledger), HS_OK);
}

static void close_ledger(void)
{
    ck_assert_ptr_null(hsi_ledger_check(ledger));
    hsi_ledger_free(ledger);
}

START_TEST(model_keeps_the_earlier_moment)
{
    ck_assert(isinf(hsi_ledger_arrival(ledger, 1, 70)));
    ck_assert(hsi_ledger_request(ledger, 1, 70, 5));
    ck_assert(!hsi_ledger_request(ledger, 1, 70, 6));
    ck_assert(hsi_ledger_arrival(ledger, 1, 70) == 5);
    ck_assert(hsi_ledger_request(ledger, 1, 70, 4));
    ck_assert(hsi_ledger_arrival(ledger, 1, 70) == 4);
    ck_assert_uint_eq(hsi_ledger_source(ledger, 1, 3), HSI_LEDGER_HOST);
}
END_TEST

START_TEST(model_copies_from_the_last_writer)
{
    hsi_ledger_write(ledger, 0, 99, 17, 2);
    ck_assert_int_eq(hsi_ledger_state(ledger, 0, 99), HSI_REPLICA_MODIFIED);
    ck_assert_int_eq(hsi_ledger_state(ledger, 0, HSI_LEDGER_HOST), HSI_REPLICA_INVALID);
    ck_assert(hsi_ledger_request(ledger, 0, 3, 4));
    ck_assert_int_eq(hsi_ledger_state(ledger, 0, 99), HSI_REPLICA_SHARED);
    ck_assert_uint_eq(hsi_ledger_source(ledger, 0, 5), 99);
    ck_assert_uint_eq(hsi_ledger_newest(ledger, 0), 17);
    hsi_ledger_reset(ledger);
    ck_assert_uint_eq(hsi_ledger_newest(ledger, 0), HS_NONE);
    ck_assert_int_eq(hsi_ledger_state(ledger, 0, 3), HSI_REPLICA_INVALID);
}
END_TEST

/* Begin a task with one use on a node; store the transfers in *out. */
static hsi_ledger_answer begin(uint32_t node, hsi_use *use, uint64_t locked, hsi_entered *out)
{
    static hsi_transfer_op transfer[4];
    static hsi_moment      wait[100];

    *out = (hsi_entered){
        .transfer = transfer, .room = 4, .wait = wait, .wait_room = 100, .locked = locked};
    return hsi_ledger_begin(ledger, node, use, 1, out);
}

START_TEST(modified_replica_goes_home_first)
{
    hsi_use     write = {.handle = 0, .version = HS_NONE, .mode = HS_WRITE};
    hsi_use     read = {.handle = 0, .version = 7, .mode = HS_READ};
    hsi_entered out;

    ck_assert_int_eq(begin(1, &write, 1 << 1, &out), HSI_LEDGER_OK);
    ck_assert_uint_eq(out.count, 0);
    ck_assert(hsi_ledger_commit(ledger, 1, &write, 1, 7));
    hsi_ledger_end(ledger, 1, &write, 1);
    ck_assert_double_eq(hsi_ledger_missing(ledger, 2, &read, 1), UNIT);
    ck_assert_int_eq(begin(2, &read, 1 << 2, &out), HSI_LEDGER_NEED);
    ck_assert_uint_eq(out.needed, 1 << 1);
    ck_assert_int_eq(begin(2, &read, 1 << 1 | 1 << 2, &out), HSI_LEDGER_OK);
    ck_assert_uint_eq(out.count, 2);
    ck_assert_uint_eq(out.transfer[0].from, 1);
    ck_assert_uint_eq(out.transfer[0].to, HSI_LEDGER_HOST);
    ck_assert_ptr_eq(out.transfer[1].source.at, host[0]);
    ck_assert_uint_eq(out.transfer[1].waits, 1);
    ck_assert_uint_eq(out.wait[out.transfer[1].first_wait].stream, 2);
    ck_assert_double_eq(hsi_ledger_missing(ledger, 2, &read, 1), 0);
    ck_assert_int_eq(begin(2, &write, ALL, &out), HSI_LEDGER_STALE);
    hsi_ledger_end(ledger, 2, &read, 1);
}
END_TEST

/* Begin a task on a device, with a kernel, and make its result the newest version. */
static void execute(uint32_t node, hsi_use *use, uint32_t task)
{
    hsi_entered out;

    ck_assert_int_eq(begin(node, use, ALL, &out), HSI_LEDGER_OK);
    ck_assert(hsi_ledger_commit(ledger, node, use, 1, task));
}

static void abandon(uint32_t node, const hsi_use *use, uint32_t task)
{
    hsi_ledger_fail(ledger, node, use, 1, task);
    hsi_ledger_end(ledger, node, use, 1);
}

/* Task 5 fails after its result was copied to another device and overwritten by task 6. */
START_TEST(retried_task_leaves_no_earlier_replica)
{
    hsi_use     first = {.handle = 0, .version = HS_NONE, .mode = HS_WRITE}, again = first;
    hsi_use     other = {.handle = 0, .version = 5, .mode = HS_READ}, next = other;
    hsi_entered out;

    next.mode = HS_READ_WRITE;
    execute(1, &first, 5);
    ck_assert_int_eq(begin(2, &other, ALL, &out), HSI_LEDGER_OK);
    hsi_ledger_end(ledger, 2, &other, 1);
    execute(1, &next, 6);
    abandon(1, &first, 5);
    abandon(1, &next, 6);
    ck_assert_uint_eq(hsi_ledger_newest(ledger, 0), HSI_VERSION_LOST);
    execute(1, &again, 5);
    hsi_ledger_end(ledger, 1, &again, 1);
    ck_assert_int_eq(hsi_ledger_state(ledger, 0, 1), HSI_REPLICA_MODIFIED);
    ck_assert_int_eq(hsi_ledger_state(ledger, 0, 2), HSI_REPLICA_INVALID);
    ck_assert_double_eq(hsi_ledger_missing(ledger, 2, &other, 1), UNIT);
}
END_TEST

START_TEST(copy_between_peers_needs_both)
{
    hsi_use     read = {.handle = 0, .version = HS_NONE, .mode = HS_READ};
    hsi_entered out;

    hsi_ledger_link_peers(ledger, 1, 2);
    ck_assert_int_eq(begin(1, &read, 1 << 1, &out), HSI_LEDGER_OK);
    hsi_ledger_end(ledger, 1, &read, 1);
    hsi_ledger_reach(ledger, out.transfer[0].step.stream, out.transfer[0].step.number);
    ck_assert_int_eq(begin(2, &read, 1 << 2, &out), HSI_LEDGER_NEED);
    ck_assert_uint_eq(out.needed, 1 << 1);
    ck_assert_int_eq(begin(2, &read, 1 << 1 | 1 << 2, &out), HSI_LEDGER_OK);
    ck_assert_uint_eq(out.transfer[0].from, 1);
    hsi_ledger_end(ledger, 2, &read, 1);
}
END_TEST

START_TEST(spare_range_of_the_host_becomes_the_replica)
{
    hsi_use     use = {.handle = 1, .version = HS_NONE, .mode = HS_READ_WRITE, .keep = true};
    hsi_entered out;

    use.second = hsi_ledger_place_spare(ledger, 0, host[2], UNIT);
    ck_assert_int_eq(begin(HSI_LEDGER_HOST, &use, 0, &out), HSI_LEDGER_OK);
    ck_assert(hsi_ledger_commit(ledger, HSI_LEDGER_HOST, &use, 1, 3));
    hsi_ledger_end(ledger, HSI_LEDGER_HOST, &use, 1);
    ck_assert_uint_eq(hsi_ledger_range_of(ledger, 1, HSI_LEDGER_HOST), use.second);
    ck_assert_ptr_eq(hsi_ledger_range(ledger, HSI_LEDGER_HOST, use.range)->at, host[1]);
    ck_assert_ptr_null(hsi_ledger_check(ledger));
    hsi_ledger_reset(ledger);
    ck_assert_uint_eq(hsi_ledger_range_of(ledger, 1, HSI_LEDGER_HOST), use.range);
}
END_TEST

/* Of two results that are copied to the host, both are lost with their device. */
START_TEST(copies_on_their_way_are_lost)
{
    hsi_entered out;

    for (uint32_t handle = 0; handle < 2; handle++) {
        hsi_use use = {.handle = handle, .version = HS_NONE, .mode = HS_WRITE};

        ck_assert_int_eq(begin(1, &use, ALL, &out), HSI_LEDGER_OK);
        ck_assert(hsi_ledger_commit(ledger, 1, &use, 1, 5 + handle));
        hsi_ledger_end(ledger, 1, &use, 1);
        ck_assert_int_eq(hsi_ledger_flush(ledger, handle, &out), HSI_LEDGER_OK);
    }
    hsi_ledger_lose(ledger, 1);
    ck_assert_uint_eq(hsi_ledger_newest(ledger, 0), HSI_VERSION_LOST);
    ck_assert_uint_eq(hsi_ledger_newest(ledger, 1), HSI_VERSION_LOST);
}
END_TEST

/* A task of the host writes a new range, while the old one loses a copy that was on its way. */
START_TEST(lost_copy_into_a_range_that_is_not_read)
{
    hsi_use     first = {.handle = 0, .version = HS_NONE, .mode = HS_WRITE};
    hsi_use     next = {.handle = 0, .version = 5, .mode = HS_WRITE, .keep = true};
    hsi_entered out;

    execute(1, &first, 5);
    hsi_ledger_end(ledger, 1, &first, 1);
    next.second = hsi_ledger_place_spare(ledger, 0, host[2], UNIT);
    ck_assert_int_eq(begin(HSI_LEDGER_HOST, &next, ALL, &out), HSI_LEDGER_OK);
    ck_assert_int_eq(hsi_ledger_flush(ledger, 0, &out), HSI_LEDGER_OK);
    hsi_ledger_lose(ledger, 1);
    ck_assert_uint_eq(hsi_ledger_newest(ledger, 0), HSI_VERSION_LOST);
    ck_assert(hsi_ledger_commit(ledger, HSI_LEDGER_HOST, &next, 1, 6));
    hsi_ledger_end(ledger, HSI_LEDGER_HOST, &next, 1);
    ck_assert_uint_eq(hsi_ledger_newest(ledger, 0), 6);
}
END_TEST

/* The second transfer in waits until the first one is reached; a transfer out is not concerned. */
START_TEST(transfers_of_a_stream_are_bounded)
{
    const hsi_ledger_size size = {
        .handles = 3, .nodes = 2, .streams = 3, .in = 1, .out = 2, .pending = 1};
    const size_t    chunk = 3 * UNIT;
    hsi_transfer_op transfer[4];
    hsi_moment      wait[32];
    hsi_entered     out = {
            .transfer = transfer, .room = 4, .wait = wait, .wait_room = 32, .locked = ALL};
    hsi_ledger *l = NULL;
    hsi_use     use[2] = {{.handle = 0, .version = HS_NONE, .mode = HS_READ_WRITE},
                          {.handle = 1, .version = HS_NONE, .mode = HS_READ}};

    ck_assert_int_eq(hsi_ledger_create(&size, &l), HS_OK);
    ck_assert_int_eq(hsi_ledger_open_node(l, 1, 0, &chunk, 1), HS_OK);
    for (uint32_t h = 0; h < 3; h++)
        hsi_ledger_place(l, h, UNIT, host[h], UNIT);
    ck_assert_int_eq(hsi_ledger_begin(l, 1, use, 2, &out), HSI_LEDGER_BUSY);
    ck_assert_uint_eq(out.count, 1);
    ck_assert(out.late.stream == 1 && out.late.number == 1);
    ck_assert_int_eq(hsi_ledger_begin(l, 1, use, 1, &out), HSI_LEDGER_OK);
    ck_assert(hsi_ledger_commit(l, 1, use, 1, 0));
    hsi_ledger_end(l, 1, use, 1);
    ck_assert_int_eq(hsi_ledger_flush(l, 0, &out), HSI_LEDGER_OK);
    use[0].version = 0;
    hsi_ledger_reach(l, 1, 1);
    ck_assert_int_eq(hsi_ledger_begin(l, 1, use, 2, &out), HSI_LEDGER_OK);
    hsi_ledger_end(l, 1, use, 2);
    ck_assert_uint_eq(out.count, 3);
    ck_assert_ptr_null(hsi_ledger_check(l));
    hsi_ledger_free(l);
}
END_TEST

START_TEST(closed_node_refuses_tasks)
{
    hsi_use     use = {.handle = 0, .version = HS_NONE, .mode = HS_READ};
    hsi_entered out;

    hsi_ledger_lose(ledger, 2);
    ck_assert_int_eq(begin(2, &use, ALL, &out), HSI_LEDGER_CLOSED);
    ck_assert_int_eq(hsi_ledger_evict_all(ledger, 2, &out), HSI_LEDGER_CLOSED);
}
END_TEST

START_TEST(too_many_nodes_or_streams)
{
    hsi_ledger_size size = {.handles = 1, .nodes = HSI_LEDGER_MOST_NODES + 1};
    hsi_ledger     *none = NULL;

    ck_assert_int_eq(hsi_ledger_create(&size, &none), HS_ETOOBIG);
    size.nodes = 3;
    size.streams = 1 << 15;
    ck_assert_int_eq(hsi_ledger_create(&size, &none), HS_ETOOBIG);
    ck_assert_ptr_null(none);
}
END_TEST

static hs_status open_with_devices(hsi_ledger **out)
{
    const hsi_ledger_size size = {.handles = 2, .nodes = 2, .streams = 2, .in = 0, .out = 1};
    const size_t          chunks[] = {UNIT, 3 * UNIT};
    hs_status             st = hsi_ledger_create(&size, out);

    if (st == HS_OK)
        st = hsi_ledger_open_node(*out, 1, 0, chunks, 2);
    return st;
}

START_TEST(each_allocation_fails)
{
    long      fails = 0, live = memory_live_blocks();
    hs_status st;

    do {
        hsi_ledger *made = NULL;
        long        failed;

        memory_fail_after(fails++, 0);
        st = open_with_devices(&made);
        failed = memory_stop_failing();
        hsi_ledger_free(made);
        ck_assert_int_eq(st, failed ? HS_ENOMEM : HS_OK);
        ck_assert_int_eq(memory_live_blocks(), live);
    } while (st != HS_OK);
    ck_assert_int_gt(fails, 8);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ledger");
    TCase *model = tcase_create("model"), *devices = tcase_create("devices");
    TCase *create = tcase_create("create");

    tcase_add_checked_fixture(model, open_model, close_ledger);
    tcase_add_test(model, model_keeps_the_earlier_moment);
    tcase_add_test(model, model_copies_from_the_last_writer);
    tcase_add_checked_fixture(devices, open_devices, close_ledger);
    tcase_add_test(devices, modified_replica_goes_home_first);
    tcase_add_test(devices, retried_task_leaves_no_earlier_replica);
    tcase_add_test(devices, copy_between_peers_needs_both);
    tcase_add_test(devices, spare_range_of_the_host_becomes_the_replica);
    tcase_add_test(devices, lost_copy_into_a_range_that_is_not_read);
    tcase_add_test(devices, copies_on_their_way_are_lost);
    tcase_add_test(devices, closed_node_refuses_tasks);
    tcase_add_test(create, transfers_of_a_stream_are_bounded);
    tcase_add_test(create, too_many_nodes_or_streams);
    tcase_add_test(create, each_allocation_fails);
    suite_add_tcase(suite, model);
    suite_add_tcase(suite, devices);
    suite_add_tcase(suite, create);
    return run_suite(suite);
}
