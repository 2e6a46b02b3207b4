/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_SPIN_H
#define HSI_SUPPORT_SPIN_H

#include <pthread.h>

/* Pause between two polls of a variable that another thread will change. */
static inline void hsi_spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/*
 * Lock a mutex that threads hold for a few microseconds at most: sleep and wake-up cost more than
 * spinning for this time. Each try takes the mutex's cache line from its holder, who needs it to
 * unlock, so the loop pauses between tries.
 */
static inline void hsi_spin_lock(pthread_mutex_t *mutex)
{
    enum { TRIES = 30, PAUSES = 8 };

    for (int i = 0; i < TRIES; i++) {
        if (pthread_mutex_trylock(mutex) == 0)
            return;
        for (int k = 0; k < PAUSES; k++)
            hsi_spin_pause();
    }
    pthread_mutex_lock(mutex);
}

#endif
