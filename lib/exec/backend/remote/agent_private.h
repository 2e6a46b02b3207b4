/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_REMOTE_AGENT_PRIVATE_H
#define HSI_EXEC_BACKEND_REMOTE_AGENT_PRIVATE_H

#include <pthread.h>

#include "exec/backend/remote/options.h"
#include "exec/backend/remote/remote.h"
#include "exec/backend/remote/sender.h"
#include "exec/machine/machine.h"

/*
 * The agent of a node: it reads the messages of the coordinator in its first thread, and runs the
 * attempts of each worker in a thread of the worker.
 */
typedef struct hsi_agent        hsi_agent;
typedef struct hsi_agent_worker hsi_agent_worker;

struct hsi_agent {
    hsi_sender         sender;
    hsi_node_options   options;
    hs_instance       *in;
    hsi_run_spec       spec; /* of the workers of this node alone */
    hsi_machine        machine;
    hs_backend_options backend;
    hs_body **bodies; /* by 2 * row + type; NULL: no task of the row runs here on the type */
    hsi_agent_worker *worker;  /* CPUs first; spec.workers elements */
    unsigned          started; /* workers with a thread */
};

/* agent_setup.c: read the instance from `bytes` and make ready what the workers need. On failure
 * *error has the reason. */
hs_status hsi_agent_set_up(hsi_agent *agent, const char *bytes, size_t length, uint64_t digest,
                           hs_error *error);
void      hsi_agent_tear_down(hsi_agent *agent); /* stop the workers first */

/* agent_worker.c: start the workers, and wait until each is ready. HS_ENOMEM, or HS_ERESOURCE with
 * *error. */
hs_status hsi_agent_workers_start(hsi_agent *agent, hs_error *error);

/* Return the worker with that number among all workers of the run; NULL: it is of another node. */
hsi_agent_worker *hsi_agent_worker_at(const hsi_agent *agent, uint64_t number);

/* Let a worker begin attempts, at first and after a failure. */
void hsi_agent_worker_begin(hsi_agent_worker *worker);

/* Let a worker begin no attempt until hsi_agent_worker_begin(). */
void hsi_agent_worker_hold(hsi_agent_worker *worker);

/* Let a worker run an attempt after its others. Return false if it has too many. */
bool hsi_agent_worker_run(hsi_agent_worker *worker, uint32_t task, uint32_t number);

/* Cancel an attempt. No effect after the end of the attempt. */
void hsi_agent_worker_cancel(hsi_agent_worker *worker, uint32_t task, uint32_t number,
                             hs_cancel why);

/* Hold all workers. */
void hsi_agent_workers_drain(hsi_agent *agent);

/* Cancel all attempts, and end the threads within `seconds`. Return false if a thread is left. */
bool hsi_agent_workers_stop(hsi_agent *agent, double seconds);

#endif
