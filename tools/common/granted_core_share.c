/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/granted_core_share.h"

#include <math.h>
#include <stdio.h>

double granted_core_share(const hs_exec_report *report)
{
    double wanted = report->core_seconds + report->core_wait;

    return wanted > 0 ? report->core_seconds / wanted : NAN;
}

bool core_share_is_low(const hs_exec_report *report, char percent[8])
{
    double share = granted_core_share(report);

    if (!(report->busy > 0 && share < 0.9 && report->core_wait >= 0.1 * report->busy))
        return false;
    if (percent)
        snprintf(percent, 8, "%.0f%%", floor(100 * share));
    return true;
}
