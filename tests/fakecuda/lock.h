/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_LOCK_H
#define FAKECUDA_LOCK_H

#include <stdint.h>

/* Measurements of the lock shared by launches and CPU workers, exported by lock.c. Tests look up
 * the symbols LOCK_PASS, LOCK_WAITS and LOCK_UNBOUNDED in the opened module. */

#define LOCK_PASS "lock_pass"
#define LOCK_WAITS "lock_waits"
#define LOCK_UNBOUNDED "lock_unbounded"

/* Take and release the lock of the latest launched task. */
typedef void lock_pass_function(void);

/* Nanoseconds that CPU workers waited for the lock to report the end of tasks, since the last call.
 * */
typedef struct lock_waits_result {
    uint64_t count;
    int64_t  total, longest;
} lock_waits_result;

typedef lock_waits_result lock_waits_function(void);

/* Launch every task with the lock held, as if queues were unlimited; or stop doing so. */
typedef void lock_unbounded_function(int unbounded);

lock_pass_function      lock_pass;
lock_waits_function     lock_waits;
lock_unbounded_function lock_unbounded;

#endif
