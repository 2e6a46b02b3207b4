/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_ASKER_H
#define HSI_SUPPORT_ASKER_H

#include <stddef.h>

/*
 * A cancel token, polled by long computations: at least once per HSI_ASK_EVERY items of a loop (a
 * few milliseconds), and between passes over all items. A loop with expensive items states their
 * weight. Cancellation is final: loops may end early or, if simpler, continue, and every function
 * with a status returns HS_ECANCELED. For one thread only.
 */
typedef struct hsi_asker {
    int (*cancel)(void *cancel_data); /* user callback; NULL: never cancelled */
    void  *cancel_data;
    int    canceled;
    size_t work; /* weight since the last poll, see hsi_ask_after() */
} hsi_asker;

enum { HSI_ASK_EVERY = 1 << 16 };

/* Poll the token: 1 when cancelled. `asker` may be NULL: never cancelled. */
static inline int hsi_ask(hsi_asker *asker)
{
    if (asker && asker->cancel && !asker->canceled)
        asker->canceled = asker->cancel(asker->cancel_data) != 0;
    return asker && asker->canceled;
}

/* Poll every HSI_ASK_EVERY-th time, in a loop that counts `i` up or down. */
static inline int hsi_ask_at(hsi_asker *asker, size_t i)
{
    return i % HSI_ASK_EVERY == 0 && hsi_ask(asker);
}

/* Poll after a step as expensive as `work` items of a plain loop, a few nanoseconds each. */
static inline int hsi_ask_after(hsi_asker *asker, size_t work)
{
    if (!asker || !asker->cancel)
        return 0;
    asker->work += work;
    if (asker->work < HSI_ASK_EVERY)
        return asker->canceled;
    asker->work = 0;
    return hsi_ask(asker);
}

#endif
