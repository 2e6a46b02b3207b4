/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h" /* first, for ppoll() */

#include <poll.h>

#include "exec/backend/backends.h"
#include "support/clock.h"

/*
 * Return by how many ns a sleep should end early. A sleep ends some 25 us late, or 100 us and more
 * after a long sleep, when the core has gone to sleep as well. If much time is left, another short
 * sleep follows, and the rest is spun. The spin is short, as it takes the core from other threads
 * if there are more workers than cores.
 */
static int64_t margin(int64_t left)
{
    int64_t deeper = left / 100;

    return 30000 + (deeper < 250000 ? deeper : 250000);
}

static void sleep_for(const hs_attempt *attempt, int64_t ns)
{
    struct pollfd   wake = {.fd = attempt->wake_fd, .events = POLLIN};
    struct timespec time = hsi_timespec(ns);

    ppoll(&wake, 1, &time, NULL); /* the caller checks the time and the cancel token after any
                                     result */
}

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

bool hsi_wait_until(const hs_attempt *attempt, int64_t ns)
{
    int64_t left;

    while (!hs_attempt_cancelled(attempt)) {
        left = ns - hsi_clock_ns();
        if (left <= 0)
            return false;
        if (left > margin(left))
            sleep_for(attempt, left - margin(left));
        else
            relax();
    }
    return true;
}
