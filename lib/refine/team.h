/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_TEAM_H
#define HSI_REFINE_TEAM_H

#include <hybridsched/solve.h>

#include "refine/refine.h"

enum {
    HSI_STREAMS = 8, /* where iterations end a search: the same ones for any number of threads */
    HSI_MOST_THREADS = 256
};

/* Streams of random numbers that a search has: HSI_STREAMS, or one a thread. */
static inline unsigned hsi_stream_count(const hs_settings *settings)
{
    unsigned threads = settings->threads;

    if (settings->iterations > 0)
        return HSI_STREAMS;
    return threads < 1 ? 1 : threads > HSI_MOST_THREADS ? HSI_MOST_THREADS : threads;
}

/*
 * run(data, stream, interrupt) for each stream, shared out over the threads of the settings. The
 * caller's own runs stream 0, with `interrupt`; the others have copies that do not lead. A thread
 * that cannot be had is made up for by the caller's. HS_ENOMEM: nothing was run.
 */
hs_status hsi_team_run(const hs_settings *settings, unsigned streams,
                       const hsi_interrupt *interrupt,
                       void (*run)(void *data, unsigned stream, const hsi_interrupt *interrupt),
                       void *data);

#endif
