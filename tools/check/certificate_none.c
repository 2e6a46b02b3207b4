/* SPDX-License-Identifier: BSD-3-Clause */
#include "check/certificate.h"

#include "common/message.h"

int check_certificate(const char *path, const hs_instance *in, const hs_schedule *s,
                      const hs_plan_info *info, bool print)
{
    (void)in;
    (void)s;
    (void)info;
    (void)print;
    message("%s: to verify certificates needs GMP, which this build lacks", path);
    return EXIT_RESOURCE;
}
