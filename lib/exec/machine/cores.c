/* SPDX-License-Identifier: BSD-3-Clause */
/* Bind workers to cores. */
#include "exec/machine/machine.h"

#include <stdlib.h>

#include "core/error.h"
#include "exec/ranks/ranks.h"

/* Return true if the thread of each GPU gets a core of its own, which no CPU worker has. */
static bool reserves(const hsi_machine *machine, const hsi_run_spec *spec)
{
    return machine->device_count && !spec->settings.place.share_gpu_cores;
}

/* Return the number of CPU workers that run tasks on cores. */
static unsigned working_cpus(const hsi_run_spec *spec)
{
    return spec->settings.run.emulate[HS_CPU] || spec->unused[HS_CPU] ? 0 : spec->cpus;
}

/* Return the number of ranks that share the processors of this process. */
static unsigned sharers(const hsi_run_spec *spec)
{
    return spec->settings.run.mpi ? spec->settings.run.mpi->beside : 1;
}

static unsigned needed(const hsi_machine *machine, const hsi_run_spec *spec)
{
    const unsigned *each = spec->settings.place.cores;

    return sharers(spec) * working_cpus(spec) * each[HS_CPU] +
           (reserves(machine, spec) ? spec->gpus * each[HS_GPU] : 0);
}

static unsigned most_cores(const hsi_run_spec *spec)
{
    const unsigned *each = spec->settings.place.cores;

    return each[HS_CPU] > each[HS_GPU] ? each[HS_CPU] : each[HS_GPU];
}

static hs_type type_of(const hsi_run_spec *spec, unsigned worker)
{
    return worker < spec->cpus ? HS_CPU : HS_GPU;
}

const int *hsi_machine_cores(const hsi_machine *machine, const hsi_run_spec *spec, unsigned worker)
{
    return machine->os_cpu[worker] < 0 ? NULL : &machine->cores[worker * most_cores(spec)];
}

/*
 * Place a worker on cores in order: first the CPU workers, then, while cores are left, the threads
 * that drive the GPUs. If the workers exceed the hardware threads, and for emulated workers and
 * workers without tasks, the kernel chooses the cores, since it shares better than a fixed binding.
 */
static void place(hsi_machine *machine, const hsi_run_spec *spec, unsigned worker)
{
    const unsigned *each = spec->settings.place.cores;
    unsigned        threads = hsi_topology_threads(machine->topology), i;
    unsigned        working = working_cpus(spec), from, count;

    from = worker < spec->cpus ? worker * each[HS_CPU]
                               : working * each[HS_CPU] + (worker - spec->cpus) * each[HS_GPU];
    if (spec->settings.run.mpi)
        from += spec->settings.run.mpi->before * working * each[HS_CPU];
    count = each[type_of(spec, worker)];
    machine->os_cpu[worker] = -1;
    if (worker < spec->cpus ? worker >= working : spec->unused[HS_GPU])
        return;
    if (sharers(spec) * working * each[HS_CPU] > threads || from + count > threads)
        return;
    machine->os_cpu[worker] = hsi_topology_cpu(machine->topology, from);
    for (i = 0; i < count; i++)
        machine->cores[worker * most_cores(spec) + i] =
            hsi_topology_cpu(machine->topology, from + i);
}

static hs_status refuse(const hsi_machine *machine, const hsi_run_spec *spec, unsigned cores,
                        hs_error *error)
{
    const char *verb = cores == 1 ? "is" : "are";

    if (sharers(spec) > 1)
        return hsi_error_set(
            error, HS_ERESOURCE,
            "too few cores: the %u ranks on this machine need %u, and there %s %u; use "
            "settings.place.oversubscribe, or fewer workers",
            sharers(spec), needed(machine, spec), verb, cores);
    if (!reserves(machine, spec))
        return hsi_error_set(
            error, HS_ERESOURCE,
            "too few cores: this plan needs %u, and there %s %u; use "
            "settings.place.oversubscribe, or settings.run.emulate[HS_CPU] to rehearse",
            needed(machine, spec), verb, cores);
    return hsi_error_set(
        error, HS_ERESOURCE,
        "too few cores: this plan needs %u, and %u more to drive its GPUs, and "
        "there %s %u; use settings.place.share_gpu_cores or settings.place.oversubscribe",
        working_cpus(spec) * spec->settings.place.cores[HS_CPU],
        spec->gpus * spec->settings.place.cores[HS_GPU], verb, cores);
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

static void give(hsi_machine *machine, const hsi_run_spec *spec, unsigned worker, unsigned nth,
                 unsigned index, unsigned char *taken)
{
    int core = hsi_topology_cpu(machine->topology, index);

    taken[index] = 1;
    machine->cores[worker * most_cores(spec) + nth] = core;
    if (nth == 0)
        machine->os_cpu[worker] = core;
}

/* Reserve cores for all workers: first near each GPU, then the rest for CPU workers. Enough cores
 * must exist. */
static hs_status reserve(hsi_machine *machine, const hsi_run_spec *spec, unsigned cores)
{
    const hsi_topology *topology = machine->topology;
    const unsigned     *each = spec->settings.place.cores;
    unsigned char      *taken = calloc(cores + 1, 1);
    unsigned            i, n, core = 0;

    if (!taken)
        return HS_ENOMEM;
    for (i = 0; i < spec->gpus; i++)
        for (n = 0; n < each[HS_GPU]; n++)
            give(machine, spec, spec->cpus + i, n,
                 free_core(topology, machine->devices[i].pci, taken, cores), taken);
    for (i = 0; i < working_cpus(spec); i++)
        for (n = 0; n < each[HS_CPU]; n++) {
            while (taken[core])
                core++;
            give(machine, spec, i, n, core, taken);
        }
    free(taken);
    return HS_OK;
}

/* Bind workers as the settings say, without counting cores. */
static void follow_settings(hsi_machine *machine, const hsi_run_spec *spec)
{
    const hs_exec_settings *s = &spec->settings;
    unsigned                i;

    for (i = 0; i < spec->workers; i++) {
        machine->os_cpu[i] = s->place.unbound ? -1 : s->place.os_cpus[i];
        machine->cores[i * most_cores(spec)] = machine->os_cpu[i];
    }
}

static hs_status find_cores(hsi_machine *machine, const hsi_run_spec *spec, hs_error *error)
{
    unsigned  cores, i;
    hs_status st = hsi_topology_open(&machine->topology, reserves(machine, spec), error);

    if (st != HS_OK)
        return st;
    cores = hsi_topology_cores(machine->topology);
    if (needed(machine, spec) > cores && !spec->settings.place.oversubscribe &&
        !spec->settings.run.emulate[HS_CPU])
        return refuse(machine, spec, cores, error);
    if (reserves(machine, spec) && needed(machine, spec) <= cores)
        return reserve(machine, spec, cores);
    for (i = 0; i < spec->workers; i++)
        place(machine, spec, i);
    return HS_OK;
}

hs_status hsi_machine_assign_cores(hsi_machine *machine, const hsi_run_spec *spec, hs_error *error)
{
    unsigned i;

    machine->os_cpu = malloc((spec->workers + 1) * sizeof *machine->os_cpu);
    machine->cores = calloc(spec->workers + 1, most_cores(spec) * sizeof *machine->cores);
    if (!machine->os_cpu || !machine->cores)
        return HS_ENOMEM;
    for (i = 0; i < spec->workers; i++)
        machine->os_cpu[i] = -1;
    if (spec->settings.run.node_count > 0)
        return HS_OK; /* the nodes bind their workers */
    if (!spec->settings.place.unbound && !spec->settings.place.os_cpus)
        return find_cores(machine, spec, error);
    follow_settings(machine, spec);
    return HS_OK;
}
