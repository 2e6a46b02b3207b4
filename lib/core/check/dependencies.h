/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_CHECK_DEPENDENCIES_H
#define HSI_CORE_CHECK_DEPENDENCIES_H

#include <hybridsched/schedule.h>

/*
 * Check that each execution starts after its predecessors and after the arrival of its inputs. The
 * schedule is otherwise valid. HS_ESCHEDULE: *v has the violation.
 */
hs_status hsi_check_dependencies(const hs_instance *in, const hs_schedule *s, hs_violation *v);

#endif
