/* SPDX-License-Identifier: BSD-3-Clause */
/* Which worker is bound to which core. */
#include "exec/run/dispatcher.h"

#include <stdio.h>
#include <stdlib.h>

/* Does the thread of each GPU get a core of its own, which no CPU worker has? */
static int reserves(const hs_exec *exec)
{
    return exec->device_count && !exec->settings.no_reserve;
}

static hs_status refuse(const hs_exec *exec, unsigned cores, char why[HS_WHY])
{
    const char *verb = cores == 1 ? "is" : "are";

    if (reserves(exec))
        snprintf(why, HS_WHY,
                 "too few cores: this plan needs %u, and %u more to drive its GPUs, and there %s "
                 "%u; use --no-reserve or --oversubscribe",
                 exec->cpus, exec->gpus, verb, cores);
    else
        snprintf(why, HS_WHY,
                 "too few cores: this plan needs %u, and there %s %u; use --oversubscribe",
                 exec->cpus, verb, cores);
    return HS_ERESOURCE;
}

static unsigned needed(const hs_exec *exec)
{
    return exec->cpus + (reserves(exec) ? exec->gpus : 0);
}

/*
 * A core each: first the CPU workers, then, as far as there are any left, the threads
 * that drive the GPUs. More workers than even the hardware's threads, and those that
 * only wait, are left to the kernel, which shares better than a fixed binding does.
 */
static int place(const hs_exec *exec, unsigned number)
{
    unsigned threads = hsi_topology_threads(exec->topology);
    unsigned first = exec->settings.emulate[HS_CPU] ? exec->cpus : 0;

    if (number < first || exec->cpus - first > threads || number - first >= threads)
        return -1;
    return hsi_topology_cpu(exec->topology, number - first);
}

/* The last core that is free, of those near the device if there is one. */
static unsigned free_core(const hs_exec *exec, const hsi_locality *locality, const char *pci,
                          const unsigned char *taken, unsigned cores)
{
    unsigned i, last = cores;

    for (i = cores; i-- > 0;) {
        if (taken[i])
            continue;
        if (hsi_locality_is_near(locality, pci, hsi_topology_cpu(exec->topology, i)))
            return i;
        if (last == cores)
            last = i;
    }
    return last;
}

/* There are enough for all. */
static hs_status reserve(hs_exec *exec, unsigned cores)
{
    hsi_locality  *locality = hsi_locality_open();
    unsigned char *taken = calloc(cores + 1, 1);
    unsigned       i, core = 0;

    for (i = 0; taken && i < exec->gpus; i++) {
        unsigned index = free_core(exec, locality, exec->devices[i].pci, taken, cores);

        taken[index] = 1;
        exec->places[exec->cpus + i] = hsi_topology_cpu(exec->topology, index);
    }
    for (i = 0; taken && i < exec->cpus; i++) {
        while (taken[core])
            core++;
        exec->places[i] =
            exec->settings.emulate[HS_CPU] ? -1 : hsi_topology_cpu(exec->topology, core);
        core++;
    }
    hsi_locality_close(locality);
    if (!taken)
        return HS_ENOMEM;
    free(taken);
    return HS_OK;
}

hs_status hsi_cores_assign(hs_exec *exec, char why[HS_WHY])
{
    unsigned cores = hsi_topology_cores(exec->topology), i;

    if (needed(exec) > cores && !exec->settings.oversubscribe && !exec->settings.emulate[HS_CPU])
        return refuse(exec, cores, why);
    exec->places = malloc((exec->workers + 1) * sizeof *exec->places);
    if (!exec->places)
        return HS_ENOMEM;
    if (reserves(exec) && needed(exec) <= cores)
        return reserve(exec, cores);
    for (i = 0; i < exec->workers; i++)
        exec->places[i] = place(exec, i);
    return HS_OK;
}
