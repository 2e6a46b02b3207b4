/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_TIME_LIMIT_H
#define HSI_CORE_TIME_LIMIT_H

#include "core/settings.h"
#include "support/clock.h"

/* Time limit of a call. */
typedef struct hsi_stop {
    double             begin, end; /* times of hsi_clock_seconds(); end: INFINITY without a limit */
    const hs_settings *settings;   /* defaults filled in; borrowed */
} hsi_stop;

/* Start the settings' time limit now, or `default_seconds` if the settings have none. */
static inline hsi_stop hsi_stop_after(const hs_settings *settings, double default_seconds)
{
    hsi_stop stop = {hsi_clock_seconds(), 0, settings};

    stop.end = stop.begin + (settings->time_limit > 0 ? settings->time_limit : default_seconds);
    return stop;
}

/* Return true if the time is up or the caller has cancelled. */
static inline bool hsi_stop_is_due(const hsi_stop *stop)
{
    return hsi_clock_seconds() >= stop->end || hsi_cancelled(stop->settings);
}

static inline double hsi_stop_seconds_elapsed(const hsi_stop *stop)
{
    return hsi_clock_seconds() - stop->begin;
}

/* Return the remaining seconds, at least 0. */
static inline double hsi_stop_seconds_left(const hsi_stop *stop)
{
    double left = stop->end - hsi_clock_seconds();

    return left > 0 ? left : 0;
}

#endif
