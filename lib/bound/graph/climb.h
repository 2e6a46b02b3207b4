/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_CLIMB_H
#define HSI_BOUND_GRAPH_CLIMB_H

#include "core/time_limit.h"

/* A test that returns true if no schedule is shorter than `guess`. */
typedef bool hsi_refute(void *data, double guess);

/*
 * Raise *value to the highest guess that `refute` refutes, to a relative distance of `near`.
 * Guesses double their distance from *value until one is not refuted; bisection follows. Return
 * true if the time limit ended the climb.
 */
bool hsi_climb(hsi_refute *refute, void *data, double near, const hsi_stop *stop, double *value);

#endif
