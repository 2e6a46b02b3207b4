/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_BODIES_H
#define HSI_EXEC_RUN_BODIES_H

#include "exec/client/client.h"
#include "exec/machine/machine.h"
#include "exec/run_spec.h"

/*
 * The backends of a run, and their bodies for the rows of the instance. The slot of a backend is
 * its index in the order in which backends are tried. The table is constant after
 * hsi_bodies_make().
 */
typedef struct hsi_bodies hsi_bodies;

/* The body of a row on a type, with its backend. */
typedef struct hsi_body {
    hs_body *body; /* NULL: the tasks cannot run on the type */
    unsigned slot; /* slot of the backend that made `body` */
} hsi_body;

/*
 * Create an empty table, and fork the starter of commands if the settings allow commands. Call this
 * while the process is small and no driver has threads. HS_OK: the caller owns *out. HS_ENOMEM, or
 * HS_ERESOURCE with *error.
 */
hs_status hsi_bodies_create(hsi_bodies **out, const hsi_run_spec *spec, hs_error *error);

/* Make the bodies of all rows, and the data of the tasks. Call once, after the machine's
 * devices are found. On failure *error names the task. */
hs_status hsi_bodies_make(hsi_bodies *bodies, const hsi_run_spec *spec, const hsi_machine *machine,
                          hs_error *error);

/* Free the table with its bodies, data and starter; all workers are closed. NULL is allowed. */
void hsi_bodies_free(hsi_bodies *bodies);

/* Check that the kernels of all CPU workers fit into memory at once. Return HS_OK, HS_ERESOURCE
 * with the reason in *error, or HS_ENOMEM. */
hs_status hsi_bodies_check_memory(const hsi_bodies *bodies, const hsi_run_spec *spec,
                                  hs_error *error);

/* Return how tasks of the task's row run on a type. O(1). */
const hsi_body *hsi_body_of(const hsi_bodies *bodies, const hs_instance *in, uint32_t task,
                            hs_type type);

/* Return the number of slots, and the backend of a slot. */
unsigned          hsi_bodies_slot_count(const hsi_bodies *bodies);
const hs_backend *hsi_bodies_backend(const hsi_bodies *bodies, unsigned slot);

/* Return true if the backend of the slot made a body for that type. */
bool hsi_bodies_slot_runs_type(const hsi_bodies *bodies, unsigned slot, hs_type type);

/* Return true if the tasks of the slot are functions with an hs_plugin_task: plugins, or functions
 * of settings.run.calls. */
bool hsi_bodies_slot_takes_stream(const hsi_bodies *bodies, unsigned slot);

/* Return the name of the node of a worker; NULL: there are no nodes. */
const char *hsi_bodies_node_name(const hsi_bodies *bodies, unsigned worker);

/* Let nodes begin no further task. */
void hsi_bodies_halt(const hsi_bodies *bodies);

/* Return the options for the backend of the slot, with the backend's own data. */
hs_backend_options hsi_bodies_backend_options(const hsi_bodies *bodies, unsigned slot);

/* Return true if tasks of the slot on that type are emulated: they compute nothing and wait for the
 * arrival of their inputs. */
bool hsi_bodies_slot_emulates_type(const hsi_bodies *bodies, unsigned slot, hs_type type);

/* Return the data of the tasks, which belongs to `bodies`. */
hsi_run_data *hsi_bodies_data(const hsi_bodies *bodies);

/* Return true if the backend of the slot runs tasks on data that CPUs and GPUs share. */
bool hsi_bodies_slot_shares_data(const hsi_bodies *bodies, unsigned slot);

/* Return the slot of the backend that runs tasks on shared data on GPUs; HS_NONE: there is none. */
unsigned hsi_bodies_sharing_slot(const hsi_bodies *bodies);

/* Return the instance that policies see: infinite times where a body is missing, and predicted
 * times of emulated workers as given. It is `in` if nothing differs, else it belongs to `bodies`. */
const hs_instance *hsi_bodies_runnable_instance(const hsi_bodies *bodies, const hs_instance *in);

#endif
