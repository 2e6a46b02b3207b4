/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_IO_SAME_H
#define TESTS_IO_SAME_H

/* Assert that two instances are equal in every property that the library can return. */

#include <hybridsched/io.h>

/* Compare workers, unit and notes. */
void assert_same_header(const hs_instance *a, const hs_instance *b);

void assert_same_instance(const hs_instance *a, const hs_instance *b);

/* Write an instance to `fd`, read it, compare it, and write it again: both texts must be equal. */
void instance_round_trip(int fd, const hs_instance *in);

#endif
