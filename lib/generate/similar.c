/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of a few kernels: gamma laws draw the mean times of kernels, and the times around them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "generate/draws.h"
#include "support/decimal/decimal.h"
#include "support/sized.h"

/* The laws of an instance, and the streams of random numbers: the last two vary the times. */
typedef struct laws {
    hsi_gamma_law mean[2];     /* by hs_type: mean time of a kernel */
    hsi_gamma_law variation;   /* time of a task over the mean of its kernel */
    hsi_random    random[2][2]; /* [0]: means, [1]: variations; by hs_type */
} laws;

static hs_status check(const hs_similar *spec, laws *l, hs_error *error)
{
    const hs_gamma *means = &spec->means;

    if (!hsi_gamma_law_make(&l->mean[HS_CPU], means->cpu_mean, means->cpu_cv) ||
        !hsi_gamma_law_make(&l->mean[HS_GPU], means->gpu_mean, means->gpu_cv) ||
        !hsi_gamma_law_make(&l->variation, 1, spec->cv))
        return hsi_error_set(
            error, HS_EINVAL,
            "means %g and %g, coefficients of variation %g, %g and %g; expected finite "
            "means above 0 and coefficients of at least 0",
            means->cpu_mean, means->gpu_mean, means->cpu_cv, means->gpu_cv, spec->cv);
    if (spec->kernels < 1 || spec->kernels > HS_MAX_TASKS)
        return hsi_error_set(error, HS_EINVAL, "%zu kernels; expected 1 to %u", spec->kernels,
                             (unsigned)HS_MAX_TASKS);
    return hsi_check_task_count(means->tasks, error);
}

static void describe(const hs_similar *spec, char *text, size_t size)
{
    const hs_gamma *means = &spec->means;
    char            number[5][HSI_DECIMAL_MAX];

    hsi_decimal_write(means->cpu_mean, number[0]);
    hsi_decimal_write(means->cpu_cv, number[1]);
    hsi_decimal_write(means->gpu_mean, number[2]);
    hsi_decimal_write(means->gpu_cv, number[3]);
    hsi_decimal_write(spec->cv, number[4]);
    snprintf(text, size,
             "hsched-gen gamma -n %zu -m %u -k %u --cpu-mean %s --cpu-cv %s --gpu-mean %s "
             "--gpu-cv %s --kernel-count %zu --within-cv %s -s %" PRIu64,
             means->tasks, means->cpus, means->gpus, number[0], number[1], number[2], number[3],
             spec->kernels, number[4], means->seed);
}

/* Draw the mean times of all kernels with tasks; NULL: out of memory. The caller frees the array. */
static double (*draw_means(const hs_similar *spec, laws *l))[2]
{
    size_t count = spec->kernels < spec->means.tasks ? spec->kernels : spec->means.tasks;
    double(*mean)[2] = calloc(count + 1, sizeof *mean);

    for (size_t i = 0; mean && i < count; i++)
        for (int type = HS_CPU; type <= HS_GPU; type++)
            mean[i][type] = hsi_draw_gamma(&l->mean[type], &l->random[0][type]);
    return mean;
}

static hs_status add_tasks(hs_builder *b, const hs_similar *spec, laws *l)
{
    double(*mean)[2] = draw_means(spec, l);
    hs_status st = mean ? HS_OK : HS_ENOMEM;
    hs_task   task = {.struct_size = sizeof task};
    char      name[32];

    task.kernel = name;
    for (size_t i = 0; i < spec->means.tasks && st == HS_OK; i++) {
        size_t k = i % spec->kernels;

        snprintf(name, sizeof name, "k%zu", k + 1);
        task.cpu = mean[k][HS_CPU] * hsi_draw_gamma(&l->variation, &l->random[1][HS_CPU]);
        task.gpu = mean[k][HS_GPU] * hsi_draw_gamma(&l->variation, &l->random[1][HS_GPU]);
        if (isfinite(task.cpu) && isfinite(task.gpu))
            st = hs_builder_add_row(b, &task);
        else
            st = HS_EOVERFLOW;
    }
    free(mean);
    return st;
}

hs_status hs_generate_similar(const hs_similar *given, hs_instance **out, hs_error *error)
{
    hs_similar  spec = {.struct_size = sizeof spec};
    hs_builder *b = NULL;
    hs_status   st;
    laws        l;
    char        command[400];

    if (!given || !out || !hsi_sized_copy_in(&spec, sizeof spec, given))
        return hsi_error_set_status(error, HS_EINVAL);
    st = check(&spec, &l, error);
    if (st != HS_OK)
        return st;
    for (uint64_t stream = 0; stream < 4; stream++)
        hsi_random_seed(&l.random[stream / 2][stream % 2], spec.means.seed, stream);
    describe(&spec, command, sizeof command);
    st = hs_builder_create(&b);
    if (st == HS_OK)
        st = hs_builder_set_workers(b, spec.means.cpus, spec.means.gpus);
    if (st == HS_OK)
        st = hs_builder_add_note(b, "generator", command);
    if (st == HS_OK)
        st = add_tasks(b, &spec, &l);
    st = st == HS_OK ? hs_builder_finish(b, out, error) : hsi_error_set_status(error, st);
    hs_builder_free(b);
    return st;
}
