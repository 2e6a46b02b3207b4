/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_IO_SAME_H
#define TESTS_IO_SAME_H

/* Two that are to be the same, and are if all that can be asked of them is. */

#include <hybridsched/io.h>

/* Workers, unit and notes. */
void same_header(const hs_instance *a, const hs_instance *b);

void same_instance(const hs_instance *a, const hs_instance *b);

/* Written to `fd`, read back and written again, an instance stays what it is. */
void instance_round_trip(int fd, const hs_instance *in);

#endif
