/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_WINDOW_LOG_H
#define HSI_BOUND_GRAPH_WINDOW_LOG_H

#include "core/certificate.h"
#include "core/graph/relatives.h"
#include "support/vector.h"

/*
 * The log of how heads and tails were raised, from which the proof of a refutation is made: the
 * steps that the refutation needs, in their order. A value needs the step that raised it last; a
 * step needs the values of its tasks on all types, because a head and a tail together close a type.
 */
typedef struct hsi_window_log {
    uint32_t   n;
    hsi_vector steps;  /* the steps, private */
    hsi_vector sets;   /* uint32_t: the tasks of all steps */
    uint32_t  *last;   /* by side, task and type: the last step that raised the value, or HS_NONE */
    bool       failed; /* whether memory ran out, so that the log is incomplete */
} hsi_window_log;

/* A set of tasks that share the workers of both types. */
typedef struct hsi_shared_load {
    double          multiplier[2]; /* multipliers of the loads, by type */
    const uint32_t *task;
    size_t          tasks;
} hsi_shared_load;

/* Call hsi_window_log_close() also after a failure. HS_ENOMEM. */
hs_status hsi_window_log_open(hsi_window_log *log, size_t n);
void      hsi_window_log_close(hsi_window_log *log);

/* Reset the log: heads and tails get their initial values. */
void hsi_window_log_clear(hsi_window_log *log);

/* Log that a head or, if `backward`, a tail of a task on a type was raised over an arc. */
void hsi_window_log_arc(hsi_window_log *log, bool backward, uint32_t task, uint32_t type,
                        uint32_t other);

/* Log that the heads or, if `backward`, the tails of a task on some types (bit set) were raised by
 * the load of relatives. */
void hsi_window_log_load(hsi_window_log *log, bool backward, uint32_t task, uint32_t types,
                         const hsi_shared_load *load);

/* Make the proof that ends with a task without an open type, or with a load that does not fit into
 * its window (`task` HS_NONE). The caller frees it with hsi_proof_node_free(). HS_ENOMEM. */
hs_status hsi_window_log_prove(hsi_window_log *log, uint32_t task, const hsi_shared_load *load,
                               hsi_proof_node *proof);

#endif
