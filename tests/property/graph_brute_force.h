/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_GRAPH_BRUTE_FORCE_H
#define TEST_PROPERTY_GRAPH_BRUTE_FORCE_H

#include "graph_sample.h"

enum { GRAPH_BRUTE_FORCE_TASKS = 6 };

/*
 * Return the least makespan, transfers included, over every order of tasks and every choice of
 * workers. Tasks are placed one by one, each as early as its worker and its inputs allow.
 */
double graph_brute_force(const graph_sample *s);

/* Return the same for the tasks that are not done: skip[task] is 1 for a done task, whose results the
 * worker skip_worker[task] has from 0 on, or the first host if that is no worker. */
double graph_brute_force_rest(const graph_sample *s, const unsigned char *skip,
                              const uint32_t *skip_worker);

/* Return the mean of the transfer times over all ordered pairs of workers, and compare it with the
 * sum over the pairs. */
double graph_mean_transfer(const graph_sample *s, double bytes);

/* Return the time at which a task's inputs can be on a node, given the end and the node of its
 * predecessors. */
double graph_arrival(const graph_sample *s, size_t task, uint32_t node, const double *end,
                     const uint32_t *node_of);

#endif
