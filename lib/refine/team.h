/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_TEAM_H
#define HSI_REFINE_TEAM_H

#include <hybridsched/solve.h>

#include "refine/refine.h"

enum {
    HSI_STREAMS = 8, /* number of streams if iterations are counted, for any number of threads */
    HSI_MOST_THREADS = 256
};

/* Return the number of random streams of a search: HSI_STREAMS if iterations are counted, else one
 * per thread. */
static inline unsigned hsi_stream_count(const hs_settings *settings)
{
    unsigned threads = settings->threads;

    if (settings->iterations > 0)
        return HSI_STREAMS;
    return threads < 1 ? 1 : threads > HSI_MOST_THREADS ? HSI_MOST_THREADS : threads;
}

/*
 * Call run(data, stream, interrupt) for each stream, on as many threads as the settings allow, and
 * wait for all of them. The caller's thread runs stream 0 with `interrupt`; other threads get
 * copies with leads = 0. If a thread cannot be created, the caller runs its streams. HS_ENOMEM: no
 * stream was run.
 */
hs_status hsi_team_run(const hs_settings *settings, unsigned streams,
                       const hsi_interrupt *interrupt,
                       void (*run)(void *data, unsigned stream, const hsi_interrupt *interrupt),
                       void *data);

#endif
