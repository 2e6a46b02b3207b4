/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CLOCK_H
#define TOOLS_CLOCK_H

#include <time.h>

/** Return the monotonic time in seconds since an arbitrary fixed moment. */
static inline double clock_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
