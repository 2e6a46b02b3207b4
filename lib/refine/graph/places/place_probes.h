/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_PLACES_PROBES_H
#define HSI_REFINE_GRAPH_PLACES_PROBES_H

#include "core/problem.h"
#include "core/time_limit.h"

/*
 * Raise a lower bound *value > 0 to the largest guess that the rules of the search over places and
 * their probes refute (place_rules.h, place_probe.h), before any branch. Does nothing if that
 * search does not take the graph (place_model.h). *limit_reached: whether the time limit ended the
 * computation. HS_ENOMEM, HS_ECANCELED.
 */
hs_status hsi_place_probes_raise(const hsi_problem *pb, const hsi_stop *stop, double *value,
                                 bool *limit_reached);

#endif
