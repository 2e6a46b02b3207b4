/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrappers linked into the module under test: the bound of launches follows the fake's queue, and
 * waiting times for the lock of shared tiles are measured. */
#include <limits.h>

#include "lock.h"

#include "exec/backend/cuda/tiles/tiles.h"
#include "fake.h"
#include "support/clock.h"

static hsi_memory       *last;
static lock_waits_result waits; /* access needs the lock of shared tiles */
static int               is_unbounded;

unsigned __real_hsi_tiles_most_kernels_in_stream(void);
unsigned __wrap_hsi_tiles_most_kernels_in_stream(void);

unsigned __wrap_hsi_tiles_most_kernels_in_stream(void)
{
    if (is_unbounded)
        return UINT_MAX;
    return fake_queue_length() ? fake_queue_length() / 2
                               : __real_hsi_tiles_most_kernels_in_stream();
}

int __real_hsi_tiles_in_flight_launch(hsi_tiles_gpu *gpu, const hsi_tiles_in_flight *in_flight);
int __wrap_hsi_tiles_in_flight_launch(hsi_tiles_gpu *gpu, const hsi_tiles_in_flight *in_flight);

int __wrap_hsi_tiles_in_flight_launch(hsi_tiles_gpu *gpu, const hsi_tiles_in_flight *in_flight)
{
    __atomic_store_n(&last, gpu->memory, __ATOMIC_RELEASE);
    return __real_hsi_tiles_in_flight_launch(gpu, in_flight);
}

void __real_hsi_tiles_release_on_host(hsi_memory *memory, const hsi_matrix_row *row, int done);
void __wrap_hsi_tiles_release_on_host(hsi_memory *memory, const hsi_matrix_row *row, int done);

/* Measure the call: its duration is nearly the waiting time for the lock. */
void __wrap_hsi_tiles_release_on_host(hsi_memory *memory, const hsi_matrix_row *row, int done)
{
    int64_t start = hsi_clock_ns(), waited;

    __real_hsi_tiles_release_on_host(memory, row, done);
    waited = hsi_clock_ns() - start;
    pthread_mutex_lock(&memory->lock);
    waits.count++;
    waits.total += waited;
    waits.longest = waited > waits.longest ? waited : waits.longest;
    pthread_mutex_unlock(&memory->lock);
}

__attribute__((visibility("default"))) void lock_pass(void)
{
    hsi_memory *memory = __atomic_load_n(&last, __ATOMIC_ACQUIRE);

    pthread_mutex_lock(&memory->lock);
    pthread_mutex_unlock(&memory->lock);
}

/* Call only while no task runs. */
__attribute__((visibility("default"))) void lock_unbounded(int unbounded)
{
    is_unbounded = unbounded;
}

/* Call only while no task runs. */
__attribute__((visibility("default"))) lock_waits_result lock_waits(void)
{
    lock_waits_result since = waits;

    waits = (lock_waits_result){.count = 0};
    return since;
}
