/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Worker after worker, by falling load, which is no restriction as they are alike: the next
 * one has at least the average of what is left, and no more than the one before. What it
 * takes is chosen kind after kind.
 */
#include "check/share.h"

typedef struct worker {
    uint32_t rest[SHARE_MOST_KINDS]; /* for it and those behind it */
    unsigned left;                   /* of them */
    cells    most;                   /* load */
} worker;

static share_verdict give_next(share *s, const worker *w);

/* Takes of the kinds from `kind` on, which weigh `rest` together, what adds least .. most. */
static share_verdict take(share *s, const worker *w, worker *next, size_t kind, cells load,
                          cells least, cells rest)
{
    share_verdict verdict = SHARE_IMPOSSIBLE;
    uint32_t      first = 0;

    if (load + rest < least)
        return SHARE_IMPOSSIBLE;
    if (++s->nodes > s->most_nodes)
        return SHARE_TOO_HARD;
    if (kind == s->kinds) {
        next->most = load;
        return give_next(s, next);
    }
    rest -= s->weight[kind] * w->rest[kind];
    if (load + rest < least)
        first = (uint32_t)((least - load - rest + s->weight[kind] - 1) / s->weight[kind]);
    load += s->weight[kind] * first;
    for (uint32_t taken = first;
         verdict == SHARE_IMPOSSIBLE && taken <= w->rest[kind] && load <= w->most;
         taken++, load += s->weight[kind]) {
        next->rest[kind] = w->rest[kind] - taken;
        verdict = take(s, w, next, kind + 1, load, least, rest);
    }
    return verdict;
}

static share_verdict give_next(share *s, const worker *w)
{
    worker next = {.left = w->left - 1};
    cells  all = 0;

    for (size_t i = 0; i < s->kinds; i++)
        all += s->weight[i] * w->rest[i];
    if (all > w->most * w->left)
        return SHARE_IMPOSSIBLE;
    if (all == 0 || w->left == 1)
        return SHARE_FOUND;
    return take(s, w, &next, 0, 0, (all + w->left - 1) / w->left, all);
}

share_verdict share_search(share *s, unsigned workers, const uint32_t *count)
{
    worker first = {.left = workers, .most = s->capacity};
    int    none = 1;

    for (size_t i = 0; i < s->kinds; i++) {
        if (count[i] && s->weight[i] > s->capacity)
            return SHARE_IMPOSSIBLE;
        first.rest[i] = count[i];
        none &= count[i] == 0;
    }
    if (none)
        return SHARE_FOUND;
    return workers ? give_next(s, &first) : SHARE_IMPOSSIBLE;
}
