/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_CLOCK_H
#define HSI_SUPPORT_CLOCK_H

#include <stdint.h>
#include <time.h>

/*
 * Read CLOCK_MONOTONIC in ns. This clock is never set back, and timed waits accept its times. Only
 * differences are meaningful; 2^63 ns are 292 years.
 */
static inline int64_t hsi_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Read CLOCK_MONOTONIC in seconds. */
static inline double hsi_clock_seconds(void)
{
    return 1e-9 * (double)hsi_clock_ns();
}

static inline struct timespec hsi_timespec(int64_t nanoseconds)
{
    return (struct timespec){.tv_sec = nanoseconds / 1000000000,
                             .tv_nsec = nanoseconds % 1000000000};
}

#endif
