/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_REMOTE_REMOTE_H
#define HSI_EXEC_BACKEND_REMOTE_REMOTE_H

#include <hybridsched/exec.h>

#include "exec/run_spec.h"

/*
 * The backend of the workers on nodes. Its bodies are those of the backends of commands and of
 * emulated tasks; the attempts run in processes on the nodes, which hs_exec_serve() serves.
 */
typedef struct hsi_remote hsi_remote;

enum {
    HSI_REMOTE_DEPTH = 8,      /* most attempts of a worker that its node has at a time */
    HSI_REMOTE_WORKERS = 4096, /* most workers of a run with nodes */
    HSI_REMOTE_UNBEGUN = 4,    /* for an hs_outcome in a message: the attempt did not begin */
    HSI_NODE_LOST = 75         /* exit status of an agent after the loss of the coordinator */
};

/* Return what forbids a run with nodes; NULL: nothing, or there are no nodes. */
const char *hsi_remote_defect(const hsi_run_spec *spec);

/*
 * Assign the workers to the nodes, and, unless `dry_run` is set, start the nodes and wait until
 * each is ready. HS_OK: the caller owns *out. HS_EINVAL, HS_ERESOURCE, HS_ENOMEM, with *error.
 */
hs_status hsi_remote_open(const hsi_run_spec *spec, hsi_remote **out, hs_error *error);
void      hsi_remote_close(hsi_remote *remote); /* NULL is allowed */

/* Return the backend, which belongs to `remote`. */
const hs_backend *hsi_remote_backend(const hsi_remote *remote);

/* Let the nodes begin no further attempt. Takes the locks of links. */
void hsi_remote_drain(hsi_remote *remote);

/* Return the name of the node of a worker. */
const char *hsi_remote_node_name(const hsi_remote *remote, unsigned worker);

/* Make the body of a row, in the coordinator and on a node: as body_create() of a backend. */
hs_status hsi_remote_body_create(const hs_backend_options *options, const hs_task *row,
                                 hs_type type, hs_body **out, hs_error *error);

/* Serve a coordinator without a guard. `beat`: as hsi_node_guard_begin() returned it; -1: none. */
hs_status hsi_agent_serve(int in, int out, int beat, hs_error *error);

#endif
