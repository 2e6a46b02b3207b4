/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_CLOCK_H
#define HSI_SUPPORT_CLOCK_H

#include <time.h>

/* Seconds of a clock that is never set back; only differences mean anything. */
static inline double hsi_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
