/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_ATOMIC_H
#define HSI_SUPPORT_ATOMIC_H

#include <stdint.h>

/*
 * Words that threads share without a lock. None of them hands over other data, so relaxed
 * order is enough; what is handed over goes through a lock. Functions rather than macros,
 * so that tests/helgrind.supp can name them.
 */
static inline int hsi_atomic_load(const int *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static inline void hsi_atomic_store(int *at, int value)
{
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

static inline uint64_t hsi_atomic_load64(const uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static inline void hsi_atomic_store64(uint64_t *at, uint64_t value)
{
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

static inline unsigned char hsi_atomic_load8(const unsigned char *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static inline void hsi_atomic_store8(unsigned char *at, unsigned char value)
{
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

/* 1: it was `from`, and is `to` by this call. */
static inline int hsi_atomic_change8(unsigned char *at, unsigned char from, unsigned char to)
{
    return __atomic_compare_exchange_n(at, &from, to, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#endif
