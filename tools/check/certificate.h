/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_CERTIFICATE_H
#define TOOLS_CHECK_CERTIFICATE_H

#include <hybridsched/hybridsched.h>

/**
 * Verify the certificate `path` of the instance `in`, and that the plan's header agrees with it. If
 * `print`, then print how near the plan's valid schedule `s` is to the bound. Everything is
 * computed in rational arithmetic from the instance's times; no code is shared with the code that
 * makes certificates. Return 0, or an exit code after a message: 1 if the certificate proves
 * nothing.
 */
int check_certificate(const char *path, const hs_instance *in, const hs_schedule *s,
                      const hs_plan_info *info, bool print);

#endif
