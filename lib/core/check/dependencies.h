/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_CHECK_DEPENDENCIES_H
#define HSI_CORE_CHECK_DEPENDENCIES_H

#include <hybridsched/schedule.h>

/*
 * Check that each execution starts after its predecessors and after the arrival of its inputs. The
 * schedule is otherwise valid; see hs_schedule_check_rest() for `skip` and `skip_worker`.
 * HS_ESCHEDULE: *v has the violation.
 */
hs_status hsi_check_dependencies(const hs_instance *in, const hs_schedule *s,
                                 const unsigned char *skip, const uint32_t *skip_worker,
                                 hs_violation *v);

#endif
