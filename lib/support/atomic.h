/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_ATOMIC_H
#define HSI_SUPPORT_ATOMIC_H

/*
 * Words that threads share without a lock. None of them hands over other data, so relaxed
 * order is enough; what is handed over goes through a lock.
 */
#define hsi_atomic_load(at) __atomic_load_n((at), __ATOMIC_RELAXED)
#define hsi_atomic_store(at, value) __atomic_store_n((at), (value), __ATOMIC_RELAXED)

#endif
