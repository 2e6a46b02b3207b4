/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_PLACE_SET_H
#define HSI_SUPPORT_PLACE_SET_H

#include <stdint.h>
#include <stdlib.h>

/*
 * A set of small numbers as a tree of bit masks: a bit per number, and above each 64 words one word
 * marks the nonzero words, up to a single root word. Every operation takes a few instructions and
 * one word per level; a million numbers need four levels.
 */
enum { HSI_PLACE_LEVELS = 6 }; /* enough for 64^6 numbers */

typedef struct hsi_place_set {
    uint64_t *level[HSI_PLACE_LEVELS]; /* level[0] has a bit per number; all levels are one
                                          allocation */
    unsigned  levels;
} hsi_place_set;

/* Create an empty set for numbers below `count`. Returns 0, or -1 if out of memory. */
static inline int hsi_places_open(hsi_place_set *set, size_t count)
{
    size_t words[HSI_PLACE_LEVELS], all = 0;

    set->levels = 0;
    do {
        count = count > 64 ? (count + 63) / 64 : 1;
        all += words[set->levels++] = count;
    } while (count > 1);
    set->level[0] = calloc(all, sizeof *set->level[0]);
    for (unsigned l = 1; set->level[0] && l < set->levels; l++)
        set->level[l] = set->level[l - 1] + words[l - 1];
    return set->level[0] ? 0 : -1;
}

static inline void hsi_places_close(hsi_place_set *set)
{
    free(set->level[0]);
    *set = (hsi_place_set){0};
}

static inline int hsi_places_is_empty(const hsi_place_set *set)
{
    return set->level[set->levels - 1][0] == 0;
}

static inline void hsi_places_add(hsi_place_set *set, uint32_t at)
{
    for (unsigned l = 0; l < set->levels; l++, at /= 64) {
        uint64_t *word = &set->level[l][at / 64], before = *word;

        *word |= UINT64_C(1) << at % 64;
        if (before)
            return;
    }
}

static inline void hsi_places_remove(hsi_place_set *set, uint32_t at)
{
    for (unsigned l = 0; l < set->levels; l++, at /= 64)
        if (set->level[l][at / 64] &= ~(UINT64_C(1) << at % 64))
            return;
}

/* Return the smallest number of a non-empty set. */
static inline uint32_t hsi_places_first(const hsi_place_set *set)
{
    uint32_t at = 0;

    for (unsigned l = set->levels; l-- > 0;)
        at = at * 64 + (uint32_t)__builtin_ctzll(set->level[l][at]);
    return at;
}

static inline uint32_t hsi_places_last(const hsi_place_set *set)
{
    uint32_t at = 0;

    for (unsigned l = set->levels; l-- > 0;)
        at = at * 64 + 63 - (uint32_t)__builtin_clzll(set->level[l][at]);
    return at;
}

#endif
