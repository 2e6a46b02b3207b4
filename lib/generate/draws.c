/* SPDX-License-Identifier: BSD-3-Clause */
#include "generate/draws.h"

#include <math.h>

#include "core/error.h"

static hs_status add_draws(hs_builder *b, size_t tasks, uint64_t seed, hsi_draw draw,
                           const void *cpu_law, const void *gpu_law)
{
    hsi_random random[2];
    hs_task    task = {.struct_size = sizeof task};
    hs_status  st = HS_OK;
    size_t     i;

    hsi_random_seed(&random[HS_CPU], seed, HS_CPU);
    hsi_random_seed(&random[HS_GPU], seed, HS_GPU);
    for (i = 0; i < tasks && st == HS_OK; i++) {
        task.cpu = draw(cpu_law, &random[HS_CPU]);
        task.gpu = draw(gpu_law, &random[HS_GPU]);
        if (isfinite(task.cpu) && isfinite(task.gpu))
            st = hs_builder_add_row(b, &task);
        else
            st = HS_EOVERFLOW;
    }
    return st;
}

hs_status hsi_check_task_count(size_t tasks, hs_error *error)
{
    if (tasks <= HS_MAX_TASKS)
        return HS_OK;
    return hsi_error_set(error, HS_ETOOBIG, "%zu tasks; expected at most %u", tasks,
                         (unsigned)HS_MAX_TASKS);
}

hs_status hsi_generate_draws(size_t tasks, unsigned cpus, unsigned gpus, uint64_t seed,
                             hsi_draw draw, const void *cpu_law, const void *gpu_law,
                             const char *command, hs_instance **out, hs_error *error)
{
    hs_builder *b = NULL;
    hs_status   st = hsi_check_task_count(tasks, error);

    if (st != HS_OK)
        return st;
    st = hs_builder_create(&b);
    if (st == HS_OK)
        st = hs_builder_set_workers(b, cpus, gpus);
    if (st == HS_OK)
        st = hs_builder_add_note(b, "generator", command);
    if (st == HS_OK)
        st = add_draws(b, tasks, seed, draw, cpu_law, gpu_law);
    st = st == HS_OK ? hs_builder_finish(b, out, error) : hsi_error_set_status(error, st);
    hs_builder_free(b);
    return st;
}
