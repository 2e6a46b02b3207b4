/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: what the records of a run say, in the plan's unit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"

static unsigned workers_of(const exec_measured *m)
{
    return m->cpus + m->gpus;
}

static hs_type type_of(const exec_measured *m, unsigned worker)
{
    return worker < m->cpus ? HS_CPU : HS_GPU;
}

static int by_task_and_number(const void *a, const void *b)
{
    const hs_exec_failure *x = a, *y = b;

    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* All failures, so that failure_of() finds them. */
static hs_status know_failures(const exec_job *job, exec_measured *m)
{
    hs_exec_failure one;
    size_t          count = 0;

    hs_exec_failure_init(&one);
    while (hs_exec_failure_at(job->exec, count, &one))
        count++;
    m->known = calloc(count ? count : 1, sizeof *m->known);
    if (!m->known)
        return HS_ENOMEM;
    for (; m->known_count < count; m->known_count++) {
        hs_exec_failure_init(&m->known[m->known_count]);
        hs_exec_failure_at(job->exec, m->known_count, &m->known[m->known_count]);
    }
    qsort(m->known, count, sizeof *m->known, by_task_and_number);
    return HS_OK;
}

/* The failure that an attempt was, NULL if it was none: one that is aborted because it
 * took too long has failed too. */
static const hs_exec_failure *failure_of(const exec_measured *m, const hs_exec_record *r)
{
    hs_exec_failure key = {.task = r->task, .number = r->number};

    if (r->outcome == HS_OUTCOME_DONE)
        return NULL;
    return bsearch(&key, m->known, m->known_count, sizeof *m->known, by_task_and_number);
}

static void count_record(exec_worker *worker, const exec_measured *m, const hs_exec_record *record,
                         double unit)
{
    double time = (record->end - record->start) / unit;

    if (record->outcome == HS_OUTCOME_DONE) {
        worker->tasks++;
        worker->busy += time;
        return;
    }
    worker->lost += time;
    if (failure_of(m, record))
        worker->failed++;
    else
        worker->aborted++;
}

static hs_status measure_workers(const exec_job *job, exec_measured *m)
{
    m->workers = calloc(workers_of(m), sizeof *m->workers);
    if (!m->workers)
        return HS_ENOMEM;
    for (unsigned w = 0; w < workers_of(m); w++) {
        size_t                count;
        const hs_exec_record *records = hs_exec_records(job->exec, w, &count);

        hs_worker_name(m->cpus, w, m->workers[w].name);
        for (size_t i = 0; i < count; i++) {
            count_record(&m->workers[w], m, &records[i], job->unit);
            m->achieved = fmax(m->achieved, records[i].end / job->unit);
        }
    }
    for (unsigned w = 0; w < workers_of(m); w++)
        m->workers[w].idle = fmax(0, m->achieved - m->workers[w].busy - m->workers[w].lost);
    return HS_OK;
}

/* Kernels whose argument is a time are one kernel: their estimates tell them apart. */
static size_t group_length(const char *kernel)
{
    if (strncmp(kernel, "spin:", 5) == 0 || strncmp(kernel, "sleep:", 6) == 0)
        return strcspn(kernel, ":");
    return strlen(kernel);
}

size_t exec_kernel_name(const exec_job *job, uint32_t task, hs_type type, const char **name)
{
    const char *backend = hs_exec_backend(job->exec, task, type);
    hs_task     row;

    hs_instance_row(job->plan.in, hs_instance_row_of(job->plan.in, task), &row);
    if (row.kernel && row.kernel[0]) {
        *name = row.kernel;
        return group_length(row.kernel);
    }
    *name = backend ? backend : "";
    return strlen(*name);
}

/* One task that was done. */
typedef struct sample {
    const char *name;
    size_t      length;
    hs_type     type;
    double      estimated, measured;
} sample;

static int compare_names(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);

    if (order != 0)
        return order;
    return a_length < b_length ? -1 : a_length > b_length;
}

static int by_kernel(const void *a, const void *b)
{
    const sample *x = a, *y = b;
    int           order = compare_names(x->name, x->length, y->name, y->length);

    return order != 0 ? order : (int)x->type - (int)y->type;
}

static size_t count_done(const exec_measured *m)
{
    size_t done = 0;

    for (unsigned w = 0; w < workers_of(m); w++)
        done += m->workers[w].tasks;
    return done;
}

static void collect_samples(const exec_job *job, const exec_measured *m, sample *samples)
{
    for (unsigned w = 0; w < workers_of(m); w++) {
        size_t                count;
        const hs_exec_record *records = hs_exec_records(job->exec, w, &count);

        for (size_t i = 0; i < count; i++) {
            const hs_exec_record *r = &records[i];

            if (r->outcome != HS_OUTCOME_DONE)
                continue;
            samples->type = type_of(m, w);
            samples->length = exec_kernel_name(job, r->task, samples->type, &samples->name);
            samples->estimated = hs_instance_time(job->plan.in, r->task, samples->type);
            samples->measured = (r->end - r->start) / job->unit;
            samples++;
        }
    }
}

/* The kernel of samples that are all of it. */
static exec_kernel summarise(const sample *samples, size_t count)
{
    exec_kernel k = {
        .name = samples->name, .length = samples->length, .type = samples->type, .count = count};
    double n = (double)count, squares = 0, error_squares = 0;

    for (size_t i = 0; i < count; i++) {
        k.estimated += samples[i].estimated / n;
        k.mean += samples[i].measured / n;
        k.error += samples[i].measured / samples[i].estimated / n;
    }
    for (size_t i = 0; i < count; i++) {
        double off = samples[i].measured - k.mean;
        double error_off = samples[i].measured / samples[i].estimated - k.error;

        squares += off * off;
        error_squares += error_off * error_off;
    }
    k.deviation = count > 1 ? sqrt(squares / (n - 1)) : 0;
    k.error_spread = count > 1 ? sqrt(error_squares / (n - 1)) : 0;
    return k;
}

static int by_total_time(const void *a, const void *b)
{
    const exec_kernel *x = a, *y = b;
    double             x_total = x->mean * (double)x->count, y_total = y->mean * (double)y->count;
    int                order;

    if (x_total != y_total)
        return x_total > y_total ? -1 : 1;
    order = compare_names(x->name, x->length, y->name, y->length);
    return order != 0 ? order : (int)x->type - (int)y->type;
}

static hs_status group_samples(exec_measured *m, sample *samples, size_t count)
{
    size_t kinds = 0, next;

    qsort(samples, count, sizeof *samples, by_kernel);
    for (size_t i = 0; i < count; i++)
        kinds += i == 0 || by_kernel(&samples[i - 1], &samples[i]) != 0;
    m->kernels = calloc(kinds ? kinds : 1, sizeof *m->kernels);
    if (!m->kernels)
        return HS_ENOMEM;
    for (size_t i = 0; i < count; i = next) {
        for (next = i + 1; next < count && by_kernel(&samples[i], &samples[next]) == 0;)
            next++;
        m->kernels[m->kernel_count++] = summarise(&samples[i], next - i);
    }
    qsort(m->kernels, m->kernel_count, sizeof *m->kernels, by_total_time);
    return HS_OK;
}

static hs_status measure_kernels(const exec_job *job, exec_measured *m)
{
    size_t    count = count_done(m);
    sample   *samples = calloc(count ? count : 1, sizeof *samples);
    hs_status status = HS_ENOMEM;

    if (samples) {
        collect_samples(job, m, samples);
        status = group_samples(m, samples, count);
    }
    free(samples);
    return status;
}

const exec_kernel *exec_kernel_find(const exec_measured *m, const char *name, size_t length,
                                    hs_type type)
{
    for (size_t i = 0; i < m->kernel_count; i++) {
        const exec_kernel *k = &m->kernels[i];

        if (k->type == type && compare_names(k->name, k->length, name, length) == 0)
            return k;
    }
    return NULL;
}

static void count_attempts(const exec_measured *m, size_t *attempts, size_t *failed)
{
    *attempts = *failed = 0;
    for (unsigned w = 0; w < workers_of(m); w++) {
        *failed += m->workers[w].failed;
        *attempts += m->workers[w].tasks + m->workers[w].aborted + m->workers[w].failed;
    }
}

static hs_status place_records(const exec_job *job, exec_measured *m, hs_placement *placements)
{
    size_t placed = 0;

    for (unsigned w = 0; w < workers_of(m); w++) {
        size_t                count;
        const hs_exec_record *records = hs_exec_records(job->exec, w, &count);

        for (size_t i = 0; i < count; i++) {
            const hs_exec_record  *r = &records[i];
            const hs_exec_failure *failure = failure_of(m, r);
            double                 end = r->end / job->unit;

            placements[placed++] =
                (hs_placement){.start = r->start / job->unit,
                               .end = end,
                               .task = r->task,
                               .worker = w,
                               .state = r->outcome == HS_OUTCOME_DONE ? HS_RUN : HS_ABORTED};
            if (failure)
                m->failures[m->failure_count++] = (hs_picture_failure){
                    .worker = w, .task = r->task, .end = end, .why = failure->why};
        }
    }
    return hs_schedule_build(m->cpus, m->gpus, placed, placements, &m->happened);
}

static hs_status measure_schedule(const exec_job *job, exec_measured *m)
{
    size_t        attempts, failed;
    hs_placement *placements;
    hs_status     status = HS_ENOMEM;

    count_attempts(m, &attempts, &failed);
    placements = calloc(attempts ? attempts : 1, sizeof *placements);
    m->failures = calloc(failed ? failed : 1, sizeof *m->failures);
    if (placements && m->failures)
        status = place_records(job, m, placements);
    free(placements);
    return status;
}

hs_status exec_measure(const exec_job *job, exec_measured *m)
{
    hs_status status;

    *m = (exec_measured){.predicted = hs_schedule_makespan(job->predicted),
                         .bound = NAN,
                         .cpus = hs_instance_cpus(job->plan.in),
                         .gpus = hs_instance_gpus(job->plan.in)};
    status = know_failures(job, m);
    if (status == HS_OK)
        status = measure_workers(job, m);
    if (status == HS_OK)
        status = measure_kernels(job, m);
    if (status == HS_OK)
        status = measure_schedule(job, m);
    if (status == HS_OK)
        status = exec_measured_bound(job, m, &m->bound);
    return status;
}

void exec_measured_free(exec_measured *m)
{
    hs_schedule_free(m->happened);
    free(m->workers);
    free(m->kernels);
    free(m->failures);
    free(m->known);
    *m = (exec_measured){.bound = NAN};
}
