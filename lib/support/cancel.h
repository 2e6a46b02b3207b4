/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_CANCEL_H
#define HSI_SUPPORT_CANCEL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A cancel token, polled by long computations: at least once per HSI_POLL_EVERY items of a loop (a
 * few milliseconds), and between passes over all items. A loop with expensive items states their
 * weight. Cancellation is final: loops may end early or, if simpler, continue, and every function
 * with a status returns HS_ECANCELED. For one thread only.
 */
typedef struct hsi_token {
    int (*cancel)(void *cancel_data); /* user callback; NULL: never cancelled */
    void  *cancel_data;
    bool   cancelled;
    size_t work; /* weight since the last poll, see hsi_poll_after_work() */
} hsi_token;

enum { HSI_POLL_EVERY = 1 << 16 };

/* Poll the token: 1 when cancelled. `token` may be NULL: never cancelled. */
static inline bool hsi_poll(hsi_token *token)
{
    if (token && token->cancel && !token->cancelled)
        token->cancelled = token->cancel(token->cancel_data) != 0;
    return token && token->cancelled;
}

/* Poll every HSI_POLL_EVERY-th time, in a loop that counts `iteration` up or down. */
static inline bool hsi_poll_at_iteration(hsi_token *token, size_t iteration)
{
    return iteration % HSI_POLL_EVERY == 0 && hsi_poll(token);
}

/* Poll after a step as expensive as `work` items of a plain loop, a few nanoseconds each. */
static inline bool hsi_poll_after_work(hsi_token *token, size_t work)
{
    if (!token || !token->cancel)
        return false;
    token->work += work;
    if (token->work < HSI_POLL_EVERY)
        return token->cancelled;
    token->work = 0;
    return hsi_poll(token);
}

#endif
