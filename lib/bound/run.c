/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/bound.h"

hs_status hsi_bound_run(const hs_bound *bound, const hs_instance *in, const hs_settings *settings,
                        double *value)
{
    hsi_problem rows;
    hs_status   st = hsi_problem_of_rows(in, &rows);

    if (st != HS_OK)
        return st;
    st = bound->compute(&rows, settings, value);
    hsi_problem_close(&rows);
    return st;
}
