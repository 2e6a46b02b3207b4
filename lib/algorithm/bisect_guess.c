/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/bisect_guess.h"

hs_status hsi_bisect_makespan(const hsi_problem *pb, hsi_accepts accepts, void *context,
                              double *makespan)
{
    double low = 0, high = 0;
    size_t i;

    for (i = 0; i < pb->n; i++)
        high += pb->p[i] < pb->q[i] ? pb->p[i] : pb->q[i];
    while (!accepts(context, high)) { /* reached through rounding errors alone */
        if (hsi_poll(pb->token))
            return HS_ECANCELED;
        low = high;
        high *= 2;
    }
    for (;;) {
        double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high)
            break;
        if (hsi_poll(pb->token))
            return HS_ECANCELED;
        if (accepts(context, middle))
            high = middle;
        else
            low = middle;
    }
    *makespan = high;
    return HS_OK;
}
