/* SPDX-License-Identifier: BSD-3-Clause */
/* The fake's copies of rectangles, and registered host memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_fixture.h"
#include "suite.h"

enum { PITCH = 64, ROWS = 8, BYTES = PITCH * ROWS };

static void fill(char *bytes)
{
    int i;

    for (i = 0; i < BYTES; i++)
        bytes[i] = (char)(i % 100);
}

/* Check that a copy of a rectangle changes only the rectangle: 5 bytes of each of three rows from
 * (2, 3) to (1, 7). */
START_TEST(a_rectangle_is_copied)
{
    char *from = pinned(BYTES), *to = pinned(BYTES), *there = device(BYTES);
    int   row, i;

    fill(from);
    memset(to, 'x', BYTES);
    GOOD(cudaMemcpyAsync(there, to, BYTES, cudaMemcpyHostToDevice, one));
    GOOD(cudaMemcpy2DAsync(there + PITCH + 7, PITCH, from + 2 * PITCH + 3, PITCH, 5, 3,
                           cudaMemcpyHostToDevice, one));
    GOOD(cudaStreamSynchronize(one));
    ck_assert_uint_eq(fake_record_at(fake_record_count() - 1).bytes, 15);
    GOOD(cudaMemcpyAsync(to, there, BYTES, cudaMemcpyDeviceToHost, one));
    GOOD(cudaStreamSynchronize(one));
    for (row = 0; row < ROWS; row++)
        for (i = 0; i < PITCH; i++) {
            int inside = row >= 1 && row < 4 && i >= 7 && i < 12;

            ck_assert_int_eq(to[row * PITCH + i], inside ? from[(row + 1) * PITCH + i - 4] : 'x');
        }
    memset(to, 'y', BYTES);
    GOOD(cudaMemcpy2DAsync(to, 10, there + PITCH + 7, PITCH, 5, 3, cudaMemcpyDeviceToHost, one));
    GOOD(cudaStreamSynchronize(one));
    for (i = 0; i < 30; i++)
        ck_assert_int_eq(to[i], i % 10 < 5 ? from[(2 + i / 10) * PITCH + 3 + i % 10] : 'y');
    assert_no_misuse();
}
END_TEST

START_TEST(a_rectangle_wider_than_its_rows_is_refused)
{
    char *from = pinned(BYTES), *there = device(BYTES);

    ck_assert_int_eq(cudaMemcpy2DAsync(there, 4, from, PITCH, 5, 3, cudaMemcpyHostToDevice, one),
                     cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpy2DAsync(there, PITCH, from, 4, 5, 3, cudaMemcpyHostToDevice, one),
                     cudaErrorInvalidValue);
    assert_no_misuse();
}
END_TEST

/* Check that a copy in a second stream, unordered with a write in the first stream, is a misuse. */
START_TEST(a_rectangle_that_nothing_orders_is_a_misuse)
{
    char *from = pinned(BYTES), *to = pinned(BYTES), *there = device(BYTES);

    fill(from);
    fake_hold_operations(FAKE_COPY_IN, 1);
    GOOD(cudaMemcpy2DAsync(there, PITCH, from, PITCH, PITCH, ROWS, cudaMemcpyHostToDevice, one));
    fake_set_quiet(1);
    GOOD(cudaMemcpy2DAsync(to, PITCH, there, PITCH, 5, 3, cudaMemcpyDeviceToHost, two));
    fake_hold_operations(FAKE_COPY_IN, 0);
    misused("cudaMemcpy2DAsync");
}
END_TEST

START_TEST(registered_memory_is_pinned)
{
    char *own = malloc(BYTES), *there = device(BYTES);
    int   i;

    fill(own);
    GOOD(cudaHostRegister(own, BYTES, cudaHostRegisterPortable));
    GOOD(cudaMemcpyAsync(there, own, BYTES, cudaMemcpyHostToDevice, one));
    GOOD(cudaStreamSynchronize(one));
    ck_assert_uint_eq(fake_pageable_copies(), 0);
    GOOD(cudaMemcpyAsync(own, there, BYTES, cudaMemcpyDeviceToHost, one));
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaHostUnregister(own));
    for (i = 0; i < BYTES; i++)
        ck_assert_int_eq(own[i], i % 100); /* the memory stays the caller's */
    GOOD(cudaMemcpyAsync(there, own, BYTES, cudaMemcpyHostToDevice, one));
    ck_assert_uint_eq(fake_pageable_copies(), 1);
    GOOD(cudaStreamSynchronize(one));
    assert_no_misuse();
    free(own);
}
END_TEST

START_TEST(memory_is_registered_once)
{
    char *own = malloc(BYTES);

    GOOD(cudaHostRegister(own, BYTES / 2, cudaHostRegisterDefault));
    ck_assert_int_eq(cudaHostRegister(own, BYTES, cudaHostRegisterDefault),
                     cudaErrorHostMemoryAlreadyRegistered);
    GOOD(cudaHostUnregister(own));
    ck_assert_int_eq(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
    ck_assert_int_eq(cudaHostRegister(NULL, BYTES, 0), cudaErrorInvalidValue);
    GOOD(cudaHostRegister(own, BYTES, cudaHostRegisterDefault));
    GOOD(cudaHostUnregister(own));
    assert_no_misuse();
    teardown(); /* no registration is left */
    free(own);
}
END_TEST

START_TEST(pinned_memory_goes_as_it_came)
{
    char *own = malloc(BYTES), *other = pinned(BYTES);

    GOOD(cudaHostRegister(own, BYTES, cudaHostRegisterDefault));
    fake_set_quiet(1);
    if (_i == 0)
        ck_assert_int_eq(cudaFreeHost(own), cudaErrorInvalidValue);
    else
        ck_assert_int_eq(cudaHostUnregister(other), cudaErrorInvalidValue);
    misused(_i == 0 ? "cudaFreeHost" : "cudaHostUnregister");
    GOOD(cudaHostUnregister(own));
    free(own);
}
END_TEST

static void *unregister(void *own)
{
    GOOD(cudaHostUnregister(own));
    return NULL;
}

/* Check that unregistering memory during a copy is reported and waits for the copy. */
START_TEST(what_a_copy_uses_stays_registered)
{
    const struct timespec nap = {0, 1000000};
    char                 *own = malloc(BYTES), *there = device(BYTES);
    pthread_t             thread;

    fill(own);
    GOOD(cudaHostRegister(own, BYTES, cudaHostRegisterDefault));
    fake_set_quiet(1);
    fake_hold_operations(FAKE_COPY_IN, 1);
    GOOD(cudaMemcpyAsync(there, own, BYTES, cudaMemcpyHostToDevice, one));
    ck_assert_int_eq(pthread_create(&thread, NULL, unregister, own), 0);
    while (fake_misuse_count() == 0)
        nanosleep(&nap, NULL);
    ck_assert_uint_eq(fake_ended_count(FAKE_COPY_IN), 0);
    fake_hold_operations(FAKE_COPY_IN, 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_uint_eq(fake_ended_count(FAKE_COPY_IN), 1);
    misused("cudaHostUnregister: a copy is still to use it");
    free(own);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fake CUDA's host memory");
    TCase *tcase = tcase_create("host memory");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, a_rectangle_is_copied);
    tcase_add_test(tcase, a_rectangle_wider_than_its_rows_is_refused);
    tcase_add_test(tcase, a_rectangle_that_nothing_orders_is_a_misuse);
    tcase_add_test(tcase, registered_memory_is_pinned);
    tcase_add_test(tcase, memory_is_registered_once);
    tcase_add_loop_test(tcase, pinned_memory_goes_as_it_came, 0, 2);
    tcase_add_test(tcase, what_a_copy_uses_stays_registered);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
