/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_SAME_INSTANCE_H
#define TEST_PROPERTY_SAME_INSTANCE_H

#include <hybridsched/hybridsched.h>

#include "suite.h"

/* Check that both instances are equal, names included; free both. */
static inline void assert_equal_and_free(hs_instance *a, hs_instance *b)
{
    ck_assert_uint_eq(hs_instance_rows(a), hs_instance_rows(b));
    for (size_t i = 0; i < hs_instance_rows(a); i++) {
        char name[2][64];

        hs_instance_row_name(a, i, 0, name[0], sizeof name[0]);
        hs_instance_row_name(b, i, 0, name[1], sizeof name[1]);
        ck_assert_str_eq(name[0], name[1]);
    }
    ck_assert_uint_eq(hs_instance_digest(a), hs_instance_digest(b));
    hs_instance_free(a);
    hs_instance_free(b);
}

#endif
