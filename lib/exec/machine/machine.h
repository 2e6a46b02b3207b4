/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_MACHINE_H
#define HSI_EXEC_MACHINE_MACHINE_H

#include "exec/device/modules.h"
#include "exec/machine/module.h"
#include "exec/machine/topology.h"
#include "exec/run_spec.h"

/* The part of the machine that a run uses: the cores that its threads are bound to, and the
 * GPUs. */
typedef struct hsi_machine {
    hsi_topology      *topology;
    int               *os_cpu;  /* first core of each worker; -1: not bound */
    int               *cores;   /* cores of all workers; each worker has room for the larger of the
                                   two settings */
    hsi_module          module; /* for GPUs that are not emulated */
    hsi_device_modules *listed; /* modules of the list in settings.gpu.module, instead of `module` */
    hs_backend_device  *devices; /* all GPUs found; the run uses the first of them */
    unsigned            device_count;
    hsi_device_choice  *choice;        /* the same GPUs for tasks that share data; NULL: no table */
    uint32_t operations[2]; /* operations that every GPU of the run has, as in hs_device */
} hsi_machine;

/* devices.c: open the modules for GPUs and list the GPUs, if the run needs any. HS_ERESOURCE: too
 * few. */
hs_status hsi_machine_find_devices(hsi_machine *machine, const hsi_run_spec *spec, hs_error *error);

/* Return the bytes of the smallest GPU that is used; 0: not known. */
double hsi_machine_smallest_gpu_memory(const hsi_machine *machine, const hsi_run_spec *spec);

/* Return the GPU of a worker; NULL: none. The machine owns it. */
const hs_backend_device *hsi_machine_device(const hsi_machine *machine, const hsi_run_spec *spec,
                                            unsigned worker);

/* cores.c: choose the cores of all workers; call after hsi_machine_find_devices(). HS_ERESOURCE:
 * too few. */
hs_status hsi_machine_assign_cores(hsi_machine *machine, const hsi_run_spec *spec, hs_error *error);

/* Return the cores that a worker is bound to, as many as the settings say; NULL: not bound. */
const int *hsi_machine_cores(const hsi_machine *machine, const hsi_run_spec *spec, unsigned worker);

void hsi_machine_close(hsi_machine *machine);

#endif
