/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_COND_H
#define HSI_SUPPORT_COND_H

#include <pthread.h>
#include <time.h>

/*
 * Initialise a condition variable with timed waits on the clock of hsi_clock_ns(). Returns 0 or an
 * errno.
 */
static inline int hsi_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t monotonic;
    int                error = pthread_condattr_init(&monotonic);

    if (error)
        return error;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    error = pthread_cond_init(cond, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return error;
}

#endif
