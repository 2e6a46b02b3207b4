/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_CONFIGURATION_STATE_H
#define HSI_BOUND_CONFIGURATION_STATE_H

#include "bound/configuration/configuration.h"
#include "bound/configuration/refusal.h"
#include "solver/master_lp.h"
#include "support/arena.h"

struct hsi_configuration {
    hsi_arena        arena; /* of the arrays */
    hsi_refusal      refusal;
    hsi_master      *master;
    double           from, enough;
    double          *y, *centre, *mixed; /* multipliers of kinds: the LP's, the best, those tried */
    double           centre_ratio;
    double           weight_of_centre;
    int              thorough; /* solve the knapsacks to the end */
    double           hope;
    int64_t          target; /* capacity to be refused next */
    int              fluid;  /* a type, or -1 */
    int              started, ended;
    int              failures; /* of the solver */
    double           tasks_on[2]; /* a worker of a type, about */
    hsi_master_item *items;       /* scratch: kinds */
    const hsi_stop  *stop; /* of the slice */
};

#endif
