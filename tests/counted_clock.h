/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_COUNTED_CLOCK_H
#define TESTS_COUNTED_CLOCK_H

/*
 * A clock that advances by a fixed time at each reading, so that a time limit is a number of
 * readings and does not depend on the machine. The linker redirects clock_gettime() here:
 * -Wl,--wrap=clock_gettime. For tests with one thread.
 */

#include <stdint.h>
#include <time.h>

static int64_t counted_clock_tick; /* ns that a reading adds; 0: the real clock is read */
static int64_t counted_clock_readings;

int __real_clock_gettime(clockid_t id, struct timespec *now);
int __wrap_clock_gettime(clockid_t id, struct timespec *now);

int __wrap_clock_gettime(clockid_t id, struct timespec *now)
{
    int64_t ns = ++counted_clock_readings * counted_clock_tick;

    if (!counted_clock_tick)
        return __real_clock_gettime(id, now);
    *now = (struct timespec){.tv_sec = 1 + ns / 1000000000, .tv_nsec = ns % 1000000000};
    return 0;
}

/* Count readings from 0. A time limit of `seconds` passes at reading `readings`. */
static inline void counted_clock_start(double seconds, int64_t readings)
{
    counted_clock_readings = 0;
    counted_clock_tick = (int64_t)(1e9 * seconds) / readings;
}

/* Read the real clock again; return the number of readings since counted_clock_start(). */
static inline int64_t counted_clock_stop(void)
{
    counted_clock_tick = 0;
    return counted_clock_readings;
}

#endif
