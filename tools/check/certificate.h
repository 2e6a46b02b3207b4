/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_CERTIFICATE_H
#define TOOLS_CHECK_CERTIFICATE_H

#include <hybridsched/hybridsched.h>

/**
 * Verify the certificate `path` of the instance `in`, and that a plan's header agrees
 * with it; then, if `print`, say how near the plan's valid schedule `s` is to the
 * bound. All is computed in rational arithmetic from the instance's times; no code is
 * shared with what makes certificates. 0, or an exit code after a message: 1 if it
 * proves nothing.
 */
int check_certificate(const char *path, const hs_instance *in, const hs_schedule *s,
                      const hs_plan_info *info, int print);

#endif
