/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_ARRIVAL_WORLD_H
#define TEST_PROPERTY_ARRIVAL_WORLD_H

#include <hybridsched/arrivals.h>

/*
 * Run tasks that arrive at random times, with random predecessors, accesses and ends, under a clock
 * of its own: each task must run once after its predecessors, or be dropped with one of them. Ends
 * the program on a fault. Equal seeds give equal runs.
 */
void arrival_world_run(const hs_policy_kind *kind, uint64_t seed);

#endif
