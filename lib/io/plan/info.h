/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_PLAN_INFO_H
#define HSI_IO_PLAN_INFO_H

#include <hybridsched/io.h>

/** `info`, or nothing said where it is NULL or older; HS_EINVAL if it cannot be written. */
hs_status hsi_plan_info_resolve(hs_plan_info *full, const hs_plan_info *info);

/** As hs_plan_digest(); the instance's digest is in `info`, which is resolved. */
uint64_t hsi_plan_digest(const hs_instance *in, const hs_schedule *s, const hs_plan_info *info);

#endif
