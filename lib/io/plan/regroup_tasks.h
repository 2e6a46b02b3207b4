/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_PLAN_REGROUP_TASKS_H
#define HSI_IO_PLAN_REGROUP_TASKS_H

#include "io/text/task_table.h"

/*
 * Turn the tasks of a plan, read one by one in the order of the plan, back into the rows of its
 * instance, in order; several tasks of one row become its copies. A plan with dependencies names
 * the row of each task, because the order of rows matters.
 *
 * number[i] is the row of task i; renumbered[i] becomes its new task number. On failure *error is
 * written.
 */
hs_status hsi_plan_regroup(struct hsi_rows *rows, const uint32_t *number, uint32_t *renumbered);

#endif
