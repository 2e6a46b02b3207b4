/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_COMMON_TRANSFER_TOTALS_H
#define TOOLS_COMMON_TRANSFER_TOTALS_H

#include <hybridsched/instance.h>
#include <hybridsched/schedule.h>

/** Number and bytes of data copies, indexed by hs_type of the memory they went to. */
typedef struct transfer_totals {
    size_t count[2];
    double bytes[2];
} transfer_totals;

transfer_totals transfer_totals_of(const hs_instance *in, const hs_transfer *list, size_t count);
bool            transfer_totals_exist(const transfer_totals *c);

#endif
