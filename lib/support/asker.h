/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_ASKER_H
#define HSI_SUPPORT_ASKER_H

#include <stddef.h>

/*
 * Whether the caller wants no more, asked by what takes long: at least once in HSI_ASK_EVERY
 * items of a loop, which is a few milliseconds, and between passes over all items. Where an item
 * takes long, it says how many it counts for. A "no more" stands: loops may end early, or go on
 * where that is simpler, and whoever returns a status returns HS_ECANCELED. For one thread.
 */
typedef struct hsi_asker {
    int (*cancel)(void *cancel_data); /* NULL: nobody */
    void  *cancel_data;
    int    canceled;
    size_t work; /* since it was asked last, as hsi_ask_after() counts */
} hsi_asker;

enum { HSI_ASK_EVERY = 1 << 16 };

/* 1: no more. `asker` may be NULL: nobody. */
static inline int hsi_ask(hsi_asker *asker)
{
    if (asker && asker->cancel && !asker->canceled)
        asker->canceled = asker->cancel(asker->cancel_data) != 0;
    return asker && asker->canceled;
}

/* In a loop, `i` of which counts up or down. */
static inline int hsi_ask_at(hsi_asker *asker, size_t i)
{
    return i % HSI_ASK_EVERY == 0 && hsi_ask(asker);
}

/* After what takes as long as `work` items of a plain loop do, a few nanoseconds each. */
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
