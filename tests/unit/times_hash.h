/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HS_TESTS_TIMES_HASH_H
#define HS_TESTS_TIMES_HASH_H

#include <check.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

/* Compare the FNV-1a hash of all times, in order, with an expected value. Frees the instance. */
static inline void check_golden(hs_instance *in, uint64_t expected)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325), bits;
    size_t   i;
    int      part;

    for (i = 0; i < 2 * hs_instance_tasks(in); i++) {
        double time = hs_instance_time(in, i / 2, i % 2 ? HS_GPU : HS_CPU);

        memcpy(&bits, &time, sizeof bits);
        for (part = 0; part < 64; part += 8)
            hash = (hash ^ (bits >> part & 0xff)) * UINT64_C(0x100000001b3);
    }
    hs_instance_free(in);
    ck_assert_uint_eq(hash, expected);
}

#endif
