/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GRANTED_CORE_SHARE_H
#define TOOLS_GRANTED_CORE_SHARE_H

#include <hybridsched/exec.h>

/** Return the part of the wanted processor time that the tasks of a run got; NaN: unknown. */
double granted_core_share(const hs_exec_report *report);

/**
 * Return true if the core share is below 90% and waits for cores were at least a tenth of the time
 * in tasks (the tasks may have slept for the rest). `percent` then gets the share, e.g. "52%";
 * NULL: the text is not wanted.
 */
bool core_share_is_low(const hs_exec_report *report, char percent[8]);

#endif
