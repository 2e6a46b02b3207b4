/* SPDX-License-Identifier: BSD-3-Clause */
/* Which worker is bound to which core. */
#include "exec/machine/machine.h"

#include <stdio.h>
#include <stdlib.h>

#include "exec/machine/locality.h"

/* Does the thread of each GPU get a core of its own, which no CPU worker has? */
static int reserves(const hsi_machine *machine, const hsi_work *work)
{
    return machine->device_count && !work->settings.no_reserve;
}

static hs_status refuse(const hsi_machine *machine, const hsi_work *work, unsigned cores,
                        char why[HS_WHY])
{
    const char *verb = cores == 1 ? "is" : "are";

    if (reserves(machine, work))
        snprintf(why, HS_WHY,
                 "too few cores: this plan needs %u, and %u more to drive its GPUs, and there %s "
                 "%u; use --no-reserve or --oversubscribe",
                 work->cpus, work->gpus, verb, cores);
    else
        snprintf(why, HS_WHY,
                 "too few cores: this plan needs %u, and there %s %u; use --oversubscribe",
                 work->cpus, verb, cores);
    return HS_ERESOURCE;
}

static unsigned needed(const hsi_machine *machine, const hsi_work *work)
{
    return work->cpus + (reserves(machine, work) ? work->gpus : 0);
}

/*
 * A core each: first the CPU workers, then, as far as there are any left, the threads
 * that drive the GPUs. More workers than even the hardware's threads, and those that
 * only wait, are left to the kernel, which shares better than a fixed binding does.
 */
static int place(const hsi_machine *machine, const hsi_work *work, unsigned number)
{
    unsigned threads = hsi_topology_threads(machine->topology);
    unsigned first = work->settings.emulate[HS_CPU] ? work->cpus : 0;

    if (number < first || work->cpus - first > threads || number - first >= threads)
        return -1;
    return hsi_topology_cpu(machine->topology, number - first);
}

/* The last core that is free, of those near the device if there is one. */
static unsigned free_core(const hsi_topology *topology, const hsi_locality *locality,
                          const char *pci, const unsigned char *taken, unsigned cores)
{
    unsigned i, last = cores;

    for (i = cores; i-- > 0;) {
        if (taken[i])
            continue;
        if (hsi_locality_is_near(locality, pci, hsi_topology_cpu(topology, i)))
            return i;
        if (last == cores)
            last = i;
    }
    return last;
}

/* There are enough for all. */
static hs_status reserve(hsi_machine *machine, const hsi_work *work, unsigned cores)
{
    hsi_locality  *locality = hsi_locality_open();
    unsigned char *taken = calloc(cores + 1, 1);
    unsigned       i, core = 0;

    for (i = 0; taken && i < work->gpus; i++) {
        unsigned index =
            free_core(machine->topology, locality, machine->devices[i].pci, taken, cores);

        taken[index] = 1;
        machine->os_cpu[work->cpus + i] = hsi_topology_cpu(machine->topology, index);
    }
    for (i = 0; taken && i < work->cpus; i++) {
        while (taken[core])
            core++;
        machine->os_cpu[i] =
            work->settings.emulate[HS_CPU] ? -1 : hsi_topology_cpu(machine->topology, core);
        core++;
    }
    hsi_locality_close(locality);
    if (!taken)
        return HS_ENOMEM;
    free(taken);
    return HS_OK;
}

hs_status hsi_machine_assign_cores(hsi_machine *machine, const hsi_work *work, char why[HS_WHY])
{
    unsigned  cores, i;
    hs_status st = hsi_topology_open(&machine->topology, why);

    if (st != HS_OK)
        return st;
    cores = hsi_topology_cores(machine->topology);
    if (needed(machine, work) > cores && !work->settings.oversubscribe &&
        !work->settings.emulate[HS_CPU])
        return refuse(machine, work, cores, why);
    machine->os_cpu = malloc((work->workers + 1) * sizeof *machine->os_cpu);
    if (!machine->os_cpu)
        return HS_ENOMEM;
    if (reserves(machine, work) && needed(machine, work) <= cores)
        return reserve(machine, work, cores);
    for (i = 0; i < work->workers; i++)
        machine->os_cpu[i] = place(machine, work, i);
    return HS_OK;
}
