/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_PLAN_REGROUP_H
#define HSI_IO_PLAN_REGROUP_H

#include "io/text/rows.h"

/*
 * A plan whose tasks depend on each other says which row of its instance each is of, since the
 * order of rows means something. Its tasks, which were read one by one in the order of the plan,
 * become the rows that they were: in order, several of one row its copies.
 *
 * number[i] is the row that task i says; renumbered[i] becomes what the task is afterwards. What is
 * wrong is said.
 */
hs_status hsi_plan_regroup(struct hsi_rows *rows, const uint32_t *number, uint32_t *renumbered);

#endif
