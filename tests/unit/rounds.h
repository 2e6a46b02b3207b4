/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_ROUNDS_H
#define TESTS_ROUNDS_H

#include <stdlib.h>

/* Return `usual`, scaled by the percentage in the environment variable HS_TEST_ROUNDS; at least 1.
 * */
static inline int rounds(int usual)
{
    const char *percent = getenv("HS_TEST_ROUNDS");
    int         wanted = percent ? (int)((long)usual * atoi(percent) / 100) : usual;

    return wanted > 0 ? wanted : 1;
}

#endif
