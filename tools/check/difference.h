/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_DIFFERENCE_H
#define TOOLS_CHECK_DIFFERENCE_H

#include <hybridsched/hybridsched.h>

enum { DIFFERENCE_SIZE = 512 };

/**
 * Compare the tasks and workers of a plan with those of an instance; the order of the tasks may
 * differ. On HS_OK, `text` describes the first difference, or is empty.
 */
hs_status find_difference(const hs_instance *plan, const hs_instance *instance,
                          char text[DIFFERENCE_SIZE]);

#endif
