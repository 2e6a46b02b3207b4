/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CLOCK_H
#define TOOLS_CLOCK_H

#include <stdio.h>
#include <time.h>

/** Return the monotonic time in seconds since an arbitrary fixed moment. */
static inline double clock_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/** Format whole seconds as "1:07" or "1:02:03". */
static inline void clock_format(char text[24], unsigned long seconds)
{
    if (seconds >= 3600)
        snprintf(text, 24, "%lu:%02lu:%02lu", seconds / 3600, seconds / 60 % 60, seconds % 60);
    else
        snprintf(text, 24, "%lu:%02lu", seconds / 60, seconds % 60);
}

#endif
