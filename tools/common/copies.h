/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_COMMON_COPIES_H
#define TOOLS_COMMON_COPIES_H

#include <hybridsched/schedule.h>

/** Number and bytes of data copies, indexed by hs_type of the memory they went to. */
typedef struct copies {
    size_t count[2];
    double bytes[2];
} copies;

copies copies_sum(const hs_transfer *list, size_t count);
int    copies_any(const copies *c);

#endif
