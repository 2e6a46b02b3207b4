/* SPDX-License-Identifier: BSD-3-Clause */

/* A plugin whose task takes 1.3 times as long at each run, from 4 ms on: the two halves of eight
 * runs differ by more than the delays of a busy machine. */

#include <hybridsched/plugin.h>

#include <time.h>

HS_PLUGIN_FILE;

HS_PLUGIN_TASK(slower)
{
    static double   seconds = 4e-3; /* accessed by a single worker */
    struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};

    (void)task;
    nanosleep(&pause, NULL);
    seconds *= 1.3;
    return HS_PLUGIN_DONE;
}
