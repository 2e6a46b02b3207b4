/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_PLAN_INFO_H
#define HSI_IO_PLAN_INFO_H

#include <hybridsched/io.h>

/**
 * Copy `info` to `full`, with empty members where it is NULL or older; HS_EINVAL if it cannot be
 * written.
 */
hs_status hsi_plan_info_resolve(hs_plan_info *full, const hs_plan_info *info);

/** Return the digest as hs_plan_digest() does; `info` is resolved and has the instance's digest. */
uint64_t hsi_plan_digest(const hs_instance *in, const hs_schedule *s, const hs_plan_info *info);

#endif
