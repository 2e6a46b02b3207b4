/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_LOCK_H
#define FAKECUDA_LOCK_H

#include <stdint.h>

/* Measurements of the lock of the ledger, which launches and CPU workers share. */

/* Take and release the lock of the latest opened device. */
void lock_pass(void);

/* Nanoseconds that CPU workers waited for the lock to report the end of tasks, since the last call.
 * */
typedef struct lock_waits_result {
    uint64_t count;
    int64_t  total, longest;
} lock_waits_result;

lock_waits_result lock_waits(void);

/* Launch every task as if queues were unlimited; or stop doing so. */
void lock_unbounded(int unbounded);

#endif
