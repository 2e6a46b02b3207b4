/* SPDX-License-Identifier: BSD-3-Clause */
/* Bind workers to cores. */
#include "exec/machine/machine.h"

#include <stdlib.h>

#include "core/error.h"

/* Return true if the thread of each GPU gets a core of its own, which no CPU worker has. */
static bool reserves(const hsi_machine *machine, const hsi_work *work)
{
    return machine->device_count && !work->settings.place.share_gpu_cores;
}

/* Return the number of CPU workers that run tasks on cores. */
static unsigned working_cpus(const hsi_work *work)
{
    return work->settings.run.emulate[HS_CPU] || work->unused[HS_CPU] ? 0 : work->cpus;
}

static unsigned needed(const hsi_machine *machine, const hsi_work *work)
{
    const unsigned *each = work->settings.place.cores;

    return working_cpus(work) * each[HS_CPU] +
           (reserves(machine, work) ? work->gpus * each[HS_GPU] : 0);
}

static unsigned most_cores(const hsi_work *work)
{
    const unsigned *each = work->settings.place.cores;

    return each[HS_CPU] > each[HS_GPU] ? each[HS_CPU] : each[HS_GPU];
}

static hs_type type_of(const hsi_work *work, unsigned worker)
{
    return worker < work->cpus ? HS_CPU : HS_GPU;
}

const int *hsi_machine_cores(const hsi_machine *machine, const hsi_work *work, unsigned worker)
{
    return machine->os_cpu[worker] < 0 ? NULL : &machine->cores[worker * most_cores(work)];
}

/*
 * Place a worker on cores in order: first the CPU workers, then, while cores are left, the threads
 * that drive the GPUs. If the workers exceed the hardware threads, and for emulated workers and
 * workers without tasks, the kernel chooses the cores, since it shares better than a fixed binding.
 */
static void place(hsi_machine *machine, const hsi_work *work, unsigned worker)
{
    const unsigned *each = work->settings.place.cores;
    unsigned        threads = hsi_topology_threads(machine->topology), i;
    unsigned        working = working_cpus(work), from, count;

    from = worker < work->cpus ? worker * each[HS_CPU]
                               : working * each[HS_CPU] + (worker - work->cpus) * each[HS_GPU];
    count = each[type_of(work, worker)];
    machine->os_cpu[worker] = -1;
    if (worker < work->cpus ? worker >= working : work->unused[HS_GPU])
        return;
    if (working * each[HS_CPU] > threads || from + count > threads)
        return;
    machine->os_cpu[worker] = hsi_topology_cpu(machine->topology, from);
    for (i = 0; i < count; i++)
        machine->cores[worker * most_cores(work) + i] =
            hsi_topology_cpu(machine->topology, from + i);
}

static hs_status refuse(const hsi_machine *machine, const hsi_work *work, unsigned cores,
                        hs_error *error)
{
    const char *verb = cores == 1 ? "is" : "are";

    if (!reserves(machine, work))
        return hsi_error_set(
            error, HS_ERESOURCE,
            "too few cores: this plan needs %u, and there %s %u; use "
            "settings.place.oversubscribe, or settings.run.emulate[HS_CPU] to rehearse",
            needed(machine, work), verb, cores);
    return hsi_error_set(
        error, HS_ERESOURCE,
        "too few cores: this plan needs %u, and %u more to drive its GPUs, and "
        "there %s %u; use settings.place.share_gpu_cores or settings.place.oversubscribe",
        working_cpus(work) * work->settings.place.cores[HS_CPU],
        work->gpus * work->settings.place.cores[HS_GPU], verb, cores);
}

/* Return the last free core near the device, or else the last free core. */
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

static void give(hsi_machine *machine, const hsi_work *work, unsigned worker, unsigned nth,
                 unsigned index, unsigned char *taken)
{
    int core = hsi_topology_cpu(machine->topology, index);

    taken[index] = 1;
    machine->cores[worker * most_cores(work) + nth] = core;
    if (nth == 0)
        machine->os_cpu[worker] = core;
}

/* Reserve cores for all workers: first near each GPU, then the rest for CPU workers. Enough cores
 * must exist. */
static hs_status reserve(hsi_machine *machine, const hsi_work *work, unsigned cores)
{
    const hsi_topology *topology = machine->topology;
    const unsigned     *each = work->settings.place.cores;
    unsigned char      *taken = calloc(cores + 1, 1);
    unsigned            i, n, core = 0;

    if (!taken)
        return HS_ENOMEM;
    for (i = 0; i < work->gpus; i++)
        for (n = 0; n < each[HS_GPU]; n++)
            give(machine, work, work->cpus + i, n,
                 free_core(topology, machine->devices[i].pci, taken, cores), taken);
    for (i = 0; i < working_cpus(work); i++)
        for (n = 0; n < each[HS_CPU]; n++) {
            while (taken[core])
                core++;
            give(machine, work, i, n, core, taken);
        }
    free(taken);
    return HS_OK;
}

/* Bind workers as the settings say, without counting cores. */
static void follow_settings(hsi_machine *machine, const hsi_work *work)
{
    const hs_exec_settings *s = &work->settings;
    unsigned                i;

    for (i = 0; i < work->workers; i++) {
        machine->os_cpu[i] = s->place.unbound ? -1 : s->place.os_cpus[i];
        machine->cores[i * most_cores(work)] = machine->os_cpu[i];
    }
}

static hs_status find_cores(hsi_machine *machine, const hsi_work *work, hs_error *error)
{
    unsigned  cores, i;
    hs_status st = hsi_topology_open(&machine->topology, reserves(machine, work), error);

    if (st != HS_OK)
        return st;
    cores = hsi_topology_cores(machine->topology);
    if (needed(machine, work) > cores && !work->settings.place.oversubscribe &&
        !work->settings.run.emulate[HS_CPU])
        return refuse(machine, work, cores, error);
    if (reserves(machine, work) && needed(machine, work) <= cores)
        return reserve(machine, work, cores);
    for (i = 0; i < work->workers; i++)
        place(machine, work, i);
    return HS_OK;
}

hs_status hsi_machine_assign_cores(hsi_machine *machine, const hsi_work *work, hs_error *error)
{
    unsigned i;

    machine->os_cpu = malloc((work->workers + 1) * sizeof *machine->os_cpu);
    machine->cores = calloc(work->workers + 1, most_cores(work) * sizeof *machine->cores);
    if (!machine->os_cpu || !machine->cores)
        return HS_ENOMEM;
    for (i = 0; i < work->workers; i++)
        machine->os_cpu[i] = -1;
    if (!work->settings.place.unbound && !work->settings.place.os_cpus)
        return find_cores(machine, work, error);
    follow_settings(machine, work);
    return HS_OK;
}
