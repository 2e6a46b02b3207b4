/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_STOP_H
#define HSI_CORE_STOP_H

#include "core/settings.h"
#include "support/clock.h"

/* When a call that takes time has to end. */
typedef struct hsi_stop {
    double             begin, end; /* of hsi_now(); end: INFINITY without a limit */
    const hs_settings *settings;   /* resolved; borrowed */
} hsi_stop;

/* The settings' time limit from now on, or `default_seconds` where they have none. */
static inline hsi_stop hsi_stop_after(const hs_settings *settings, double default_seconds)
{
    hsi_stop stop = {hsi_now(), 0, settings};

    stop.end = stop.begin + (settings->time_limit > 0 ? settings->time_limit : default_seconds);
    return stop;
}

/* Is the time up, or does the caller want no more? */
static inline int hsi_stop_now(const hsi_stop *stop)
{
    return hsi_now() >= stop->end || hsi_canceled(stop->settings);
}

static inline double hsi_stop_elapsed(const hsi_stop *stop)
{
    return hsi_now() - stop->begin;
}

/* Seconds that are left, 0 at least. */
static inline double hsi_stop_left(const hsi_stop *stop)
{
    double left = stop->end - hsi_now();

    return left > 0 ? left : 0;
}

#endif
