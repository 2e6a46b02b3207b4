/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collect the transfers of a run: the copies of tiles that GPUs made; or else the policy's
 * transfers to the memories of types whose tasks were all emulated, and waited for these transfers.
 */
#include "exec/run/run.h"

#include <stdlib.h>

#include "exec/backend/backends.h"
#include "exec/data/sharing.h"

/* Return true if tasks are emulated. Real kernels wait for their own copies, and commands move
 * their own data. */
bool hsi_is_emulated(const hs_exec *exec, hs_type type, unsigned slot)
{
    const hs_backend *backend = exec->bodies.backends[slot];

    return backend == &hsi_backend_emulated || (type == HS_GPU && backend == &exec->bodies.shared);
}

static bool are_emulated(const hs_exec *exec, hs_type type)
{
    unsigned slot;

    for (slot = 0; slot < exec->bodies.backend_count; slot++)
        if (exec->bodies.used[2 * slot + type] && !hsi_is_emulated(exec, type, slot))
            return false;
    return true;
}

static void note_emulated_transfers(hs_exec *exec)
{
    const int          waits[] = {are_emulated(exec, HS_CPU), are_emulated(exec, HS_GPU)};
    const double       unit = exec->work.seconds_per_unit;
    size_t             count, i;
    const hs_transfer *made = hs_policy_transfers(exec->policy, &count);

    exec->waited = made ? malloc(count * sizeof *exec->waited) : NULL;
    exec->transfers = exec->waited;
    for (i = 0; exec->waited && i < count; i++) {
        hs_transfer *t = &exec->waited[exec->transfer_count];

        if (!waits[made[i].to > 0 ? HS_GPU : HS_CPU])
            continue;
        *t = made[i];
        t->start *= unit;
        t->end *= unit;
        exec->transfer_count++;
    }
}

void hsi_transfers_note(hs_exec *exec)
{
    const hsi_matrix *matrix = exec->bodies.matrix;

    hsi_transfers_forget(exec);
    if (!exec->work.settings.keep.transfers)
        return;
    if (matrix && matrix->sharing)
        exec->transfers = matrix->sharing->transfers(matrix->memory, exec->control.start_ns,
                                                     &exec->transfer_count);
    else
        note_emulated_transfers(exec);
}

void hsi_transfers_forget(hs_exec *exec)
{
    free(exec->waited);
    exec->waited = NULL;
    exec->transfers = NULL;
    exec->transfer_count = 0;
}

const hs_transfer *hs_exec_transfers(const hs_exec *exec, size_t *count)
{
    *count = exec ? exec->transfer_count : 0;
    return *count > 0 ? exec->transfers : NULL;
}
