/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of a graph, with times from any of the laws. */
#include <math.h>

#include "generate/draws.h"
#include "generate/graph/shape.h"

typedef struct law {
    const hs_shaped *spec;
    hsi_draw         draw; /* law of the times of one type; NULL: spread, or kernels */
    hsi_random       random[2], kinds;
    union {
        hsi_gamma_law   gamma;
        hsi_uniform_law uniform;
    } of[2];
} law;

static bool make_gamma(law *l)
{
    const hs_gamma *g = &l->spec->gamma;

    l->draw = hsi_draw_gamma;
    return hsi_gamma_law_make(&l->of[HS_CPU].gamma, g->cpu_mean, g->cpu_cv) &&
           hsi_gamma_law_make(&l->of[HS_GPU].gamma, g->gpu_mean, g->gpu_cv);
}

static bool make_uniform(law *l)
{
    const hs_uniform *u = &l->spec->uniform;

    l->draw = u->integer ? hsi_draw_uniform_integer : hsi_draw_uniform_real;
    return hsi_uniform_law_make(&l->of[HS_CPU].uniform, u->cpu_low, u->cpu_high, u->integer) &&
           hsi_uniform_law_make(&l->of[HS_GPU].uniform, u->gpu_low, u->gpu_high, u->integer);
}

static bool make_law(law *l, const hs_shaped *spec)
{
    *l = (law){.spec = spec};
    hsi_random_seed(&l->random[HS_CPU], spec->seed, HSI_STREAM_CPU);
    hsi_random_seed(&l->random[HS_GPU], spec->seed, HSI_STREAM_GPU);
    hsi_random_seed(&l->kinds, spec->seed, HSI_STREAM_KINDS);
    switch (spec->law) {
    case HS_LAW_GAMMA:
        return make_gamma(l);
    case HS_LAW_UNIFORM:
        return make_uniform(l);
    case HS_LAW_SPREAD:
        return spec->mean > 0 && isfinite(spec->mean) && spec->beta >= 0 && spec->beta <= 2;
    case HS_LAW_KERNELS:
        return spec->table && spec->table->count > 0;
    }
    return false;
}

static double spread(const law *l, double mean, hsi_random *random)
{
    return mean * (1 - l->spec->beta / 2 + l->spec->beta * hsi_random_unit(random));
}

static void draw_times(law *l, hs_task *task)
{
    const hs_kernel_table *table = l->spec->table;

    if (l->draw) {
        task->cpu = l->draw(&l->of[HS_CPU], &l->random[HS_CPU]);
        task->gpu = l->draw(&l->of[HS_GPU], &l->random[HS_GPU]);
    } else if (l->spec->law == HS_LAW_SPREAD) {
        double mean = 2 * l->spec->mean * hsi_random_unit(&l->kinds);

        task->cpu = spread(l, mean, &l->random[HS_CPU]);
        task->gpu = spread(l, mean, &l->random[HS_GPU]);
    } else {
        const hs_kernel *kernel = &table->kernels[hsi_random_below(&l->kinds, table->count)];

        task->cpu = kernel->cpu;
        task->gpu = kernel->gpu;
        task->kernel = kernel->kernel;
    }
}

hs_status hsi_draw_tasks(const hs_shaped *spec, hs_builder *b, double *mean)
{
    law       l;
    hs_task   task = {.struct_size = sizeof task};
    double    sum = 0;
    size_t    finite = 0;
    hs_status st = HS_OK;

    if (!make_law(&l, spec))
        return HS_EINVAL;
    for (size_t i = 0; i < spec->tasks && st == HS_OK; i++) {
        draw_times(&l, &task);
        if (spec->law != HS_LAW_KERNELS && !(isfinite(task.cpu) && isfinite(task.gpu)))
            return HS_EOVERFLOW;
        sum += (isfinite(task.cpu) ? task.cpu : 0) + (isfinite(task.gpu) ? task.gpu : 0);
        finite += isfinite(task.cpu) + isfinite(task.gpu);
        st = hs_builder_add_row(b, &task);
    }
    *mean = finite ? sum / (double)finite : 0;
    return st;
}
