/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_CHECK_DEPENDENCIES_H
#define HSI_CORE_CHECK_DEPENDENCIES_H

#include <hybridsched/schedule.h>

/*
 * Does every execution start late enough for what its task comes after and reads? For a schedule
 * that is valid but for that. HS_ESCHEDULE: *v says where not.
 */
hs_status hsi_check_dependencies(const hs_instance *in, const hs_schedule *s, hs_violation *v);

#endif
