/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues of launches that fill: no worker waits for room in one with the lock of all workers. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lock.h"
#include "suite.h"
#include "tiles_fixture.h"
#include "trial.h"

static fake_settings with_queue(int room, double kernel)
{
    fake_settings settings = some_devices();

    settings.queue = room;
    settings.kernel = kernel;
    return settings;
}

/* Of tasks beyond the bound, half of a queue, one is in a stream at a time: a task of QR puts 22
 * kernels there at most. */
START_TEST(no_launch_waits)
{
    const unsigned   sizes[] = {48, 96};
    fake_settings    settings = with_queue(24, 1e-4);
    hs_exec_settings s = settings_of("plan");

    s.gpu_mode = _i / 2 ? HS_GPU_GRAPH : HS_GPU_STREAMS;
    fake_reset(&settings);
    run_tiles(tiled(HS_QR, 5, sizes[_i % 2], 1, 2), "heft", &s, 1, 1);
    ck_assert_uint_eq(fake_full(), 0);
    trial_is_clean();
}
END_TEST

static void *find(const char *name)
{
    void *module = dlopen(MODULE, RTLD_NOW), *symbol;

    ck_assert_ptr_nonnull(module);
    symbol = dlsym(module, name);
    ck_assert_ptr_nonnull(symbol);
    return symbol;
}

typedef struct passer {
    lock_pass_function *pass;
    int                 passed, over; /* over: so is the run; atomic */
} passer;

/* Wait for it, or until the run is over. */
static int is_over(const passer *p)
{
    const struct timespec nap = {0, 1000000};

    nanosleep(&nap, NULL);
    return __atomic_load_n(&p->over, __ATOMIC_ACQUIRE);
}

/* When all workers are open: a task is launched into a queue that is full, no kernel ends, and the
 * lock is free. */
static void *pass(void *context)
{
    passer *p = context;

    while (first_tile_copied(48) == INT64_MAX)
        if (is_over(p))
            return NULL;
    fake_fill(8);
    while (fake_full() == 0)
        if (is_over(p))
            return NULL;
    p->pass();
    p->passed = 1;
    fake_hold(FAKE_KERNEL, 0);
    return NULL;
}

/* A task has more kernels than there is room for. Were the lock held, this would never end. Where
 * the thread is late because the machine is busy, once more. */
START_TEST(the_lock_is_free)
{
    fake_settings    settings = with_queue(0, 2e-3);
    hs_exec_settings s = settings_of("plan");
    void            *symbol = find(LOCK_PASS);
    pthread_t        thread;
    passer           p = {.passed = 0};
    int              tries = 20;

    memcpy(&p.pass, &symbol, sizeof symbol);
    while (!p.passed && tries-- > 0) {
        fake_reset(&settings);
        p.over = 0;
        ck_assert_int_eq(pthread_create(&thread, NULL, pass, &p), 0);
        run_tiles(tiled(HS_QR, 5, 48, 1, 1), "gpu-only", &s, 1, 1);
        __atomic_store_n(&p.over, 1, __ATOMIC_RELEASE);
        pthread_join(thread, NULL);
        trial_is_clean();
    }
    ck_assert_int_eq(p.passed, 1);
}
END_TEST

/* Whatever the policy, tasks that are launched without the lock are right; and so is what is said
 * of a call among them that fails. */
START_TEST(any_policy)
{
    fake_settings settings = with_queue(2, 0);
    size_t        i;

    for (i = 0; i < hs_policy_count(); i++) {
        const hs_policy_kind *policy = hs_policy_at(i);
        hs_exec_settings      s;

        if (!hs_policy_graphs(policy))
            continue;
        fake_reset(&settings);
        s = settings_of(hs_policy_name(policy));
        s.retries = (unsigned)_i % 2;
        run_tiles(altered(HS_QR, 4, 48, 2, 2, _i / 2 ? LINKED : 0), "heft", &s, 2, 1);
        trial_is_clean();
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

    setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0); /* they leak, and there is nothing to find */
    tcase_set_timeout(cases, 600);
    tcase_add_checked_fixture(cases, tiles_setup, NULL);
    tcase_add_loop_test(cases, no_launch_waits, 0, 4);
    tcase_add_test(cases, the_lock_is_free);
    tcase_add_loop_test(cases, any_policy, 0, 4);
    tcase_add_loop_test(cases, every_call_fails_once, 0, 2);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
