/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_CLOCK_H
#define HSI_SUPPORT_CLOCK_H

#include <stdint.h>
#include <time.h>

/*
 * CLOCK_MONOTONIC, which is never set back and which timed waits can be given. Only
 * differences mean anything; 2^63 ns are 292 years.
 */
static inline int64_t hsi_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The same in seconds. */
static inline double hsi_now(void)
{
    return 1e-9 * (double)hsi_clock_ns();
}

static inline struct timespec hsi_timespec(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

#endif
