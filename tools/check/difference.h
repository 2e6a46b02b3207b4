/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_DIFFERENCE_H
#define TOOLS_CHECK_DIFFERENCE_H

#include <hybridsched/hybridsched.h>

enum { DIFFERENCE_SIZE = 512 };

/**
 * Are the tasks and workers of a plan those of an instance, whatever the order
 * of the tasks? HS_OK and, if they are not, the first difference in words;
 * else an empty text.
 */
hs_status find_difference(const hs_instance *plan, const hs_instance *instance,
                          char text[DIFFERENCE_SIZE]);

#endif
