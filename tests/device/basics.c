/* SPDX-License-Identifier: BSD-3-Clause */
/* Points 1 to 7 of the suite: lists, opening, memory, copies. */
#include <stdlib.h>
#include <string.h>

#include "open_devices.h"

/* 1 */
START_TEST(devices_are_listed_and_none_has_a_reason)
{
    const char          *why = NULL;
    const hs_device_ops *ops = fixture.module(&why);
    const char          *which = fixture.start(2, NULL);
    hs_device_info       list[2];
    unsigned             count = 0, all = 0;
    hs_error             error = {0};
    hs_device           *device;

    ck_assert_uint_eq(ops->abi, HS_DEVICE_ABI);
    ck_assert_int_eq(ops->list(which, NULL, 0, &all, &error), HS_OK);
    ck_assert_uint_ge(all, 1);
    memset(list, 0xff, sizeof list);
    ck_assert_int_eq(ops->list(which, list, 1, &count, &error), HS_OK);
    ck_assert_uint_eq(count, all);
    ck_assert(list[0].name[0] && memchr(list[0].name, 0, sizeof list[0].name));
    ck_assert(list[0].memory > 0);
    ck_assert_int_eq((unsigned char)list[1].name[0], 0xff); /* no room, so not written */
    ck_assert_int_ne(ops->open(which, all + 1000, &device, &error), HS_OK);
    ck_assert_msg(error.why[0], "no reason is given for a device that does not exist");
    if (!fixture.start_without)
        return;
    error = (hs_error){0};
    ck_assert_int_eq(ops->list(fixture.start_without(), list, 2, &count, &error), HS_ERESOURCE);
    ck_assert_msg(error.why[0], "no reason is given for an empty list");
}
END_TEST

/* 2 */
START_TEST(devices_and_closed_twice_leaves_nothing)
{
    open_devices s;
    int          i;

    for (i = 0; i < 2; i++) {
        devices_open(&s, 2, NULL);
        ck_assert_ptr_eq(s.device[0]->ops, s.ops);
        ck_assert(s.device[0]->memory > 0 && s.device[0]->chunk > 0);
        ck_assert_int_eq(s.device[0]->fault.kind, HS_FAULT_NONE);
        devices_close(&s, true);
    }
}
END_TEST

/* 3 */
START_TEST(buffers_of_all_sizes_do_not_overlap)
{
    const size_t sizes[] = {1, 255, 256, 4097, 100000, 1 << 20};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    hs_buffer      buffer[COUNT];
    unsigned char *memory = malloc(1 << 20);
    open_devices   s;
    unsigned       i;

    devices_open(&s, 1, NULL);
    for (i = 0; i < COUNT; i++) {
        buffer[i] = devices_alloc(&s, 0, sizes[i]);
        devices_fill(memory, sizes[i], i);
        devices_write(&s, buffer[i], 0, memory, sizes[i]);
    }
    for (i = 0; i < COUNT; i++) {
        memset(memory, 0, sizes[i]);
        devices_read(&s, memory, buffer[i], 0, sizes[i]);
        ck_assert_msg(devices_has(memory, sizes[i], i), "buffer %u has changed", i);
        s.ops->release(s.device[0], buffer[i]);
    }
    free(memory);
    devices_close(&s, true);
}
END_TEST

/* 4 */
START_TEST(no_memory_left_is_a_fault_that_passes)
{
    hs_buffer    buffer[64], none = NULL;
    unsigned     count = 0, i, value = 7, back = 0;
    open_devices s;

    devices_open(&s, 1, NULL);
    ck_assert(!s.ops->alloc(s.device[0], (size_t)1 << 60, &none));
    ck_assert_ptr_null(none);
    ck_assert_int_eq(s.device[0]->fault.kind, HS_FAULT_MEMORY);
    ck_assert(s.device[0]->fault.text[0]);
    s.device[0]->fault.kind = HS_FAULT_NONE;
    while (!fixture.roomy && count < 64 &&
           s.ops->alloc(s.device[0], s.device[0]->memory / 8, &buffer[count]))
        count++;
    ck_assert(fixture.roomy || s.device[0]->fault.kind == HS_FAULT_MEMORY);
    s.device[0]->fault.kind = HS_FAULT_NONE;
    for (i = 0; i < count; i++)
        s.ops->release(s.device[0], buffer[i]);
    none = devices_alloc(&s, 0, sizeof value);
    devices_write(&s, none, 0, &value, sizeof value);
    devices_read(&s, &back, none, 0, sizeof back);
    ck_assert_uint_eq(back, value);
    s.ops->release(s.device[0], none);
    devices_close(&s, true);
}
END_TEST

/* 5 */
START_TEST(copies_of_all_sizes_at_all_offsets)
{
    const size_t   sizes[] = {1, 7, 256, 4097, 1 << 20, 64 << 20}, offsets[] = {0, 1, 257};
    size_t         bytes = sizes[_i];
    unsigned char *from = malloc(bytes), *to = malloc(bytes + 2);
    open_devices   s;
    hs_buffer      buffer;
    unsigned       j;

    devices_open(&s, 1, NULL);
    buffer = devices_alloc(&s, 0, bytes + 300);
    for (j = 0; j < 3; j++) {
        devices_fill(from, bytes, j);
        memset(to, 0x55, bytes + 2);
        devices_write(&s, buffer, offsets[j], from, bytes);
        devices_read(&s, to + 1, buffer, offsets[j], bytes);
        ck_assert_msg(devices_has(to + 1, bytes, j), "%zu bytes at offset %zu", bytes, offsets[j]);
        ck_assert(to[0] == 0x55 && to[bytes + 1] == 0x55);
    }
    s.ops->release(s.device[0], buffer);
    free(from);
    free(to);
    devices_close(&s, true);
}
END_TEST

/* Copy from the memory of a device to that of another, in a stream of the latter. */
static void between(open_devices *s, unsigned from, unsigned to)
{
    enum { BYTES = 5000, AT = 300 };
    unsigned char memory[BYTES], back[BYTES] = {0};
    hs_buffer     a = devices_alloc(s, from, 2 * BYTES), b = devices_alloc(s, to, 2 * BYTES);
    hs_stream    *in = &s->stream[from][1], *out = &s->stream[to][1];

    devices_fill(memory, BYTES, 3);
    ck_assert(s->ops->copy(in, on(s->device[from], a, AT), on_host(memory), BYTES));
    devices_finish(s, in);
    ck_assert(s->ops->copy(out, on(s->device[to], b, 1), on(s->device[from], a, AT), BYTES));
    ck_assert(s->ops->copy(out, on_host(back), on(s->device[to], b, 1), BYTES));
    devices_finish(s, out);
    ck_assert(devices_has(back, BYTES, 3));
    s->ops->release(s->device[from], a);
    s->ops->release(s->device[to], b);
}

/* 6 */
START_TEST(copies_within_a_device_and_between_peers)
{
    open_devices s;

    devices_open(&s, 2, NULL);
    between(&s, 0, 0);
    if (s.count == 2 && s.ops->peer(s.device[1], s.device[0]))
        between(&s, 0, 1);
    ck_assert_int_eq(s.device[0]->fault.kind, HS_FAULT_NONE);
    ck_assert(s.count < 2 || s.device[1]->fault.kind == HS_FAULT_NONE);
    devices_close(&s, true);
}
END_TEST

/* 7 */
START_TEST(host_memory_is_pageable_locked_or_registered)
{
    enum { BYTES = 3 * 4096 };
    unsigned char *pageable = malloc(BYTES), *own = aligned_alloc(4096, BYTES), *locked;
    void          *registered;
    open_devices   s;
    hs_buffer      buffer;

    devices_open(&s, 1, NULL);
    buffer = devices_alloc(&s, 0, BYTES);
    locked = s.ops->host_alloc(s.device[0], NULL, BYTES);
    registered = s.ops->host_alloc(s.device[0], own, BYTES);
    ck_assert(!registered || registered == own);
    if (locked) {
        devices_fill(pageable, BYTES, 1);
        devices_write(&s, buffer, 0, pageable, BYTES);
        devices_read(&s, locked, buffer, 0, BYTES);
        ck_assert(devices_has(locked, BYTES, 1));
        devices_fill(locked, BYTES, 2);
        devices_write(&s, buffer, 0, locked, BYTES);
    }
    memset(own, 0, BYTES);
    devices_read(&s, own, buffer, 0, BYTES);
    ck_assert(!locked || devices_has(own, BYTES, 2));
    devices_fill(own, BYTES, 4);
    devices_write(&s, buffer, 0, own, BYTES);
    devices_read(&s, pageable, buffer, 0, BYTES);
    ck_assert(devices_has(pageable, BYTES, 4));
    if (registered)
        s.ops->host_release(s.device[0], own, 1);
    devices_fill(own, BYTES, 5); /* the memory is still there */
    if (locked)
        s.ops->host_release(s.device[0], locked, 0);
    s.ops->release(s.device[0], buffer);
    free(pageable);
    free(own);
    devices_close(&s, true);
}
END_TEST

TCase *basics_tcase(void)
{
    TCase *tc = tcase_create("basics");

    tcase_add_test(tc, devices_are_listed_and_none_has_a_reason);
    tcase_add_test(tc, devices_and_closed_twice_leaves_nothing);
    tcase_add_test(tc, buffers_of_all_sizes_do_not_overlap);
    tcase_add_test(tc, no_memory_left_is_a_fault_that_passes);
    tcase_add_loop_test(tc, copies_of_all_sizes_at_all_offsets, 0, 6);
    tcase_add_test(tc, copies_within_a_device_and_between_peers);
    tcase_add_test(tc, host_memory_is_pageable_locked_or_registered);
    return tc;
}
