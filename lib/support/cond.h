/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_COND_H
#define HSI_SUPPORT_COND_H

#include <pthread.h>
#include <time.h>

/* A condition whose timed waits are given hsi_clock_ns(). 0, or an errno. */
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
