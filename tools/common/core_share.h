/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CORE_SHARE_H
#define TOOLS_CORE_SHARE_H

#include <hybridsched/exec.h>

/** The part of the processor time that tasks of a run wanted which they got; NaN: not known. */
double core_share(const hs_exec_report *report);

/**
 * 1 if that is below 90% and the waits for cores were at least a tenth of the time in tasks, which
 * may have slept for the rest; then `percent`, unless it is NULL, is the share as "52%".
 */
int core_share_is_low(const hs_exec_report *report, char percent[8]);

#endif
