/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_PLAN_REGROUP_TASKS_H
#define HSI_IO_PLAN_REGROUP_TASKS_H

#include "io/text/task_table.h"

/*
 * Merge `rows`, the tasks of a plan in the order of the file, into the rows of the plan's instance:
 * tasks with one row number become copies of one row. (A plan with dependencies has row numbers,
 * because the order of rows matters.)
 *
 * number[i] is the row of task i; renumbered[i] becomes its new task number. A failure is described
 * in rows->csv.
 */
hs_status hsi_plan_regroup(struct hsi_rows *rows, const uint32_t *number, uint32_t *renumbered);

#endif
