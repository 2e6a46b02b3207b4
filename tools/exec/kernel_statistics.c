/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: measured and estimated times by kernel and type, and by source of the estimate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"

/* Return the name of a row's kernel; NULL: the row has no kernel. */
static const char *name_of_kernel(const hs_task *row)
{
    if (!row->kernel || !row->kernel[0])
        return NULL;
    /* Kernels with a time as argument are grouped as one kernel, although estimates differ. */
    if (strncmp(row->kernel, "spin:", 5) == 0)
        return "spin";
    return strncmp(row->kernel, "sleep:", 6) == 0 ? "sleep" : row->kernel;
}

/* Set the position in m->keys of the key of each row's command, on both types. */
static hs_status find_keys(const exec_job *job, exec_measured *m)
{
    const hs_instance *in = job->plan.in;
    hs_feature_index  *index = NULL;
    hs_status          status = hs_feature_index_create(in, &index);
    size_t             used = 1, room = 0, last[2] = {0, 0};
    hs_features        f;

    hs_features_init(&f);
    for (size_t i = 0; status == HS_OK && i < 2 * hs_instance_rows(in); i++) {
        hs_type type = i % 2 ? HS_GPU : HS_CPU;

        if (used + HS_MAX_KEY > room) {
            char *larger = realloc(m->keys, room = 2 * room + 2 * HS_MAX_KEY);

            if (!larger) {
                status = HS_ENOMEM;
                break;
            }
            m->keys = larger;
            m->keys[0] = '\0';
        }
        hs_feature_index_get(index, i / 2, type, &f);
        if (strcmp(m->keys + last[type], f.key) != 0) {
            last[type] = used;
            strcpy(m->keys + used, f.key);
            used += strlen(f.key) + 1;
        }
        m->names[i] = last[type];
    }
    hs_feature_index_free(index);
    return status;
}

const char *exec_key_name(const exec_job *job, const exec_measured *m, uint32_t task, hs_type type)
{
    size_t      row = hs_instance_row_of(job->plan.in, task);
    const char *backend, *key = m->keys + m->names[2 * row + type];

    if (*key)
        return key;
    backend = hs_exec_backend_name(job->exec, task, type);
    return backend ? backend : "";
}

const char *exec_kernel_name(const exec_job *job, const exec_measured *m, uint32_t task,
                             hs_type type)
{
    const char *name;
    hs_task     row;

    hs_instance_row(job->plan.in, hs_instance_row_of(job->plan.in, task), &row);
    name = name_of_kernel(&row);
    return name ? name : exec_key_name(job, m, task, type);
}

/* A finished task. */
typedef struct sample {
    const char    *name;
    hs_type        type;
    hs_cost_source source;
    double         estimated, measured;
} sample;

static int by_kernel(const void *a, const void *b)
{
    const sample *x = a, *y = b;
    int           order = strcmp(x->name, y->name);

    return order != 0 ? order : (int)x->type - (int)y->type;
}

static int by_kernel_and_source(const void *a, const void *b)
{
    const sample *x = a, *y = b;
    int           order = by_kernel(a, b);

    return order != 0 ? order : (int)x->source - (int)y->source;
}

static size_t collect_samples(const exec_job *job, const exec_measured *m, sample *samples)
{
    const hs_instance *in = job->plan.in;
    size_t             count = 0;

    for (size_t i = 0; i < m->attempt_count; i++) {
        const exec_attempt *a = &m->attempts[i];

        if (a->done)
            samples[count++] = (sample){exec_kernel_name(job, m, a->task, a->type), a->type,
                                        hs_instance_source(in, a->task, a->type),
                                        hs_instance_time(in, a->task, a->type), a->time};
    }
    return count;
}

/* Mean and standard deviation of numbers. */
static void mean_and_deviation(const double *number, size_t count, double *mean, double *deviation)
{
    double squares = 0;

    *mean = count > 0 ? 0 : NAN;
    for (size_t i = 0; i < count; i++)
        *mean += number[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (number[i] - *mean) * (number[i] - *mean);
    *deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : count > 0 ? 0 : NAN;
}

/*
 * Return the statistics of samples. Set `errors` to measured / estimated of the samples with an
 * estimate that is no guess; `work` has room for as many numbers as there are samples.
 */
static exec_kernel summarise(const sample *samples, size_t count, double *errors, double *work)
{
    exec_kernel k = {.name = samples->name,
                     .type = samples->type,
                     .source = samples->source,
                     .count = count,
                     .estimated = NAN,
                     .errors = errors};
    double      estimates = 0;

    for (size_t i = 0; i < count; i++) {
        double quotient = samples[i].measured / samples[i].estimated;

        work[i] = samples[i].measured;
        k.scale += quotient / (double)count;
        if (hs_cost_is_guess(samples[i].source) || isnan(samples[i].estimated))
            continue;
        estimates += samples[i].estimated;
        errors[k.estimates++] = quotient;
    }
    if (k.estimates > 0)
        k.estimated = estimates / (double)k.estimates;
    mean_and_deviation(work, count, &k.mean, &k.deviation);
    mean_and_deviation(errors, k.estimates, &k.error, &k.error_spread);
    return k;
}

static int by_total_time(const void *a, const void *b)
{
    const exec_kernel *x = a, *y = b;
    double             x_total = x->mean * (double)x->count, y_total = y->mean * (double)y->count;
    int                order = strcmp(x->name, y->name);

    if (x_total != y_total)
        return x_total > y_total ? -1 : 1;
    return order != 0 ? order
           : x->type != y->type ? (int)x->type - (int)y->type
                                : (int)x->source - (int)y->source;
}

/* Group the samples that `compare` finds equal; `work` has room for as many numbers. */
static hs_status group_samples(exec_kernels *kernels, sample *samples, size_t count, double *work,
                               int (*compare)(const void *, const void *))
{
    size_t groups = 0, next;

    qsort(samples, count, sizeof *samples, compare);
    for (size_t i = 0; i < count; i++)
        groups += i == 0 || compare(&samples[i - 1], &samples[i]) != 0;
    kernels->of = calloc(groups ? groups : 1, sizeof *kernels->of);
    kernels->errors = calloc(count ? count : 1, sizeof *kernels->errors);
    if (!kernels->of || !kernels->errors)
        return HS_ENOMEM;
    for (size_t i = 0; i < count; i = next) {
        for (next = i + 1; next < count && compare(&samples[i], &samples[next]) == 0;)
            next++;
        kernels->of[kernels->count++] =
            summarise(&samples[i], next - i, kernels->errors + i, work);
    }
    qsort(kernels->of, kernels->count, sizeof *kernels->of, by_total_time);
    return HS_OK;
}

static int by_name_and_type(const void *a, const void *b)
{
    const exec_kernel *x = *(const exec_kernel *const *)a, *y = *(const exec_kernel *const *)b;
    int                order = strcmp(x->name, y->name);

    return order != 0 ? order : (int)x->type - (int)y->type;
}

static hs_status sort_by_name(exec_kernels *kernels)
{
    kernels->by_name = calloc(kernels->count + 1, sizeof *kernels->by_name);
    if (!kernels->by_name)
        return HS_ENOMEM;
    for (size_t i = 0; i < kernels->count; i++)
        kernels->by_name[i] = &kernels->of[i];
    qsort(kernels->by_name, kernels->count, sizeof *kernels->by_name, by_name_and_type);
    return HS_OK;
}

static hs_status group_both(const exec_job *job, exec_measured *m, sample *samples, double *work)
{
    size_t    count = collect_samples(job, m, samples);
    hs_status status = group_samples(&m->kernels, samples, count, work, by_kernel);

    if (status == HS_OK)
        status = sort_by_name(&m->kernels);
    if (status == HS_OK)
        status = group_samples(&m->sources, samples, count, work, by_kernel_and_source);
    return status;
}

hs_status exec_measure_kernels(const exec_job *job, exec_measured *m)
{
    size_t    room = m->attempt_count ? m->attempt_count : 1;
    sample   *samples = calloc(room, sizeof *samples);
    double   *work = calloc(room, sizeof *work);
    hs_status status = HS_ENOMEM;

    m->names = calloc(2 * hs_instance_rows(job->plan.in) + 1, sizeof *m->names);
    if (samples && work && m->names)
        status = find_keys(job, m);
    if (status == HS_OK)
        status = group_both(job, m, samples, work);
    free(samples);
    free(work);
    return status;
}

void exec_kernels_free(exec_kernels *kernels)
{
    free(kernels->of);
    free(kernels->errors);
    free(kernels->by_name);
    *kernels = (exec_kernels){0};
}

const exec_kernel *exec_kernel_find(const exec_measured *m, const char *name, hs_type type)
{
    const exec_kernel        key = {.name = name, .type = type}, *wanted = &key;
    const exec_kernel *const *found = bsearch(&wanted, m->kernels.by_name, m->kernels.count,
                                              sizeof *m->kernels.by_name, by_name_and_type);

    return found ? *found : NULL;
}
