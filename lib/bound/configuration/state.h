/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_CONFIGURATION_STATE_H
#define HSI_BOUND_CONFIGURATION_STATE_H

#include "bound/configuration/configuration.h"
#include "bound/configuration/refuse_makespan.h"
#include "glpk/master_lp.h"
#include "support/arena.h"

struct hsi_configuration {
    hsi_arena            arena; /* owns the arrays */
    hsi_makespan_refusal refusal;
    hsi_master          *master;
    double               from, enough;
    double *y, *centre, *mixed; /* multipliers of kinds: the LP's, the best, those tried */
    double  centre_ratio;
    double  weight_of_centre;
    bool    thorough; /* whether the knapsacks are solved completely, without a limit of
                         nodes */
    double           hope;
    int64_t          target; /* capacity that the search tries to refuse next */
    int              fluid;  /* type whose knapsack is nearly continuous (fluid); -1: none */
    bool             started, ended;
    int              failures;    /* number of failures of the LP solver */
    double           tasks_on[2]; /* estimated tasks on a worker, by type */
    hsi_master_item *items;       /* scratch, by kind */
    const hsi_stop  *stop;        /* stop condition of the present slice */
};

#endif
