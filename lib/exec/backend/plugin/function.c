/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/backend/plugin/function.h"

#include <stdlib.h>

#include "exec/error_text.h"

hs_plugin_task hsi_function_described(const hs_backend_worker_info *info, char name[16])
{
    hs_worker_name(info->cpus, info->number, name);
    return (hs_plugin_task){.struct_size = sizeof(hs_plugin_task),
                            .worker = name,
                            .type = (uint32_t)info->type,
                            .index = info->index,
                            .os_cpu = info->os_cpu,
                            .device = info->device,
                            .message_size = HS_WHY,
                            .stream = info->stream};
}

hs_status hsi_function_worker_open(const hs_backend *backend, const hs_backend_worker_info *info,
                                   hs_backend_worker **out)
{
    hsi_function_worker *w = calloc(1, sizeof *w);

    if (!w)
        return HS_ENOMEM;
    w->base.backend = backend;
    w->task = hsi_function_described(info, w->name);
    *out = &w->base;
    return HS_OK;
}

void hsi_function_worker_close(hs_backend_worker *worker)
{
    free(((hsi_function_worker *)worker)->data);
    free(((hsi_function_worker *)worker)->use);
    free(worker);
}

hs_outcome hsi_function_judge(int result, const char *what, hs_attempt *attempt)
{
    if (result == HS_PLUGIN_DONE)
        return HS_OUTCOME_DONE;
    if (result == HS_PLUGIN_ABORTED && hs_attempt_cancelled(attempt))
        return HS_OUTCOME_ABORTED;
    if (attempt->why[0] != '\0')
        return HS_OUTCOME_FAILED;
    if (result == HS_PLUGIN_ABORTED)
        return hsi_attempt_fail(attempt, "the %s returned HS_PLUGIN_ABORTED, but was not cancelled",
                                what);
    return hsi_attempt_fail(attempt, "the %s returned %d", what, result);
}
