/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_LOCK_H
#define FAKECUDA_LOCK_H

#include <stdint.h>

/* What lock.c measures of the lock that all launches and all workers of CPUs share. A test finds
 * the symbols, LOCK_PASS and the others, in the module that it has opened. */

#define LOCK_PASS "lock_pass"
#define LOCK_WAITS "lock_waits"
#define LOCK_UNBOUNDED "lock_unbounded"

/* Take the lock of the last task that was launched, and release it. */
typedef void lock_pass_function(void);

/* Nanoseconds that workers of CPUs waited for the lock to say that a task is over, since the last
 * call. */
typedef struct lock_waits_result {
    uint64_t count;
    int64_t  total, longest;
} lock_waits_result;

typedef lock_waits_result lock_waits_function(void);

/* Launch everything with the lock, as if queues had no end; or not any more. */
typedef void lock_unbounded_function(int unbounded);

lock_pass_function      lock_pass;
lock_waits_function     lock_waits;
lock_unbounded_function lock_unbounded;

#endif
