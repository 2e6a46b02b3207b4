/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_CHECK_VIOLATION_H
#define HSI_CORE_CHECK_VIOLATION_H

#include <hybridsched/schedule.h>

/* Describe a violation in *error (may be NULL); return HS_ESCHEDULE. */
hs_status hsi_violation_describe(const hs_instance *in, const hs_schedule *s,
                                 const hs_violation *v, hs_error *error);

#endif
