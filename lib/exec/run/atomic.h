/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_ATOMIC_H
#define HSI_EXEC_RUN_ATOMIC_H

#include <stdint.h>

/*
 * Words that threads share without the lock. None of them hands over other data,
 * so relaxed order is enough; what is handed over goes through the lock.
 */
static inline int hsi_peek(const int *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static inline void hsi_poke(int *at, int value)
{
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

static inline uint64_t hsi_peek64(const uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static inline void hsi_poke64(uint64_t *at, uint64_t value)
{
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

#endif
