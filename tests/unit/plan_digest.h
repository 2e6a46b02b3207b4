/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_UNIT_PLAN_DIGEST_H
#define TEST_UNIT_PLAN_DIGEST_H

#include <stdint.h>
#include <string.h>

#include <hybridsched/schedule.h>

static inline uint64_t digest_word(uint64_t digest, uint64_t word)
{
    return ((digest ^ word) * UINT64_C(0x100000001b3)) ^ (digest >> 29);
}

static inline uint64_t digest_double(uint64_t digest, double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return digest_word(digest, bits);
}

/* Return a digest of a schedule: makespan, and times, state and task of every entry. */
static inline uint64_t digest_plan(const hs_schedule *s)
{
    uint64_t digest = digest_double(1, hs_schedule_makespan(s));
    unsigned w;
    size_t   i, count;

    for (w = 0; w < hs_schedule_cpus(s) + hs_schedule_gpus(s); w++) {
        const hs_entry *entries = hs_schedule_entries(s, w, &count);

        digest = digest_word(digest, count);
        for (i = 0; i < count; i++) {
            digest = digest_double(digest, entries[i].start);
            digest = digest_double(digest, entries[i].end);
            digest = digest_word(digest, (uint64_t)entries[i].state << 32 | entries[i].task);
        }
    }
    return digest;
}

#endif
