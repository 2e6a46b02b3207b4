/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_LOCK_H
#define FAKECUDA_LOCK_H

#include <stdint.h>

/* What lock.c measures of the lock that all launches and all workers of CPUs share. A test finds
 * the symbols, LOCK_PASS and LOCK_WAITS, in the module that it has opened. */

#define LOCK_PASS "lock_pass"
#define LOCK_WAITS "lock_waits"

/* Take the lock of the last task that was launched, and release it. */
typedef void lock_pass_function(void);

/* Nanoseconds that workers of CPUs waited for the lock to say that a task is over. */
typedef struct lock_waits_result {
    uint64_t count;
    int64_t  total, longest;
} lock_waits_result;

typedef lock_waits_result lock_waits_function(void);

lock_pass_function  lock_pass;
lock_waits_function lock_waits;

#endif
