/* SPDX-License-Identifier: BSD-3-Clause */
/* Which worker is bound to which core. */
#include "exec/machine/machine.h"

#include <stdlib.h>

#include "exec/why.h"

/* Does the thread of each GPU get a core of its own, which no CPU worker has? */
static int reserves(const hsi_machine *machine, const hsi_work *work)
{
    return machine->device_count && !work->settings.no_reserve;
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

static hs_status refuse(const hsi_machine *machine, const hsi_work *work, unsigned cores,
                        char why[HS_WHY])
{
    const char *verb = cores == 1 ? "is" : "are";

    if (!reserves(machine, work))
        return hsi_refuse(why, HS_ERESOURCE,
                          "too few cores: this plan needs %u, and there %s %u; use "
                          "settings.oversubscribe",
                          work->cpus, verb, cores);
    return hsi_refuse(why, HS_ERESOURCE,
                      "too few cores: this plan needs %u, and %u more to drive its GPUs, and "
                      "there %s %u; use settings.no_reserve or settings.oversubscribe",
                      work->cpus, work->gpus, verb, cores);
}

/* The last core that is free, of those near the device if there is one. */
static unsigned free_core(const hsi_topology *topology, const char *pci, const unsigned char *taken,
                          unsigned cores)
{
    unsigned i, last = cores;

    for (i = cores; i-- > 0;) {
        if (taken[i])
            continue;
        if (hsi_topology_is_near(topology, pci, hsi_topology_cpu(topology, i)))
            return i;
        if (last == cores)
            last = i;
    }
    return last;
}

/* There are enough for all: first each GPU's, then those that are left to the CPU workers. */
static hs_status reserve(hsi_machine *machine, const hsi_work *work, unsigned cores)
{
    const hsi_topology *topology = machine->topology;
    unsigned char      *taken = calloc(cores + 1, 1);
    unsigned            i, core = 0;

    if (!taken)
        return HS_ENOMEM;
    for (i = 0; i < work->gpus; i++) {
        unsigned index = free_core(topology, machine->devices[i].pci, taken, cores);

        taken[index] = 1;
        machine->os_cpu[work->cpus + i] = hsi_topology_cpu(topology, index);
    }
    for (i = 0; i < work->cpus; i++, core++) {
        while (taken[core])
            core++;
        machine->os_cpu[i] = work->settings.emulate[HS_CPU] ? -1 : hsi_topology_cpu(topology, core);
    }
    free(taken);
    return HS_OK;
}

hs_status hsi_machine_assign_cores(hsi_machine *machine, const hsi_work *work, char why[HS_WHY])
{
    unsigned  cores, i;
    hs_status st = hsi_topology_open(&machine->topology, reserves(machine, work), why);

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
