/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_GRAPH_BRUTE_FORCE_H
#define TEST_PROPERTY_GRAPH_BRUTE_FORCE_H

#include "graph_sample.h"

enum { GRAPH_BRUTE_FORCE_TASKS = 6 };

/*
 * The least makespan, transfers included, over all orders of the tasks and all workers for each:
 * one after the other, each as soon as its worker and its inputs allow.
 */
double graph_brute_force(const graph_sample *s);

/* When what a task reads can be on a node, if what is before it ended so on those nodes. */
double graph_arrival(const graph_sample *s, size_t task, uint32_t node, const double *end,
                     const uint32_t *node_of);

#endif
