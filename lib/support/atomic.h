/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_ATOMIC_H
#define HSI_SUPPORT_ATOMIC_H

#include <stdint.h>

/*
 * Words shared by threads without a lock. Relaxed order suffices, because none of them publishes
 * other data; data is published under a lock. These are functions, not macros, for their names in
 * tests/helgrind.supp.
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

static inline unsigned char hsi_atomic_load_byte(const unsigned char *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static inline void hsi_atomic_store_byte(unsigned char *at, unsigned char value)
{
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

/* Change a byte from `expected` to `desired`: true if this call made the change, else false. */
static inline bool hsi_atomic_compare_exchange_byte(unsigned char *at, unsigned char expected,
                                                    unsigned char desired)
{
    return __atomic_compare_exchange_n(at, &expected, desired, 0, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

#endif
