/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_PLAN_PLAN_INFO_H
#define HSI_IO_PLAN_PLAN_INFO_H

#include <hybridsched/io.h>

/**
 * Copy `info` to `full`; members stay empty if `info` is NULL or of an older version. HS_EINVAL,
 * with *error filled: the algorithm or a bound cannot be written as a header line.
 */
hs_status hsi_plan_info_resolve(hs_plan_info *full, const hs_plan_info *info, hs_error *error);

/** Return the digest as hs_plan_digest() does; `info` is resolved and has the instance's digest. */
uint64_t hsi_plan_digest(const hs_instance *in, const hs_schedule *s, const hs_plan_info *info);

#endif
