/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrappers linked into tests: the bound of launches follows the fake's queue, and waiting times for
 * the lock of the ledger are measured. */
#include "lock.h"

#include <limits.h>

#include "exec/device/devices.h"
#include "fake.h"
#include "support/clock.h"

static hsi_devices      *last;
static lock_waits_result waits; /* access needs the lock */
static int               is_unbounded;

unsigned __real_hsi_stream_bound(void);
unsigned __wrap_hsi_stream_bound(void);

unsigned __wrap_hsi_stream_bound(void)
{
    if (is_unbounded)
        return UINT_MAX;
    return fake_queue_length() ? fake_queue_length() / 2 : __real_hsi_stream_bound();
}

hs_status __real_hsi_device_worker_open(const hs_backend_options *options,
                                        const hs_backend_worker_info *info, hs_backend_worker **out,
                                        hs_error *error);
hs_status __wrap_hsi_device_worker_open(const hs_backend_options *options,
                                        const hs_backend_worker_info *info, hs_backend_worker **out,
                                        hs_error *error);

hs_status __wrap_hsi_device_worker_open(const hs_backend_options *options,
                                        const hs_backend_worker_info *info, hs_backend_worker **out,
                                        hs_error *error)
{
    __atomic_store_n(&last, options->data, __ATOMIC_RELEASE);
    return __real_hsi_device_worker_open(options, info, out, error);
}

void __real_hsi_devices_give(hsi_devices *d, const hsi_use *use, size_t count, uint32_t version,
                             hsi_given given);
void __wrap_hsi_devices_give(hsi_devices *d, const hsi_use *use, size_t count, uint32_t version,
                             hsi_given given);

/* Measure the call: its duration is nearly the waiting time for the lock. */
void __wrap_hsi_devices_give(hsi_devices *d, const hsi_use *use, size_t count, uint32_t version,
                             hsi_given given)
{
    int64_t start = hsi_clock_ns(), waited;

    __real_hsi_devices_give(d, use, count, version, given);
    waited = hsi_clock_ns() - start;
    pthread_mutex_lock(&d->lock);
    waits.count++;
    waits.total += waited;
    waits.longest = waited > waits.longest ? waited : waits.longest;
    pthread_mutex_unlock(&d->lock);
}

void lock_pass(void)
{
    hsi_devices *d = __atomic_load_n(&last, __ATOMIC_ACQUIRE);

    pthread_mutex_lock(&d->lock);
    pthread_mutex_unlock(&d->lock);
}

/* Call only while no task runs. */
void lock_unbounded(int unbounded)
{
    is_unbounded = unbounded;
}

/* Call only while no task runs. */
lock_waits_result lock_waits(void)
{
    lock_waits_result since = waits;

    waits = (lock_waits_result){.count = 0};
    return since;
}
