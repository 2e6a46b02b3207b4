/* SPDX-License-Identifier: BSD-3-Clause */
/* Full launch queues: no worker waits for queue space while it holds the lock of the ledger. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "lock.h"
#include "suite.h"
#include "tiles_fixture.h"
#include "trial.h"

static fake_settings with_queue(int room, double kernel)
{
    fake_settings settings = devices_of_tests();

    settings.queue = room;
    settings.kernel = kernel;
    return settings;
}

/* Check that launches never wait for a full queue. Beyond half a queue, a stream gets a single task
 * at a time; a QR task launches at most 22 kernels. */
START_TEST(no_launch_waits)
{
    const unsigned   sizes[] = {48, 96};
    fake_settings    settings = with_queue(24, 1e-4);
    hs_exec_settings s = settings_of("plan");

    s.gpu.mode = _i / 2 ? HS_GPU_GRAPH : HS_GPU_STREAMS;
    fake_reset(&settings);
    run_tiles(tiled(HS_QR, 5, sizes[_i % 2], 1, 2), "heft", &s, 1, 1);
    ck_assert_uint_eq(fake_full_queue_waits(), 0);
    trial_assert_clean();
}
END_TEST

typedef struct passer {
    int passed, over; /* over: the run has ended; atomic */
} passer;

/* Sleep for a millisecond; return whether the run has ended. */
static int is_over(const passer *p)
{
    const struct timespec nap = {0, 1000000};

    nanosleep(&nap, NULL);
    return __atomic_load_n(&p->over, __ATOMIC_ACQUIRE);
}

/* Wait until every worker is open and a launch waits for a full queue; take the lock while no kernel
 * ends. */
static void *pass(void *context)
{
    passer *p = context;

    while (time_of_first_tile_copy(48) == INT64_MAX)
        if (is_over(p))
            return NULL;
    fake_hold_when_queue_is_full();
    while (fake_full_queue_waits() == 0)
        if (is_over(p))
            return NULL;
    lock_pass();
    p->passed = 1;
    fake_hold_operations(FAKE_KERNEL, 0);
    return NULL;
}

/*
 * Check that the lock is free during a launch into a full queue: a task has more kernels than the
 * queue holds, and the test would hang if the lock were held. The run is repeated if the thread was
 * late on a busy machine.
 */
START_TEST(the_lock_is_free)
{
    fake_settings    settings = with_queue(8, 2e-3);
    hs_exec_settings s = settings_of("plan");
    pthread_t        thread;
    passer           p = {.passed = 0};
    int              tries = 20;

    while (!p.passed && tries-- > 0) {
        fake_reset(&settings);
        p.over = 0;
        ck_assert_int_eq(pthread_create(&thread, NULL, pass, &p), 0);
        run_tiles(tiled(HS_QR, 5, 48, 1, 1), "gpu-only", &s, 1, 1);
        __atomic_store_n(&p.over, 1, __ATOMIC_RELEASE);
        pthread_join(thread, NULL);
        trial_assert_clean();
    }
    ck_assert_int_eq(p.passed, 1);
}
END_TEST

/* Check that tasks launched without the lock are correct under any policy. */
START_TEST(any_policy)
{
    fake_settings settings = with_queue(2, 0);
    size_t        i;

    for (i = 0; i < hs_policy_count(); i++) {
        const hs_policy_kind *policy = hs_policy_at(i);
        hs_exec_settings      s;

        if (!hs_policy_supports_graphs(policy))
            continue;
        fake_reset(&settings);
        s = settings_of(hs_policy_name(policy));
        s.fail.retries = (unsigned)_i % 2;
        run_tiles(altered(HS_QR, 4, 48, 2, 2, _i / 2 ? LINKED : 0), "heft", &s, 2, 1);
        trial_assert_clean();
    }
}
END_TEST

START_TEST(every_call_fails_once)
{
    hs_exec_settings s = settings_of("plan");
    fake_settings    settings = with_queue(2, 0);

    settings.sticky = _i;
    fail_each_call(settings, &s, HS_QR, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda queue");
    TCase *cases = tcase_create("queue");

    setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0); /* leaky components, no device */
    tcase_set_timeout(cases, 600);
    tcase_add_checked_fixture(cases, tiles_setup, NULL);
    tcase_add_loop_test(cases, no_launch_waits, 0, 4);
    tcase_add_test(cases, the_lock_is_free);
    tcase_add_loop_test(cases, any_policy, 0, 4);
    tcase_add_loop_test(cases, every_call_fails_once, 0, 2);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
