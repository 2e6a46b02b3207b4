/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_MACHINE_H
#define HSI_EXEC_MACHINE_MACHINE_H

#include "exec/machine/module.h"
#include "exec/machine/topology.h"
#include "exec/work.h"

/* What a run has of the machine: cores that its threads are bound to, and GPUs. */
typedef struct hsi_machine {
    hsi_topology      *topology;
    int               *os_cpu;  /* by worker, its first core; -1: not bound */
    int               *cores;   /* all of them, as many for each worker as any has */
    hsi_module         module;  /* for GPUs that are not emulated */
    hs_backend_device *devices; /* all there are; the first are used */
    unsigned           device_count;
} hsi_machine;

/* devices.c */
hs_status hsi_machine_find_devices(hsi_machine *machine, const hsi_work *work, char why[HS_WHY]);

/* Bytes of the smallest GPU that is used; 0: not known. */
double hsi_machine_least_memory(const hsi_machine *machine, const hsi_work *work);

/* Of a worker; NULL: none. */
const hs_backend_device *hsi_machine_device(const hsi_machine *machine, const hsi_work *work,
                                            unsigned worker);

/* cores.c: after the devices. */
hs_status hsi_machine_assign_cores(hsi_machine *machine, const hsi_work *work, char why[HS_WHY]);

/* Those that a worker is bound to, as many as the settings say; NULL: to none. */
const int *hsi_machine_cores(const hsi_machine *machine, const hsi_work *work, unsigned worker);

void hsi_machine_close(hsi_machine *machine);

#endif
