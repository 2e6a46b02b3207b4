/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collect the transfers of a run. If GPUs share data, these are the copies of it.
 * Otherwise they are the transfers of the policy to memories of emulated workers, which waited for
 * them.
 */
#include "exec/run/report/report_private.h"

#include <stdlib.h>

#include "exec/client/client.h"
#include "exec/device/devices.h"
#include "exec/run/control.h"

/* Return true if all tasks on that type are emulated. */
static bool are_emulated(const hsi_bodies *bodies, hs_type type)
{
    unsigned slot;

    for (slot = 0; slot < hsi_bodies_slot_count(bodies); slot++)
        if (hsi_bodies_slot_runs_type(bodies, slot, type) &&
            !hsi_bodies_slot_emulates_type(bodies, slot, type))
            return false;
    return true;
}

static void copy_emulated_transfers(hs_exec *exec)
{
    hsi_report        *report = exec->report;
    const bool         emulated[] = {are_emulated(exec->bodies, HS_CPU),
                                     are_emulated(exec->bodies, HS_GPU)};
    const double       unit = exec->spec.seconds_per_unit;
    size_t             count, i;
    const hs_transfer *made = hs_policy_transfers(exec->policy, &count);
    const size_t       hosts = hs_instance_nodes(exec->spec.in);

    report->copied = made ? malloc(count * sizeof *report->copied) : NULL;
    report->transfers = report->copied;
    for (i = 0; report->copied && i < count; i++) {
        hs_transfer *t = &report->copied[report->transfer_count];

        if (!emulated[made[i].to >= hosts ? HS_GPU : HS_CPU])
            continue;
        *t = made[i];
        t->start *= unit;
        t->end *= unit;
        report->transfer_count++;
    }
}

/* A run has one host, memory 0. An instance with N nodes numbers its GPUs from N. */
static void number_gpus_after_hosts(const hs_instance *in, hs_transfer *list, size_t count)
{
    const uint32_t others = (uint32_t)hs_instance_nodes(in) - 1;

    for (size_t i = 0; i < count; i++) {
        list[i].from += list[i].from > 0 ? others : 0;
        list[i].to += list[i].to > 0 ? others : 0;
    }
}

static void collect_shared_transfers(hs_exec *exec, hsi_devices *devices)
{
    hsi_report  *report = exec->report;
    hs_transfer *list =
        hsi_records_list(devices, hsi_control_start_ns(exec->control), &report->transfer_count);

    number_gpus_after_hosts(exec->spec.in, list, report->transfer_count);
    report->transfers = list;
}

void hsi_report_collect_transfers(hs_exec *exec)
{
    hsi_devices *devices = hsi_run_data_devices(hsi_bodies_data(exec->bodies));

    hsi_report_forget_transfers(exec->report);
    if (!exec->spec.settings.keep.transfers)
        return;
    if (devices)
        collect_shared_transfers(exec, devices);
    else
        copy_emulated_transfers(exec);
}

void hsi_report_forget_transfers(hsi_report *report)
{
    free(report->copied);
    report->copied = NULL;
    report->transfers = NULL;
    report->transfer_count = 0;
}

const hs_transfer *hs_exec_transfers(const hs_exec *exec, size_t *count)
{
    *count = exec ? exec->report->transfer_count : 0;
    return *count > 0 ? exec->report->transfers : NULL;
}
