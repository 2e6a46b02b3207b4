/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_CLIENT_CLIENT_H
#define HSI_EXEC_CLIENT_CLIENT_H

#include <hybridsched/exec.h>

#include "exec/device/modules.h"
#include "exec/ranks/exchange.h"

typedef struct hsi_devices hsi_devices; /* exec/device/devices.h */

/* The run whose rows a client examines. */
typedef struct hsi_client_run {
    const hs_instance       *in;
    const hs_exec_settings  *settings;
    unsigned                 gpus;
    const hsi_device_choice *devices;    /* GPUs that can share data, by number; NULL: none */
    const uint32_t          *operations; /* operations of every GPU of the run, as in hs_device */
    bool                     may_fail;   /* attempts may fail, so inputs must survive an attempt */
    bool  may_take; /* tasks may be spoliated, so inputs must survive an aborted attempt */
    bool *claimed;  /* by handle: a client has the data. hsi_run_data_create() allocates the list,
                       and recognise() adds the data of its rows */
} hsi_client_run;

/*
 * A client owns the meaning of data that rows name. It recognises its rows, has the memory of their
 * data, fills the data before a run and verifies them after it. Its tasks run on a copy of the
 * backend `host`, whose `data` is the client's state.
 */
typedef struct hsi_client {
    const hs_backend *host;       /* runs tasks on CPUs and on emulated GPUs */
    bool              calls_blas; /* tasks and verify() call OpenBLAS */
    const char       *no_resume;  /* message: why a run with this data cannot resume a journal */

    /* Create the state of a client that has rows in the run. HS_OK with *state NULL: the client has
     * no rows; *refusal says why if rows look like its own. HS_ENOMEM. HS_EINVAL with *error: the
     * settings contradict the rows. free() frees the state. */
    hs_status (*recognise)(const hsi_client_run *run, void **state, hs_error *refusal,
                           hs_error *error);

    /* Allocate the memory of all data that has none, and write the initial values. Called before
     * each run. On failure *error names the data. */
    hs_status (*fill)(void *state, hs_error *error);

    /* After each run, whatever its outcome: bring the newest versions home. May be NULL. */
    void (*flush)(void *state);

    /* After a run whose tasks are all done: HS_EFAILED with *error if data was lost or is wrong.
     * May be NULL. */
    hs_status (*verify)(void *state, hs_error *error);
    void (*free)(void *state);

    /* Return the devices that share the data, with the backend of their tasks; NULL: CPUs alone
     * work on the data. The function may be NULL. */
    hsi_devices *(*devices)(const void *state);

    /* Announce that a CPU worker will soon run a task of the row. Called only if devices() returns
     * devices. */
    void (*prefetch)(void *state, size_t row);

    /* Return the messages of the ranks that share the client's tasks; NULL: this process runs all.
     * The function may be NULL. */
    hsi_exchange *(*exchange)(const void *state);

    /* The same as hs_exec_data() and hs_exec_data_at(). NULL: the application has no access to the
     * data. */
    hs_status (*place)(void *state, const char *name, void *at, size_t bytes);
    void *(*home)(const void *state, const char *name, size_t *bytes);
} hsi_client;

/* hsi_run_data_create() asks the clients in this order. The buffers come last and take data that no
 * other client has claimed. */
extern const hsi_client hsi_client_tiled;   /* tiled factorisations */
extern const hsi_client hsi_client_buffers; /* data of the application's own kernels */

/* The data of a run: the clients that have rows in the run, with their states. */
typedef struct hsi_run_data hsi_run_data;

/* Ask all clients for their rows. HS_OK: the caller owns *out. Errors are those of recognise(). */
hs_status hsi_run_data_create(const hsi_client_run *run, hsi_run_data **out, hs_error *error);
void      hsi_run_data_free(hsi_run_data *data);

/* Return the reason of the first client that refused rows; status HS_OK: no client did. */
const hs_error *hsi_run_data_refusal(const hsi_run_data *data);

/*
 * Return the number of clients with rows; the backend of a client for CPUs and emulated GPUs; and
 * the backend for GPUs that share data, NULL: none.
 */
unsigned          hsi_run_data_clients(const hsi_run_data *data);
const hs_backend *hsi_run_data_host_backend(const hsi_run_data *data, unsigned index);
const hs_backend *hsi_run_data_gpu_backend(const hsi_run_data *data);

/* Return the index of the client whose tasks the backend runs; HS_NONE: the backend belongs to no
 * client. */
unsigned hsi_run_data_client_of(const hsi_run_data *data, const hs_backend *backend);

/* Return true if tasks of the backend call OpenBLAS: the backend belongs to such a client. */
bool hsi_run_data_calls_blas(const hsi_run_data *data, const hs_backend *backend);

/* Free the data of a client none of whose tasks runs. Its backends stay valid and create no body.
 */
void hsi_run_data_drop(hsi_run_data *data, unsigned index);

/* Return why the run cannot resume a journal; NULL: no data hinders it. */
const char *hsi_run_data_resume_defect(const hsi_run_data *data);

/* Call fill(), flush() or verify() of each client, until one fails. */
hs_status hsi_run_data_fill(hsi_run_data *data, hs_error *error);
void      hsi_run_data_flush(hsi_run_data *data);
hs_status hsi_run_data_verify(hsi_run_data *data, hs_error *error);

/* Return the devices that share data with CPUs; NULL: none. The function is cheap, and constant
 * after the bodies are made. */
hsi_devices *hsi_run_data_devices(const hsi_run_data *data);

/* Return the messages of the ranks that share the tasks; NULL: this process runs all tasks. */
hsi_exchange *hsi_run_data_exchange(const hsi_run_data *data);

/* Announce a row that a CPU worker will run soon; the data is shared with GPUs. */
void hsi_run_data_prefetch(const hsi_run_data *data, size_t row);

/* Return the state of a client; NULL: it has no rows in the run. */
void *hsi_run_data_state(const hsi_run_data *data, const hsi_client *client);

/* run/setup.c: return the data of a handle. */
hsi_run_data *hsi_exec_data(const hs_exec *exec);

#endif
