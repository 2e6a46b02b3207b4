/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --measured: the instance again, with the times that were measured. */
#include <math.h>
#include <stdlib.h>

#include "exec/exec.h"

#define LEAST 1e-9 /* seconds: what takes less than the clock can tell still takes time */

typedef struct row_times {
    double sum[2]; /* by hs_type, of attempts that were done */
    size_t count[2];
} row_times;

static void add_attempts(const exec_job *job, const exec_measured *m, row_times *rows)
{
    for (size_t i = 0; i < m->attempt_count; i++) {
        const exec_attempt *a = &m->attempts[i];
        row_times          *row = &rows[hs_instance_row_of(job->plan.in, a->task)];

        if (!a->done)
            continue;
        row->sum[a->type] += a->time;
        row->count[a->type]++;
    }
}

static double mean_or(const exec_job *job, const row_times *row, hs_type type, double estimate)
{
    if (row->count[type] == 0)
        return estimate;
    return fmax(row->sum[type] / (double)row->count[type], LEAST / job->unit);
}

static hs_status add_notes(const hs_instance *in, hs_builder *b)
{
    const char *key, *value;
    hs_status   status = HS_OK;

    for (size_t i = 0; status == HS_OK && (key = hs_instance_note(in, i, &value)); i++)
        status = hs_builder_note(b, key, value);
    return status;
}

/* A row's time is the mean of its tasks'; where none ended on a type, it is the estimate still. */
static hs_status add_rows(const exec_job *job, const row_times *rows, hs_builder *b)
{
    const hs_instance *in = job->plan.in;
    hs_status          status = HS_OK;

    for (size_t i = 0; status == HS_OK && i < hs_instance_rows(in); i++) {
        hs_task task;

        hs_task_init(&task);
        hs_instance_row(in, i, &task);
        task.cpu = mean_or(job, &rows[i], HS_CPU, task.cpu);
        task.gpu = mean_or(job, &rows[i], HS_GPU, task.gpu);
        status = hs_builder_add(b, &task);
    }
    return status;
}

static hs_status build(const exec_job *job, const row_times *rows, hs_instance **out)
{
    const hs_instance *in = job->plan.in;
    hs_builder        *b = NULL;
    hs_status          status = hs_builder_create(&b);

    if (status == HS_OK)
        status = hs_builder_workers(b, hs_instance_cpus(in), hs_instance_gpus(in));
    if (status == HS_OK)
        status = hs_builder_unit(b, hs_instance_unit(in));
    if (status == HS_OK)
        status = add_notes(in, b);
    if (status == HS_OK)
        status = add_rows(job, rows, b);
    if (status == HS_OK)
        status = hs_builder_graph(b, in);
    if (status == HS_OK)
        status = hs_builder_finish(b, out, NULL);
    hs_builder_free(b);
    return status;
}

hs_status exec_write_measured(int fd, const exec_job *job, const exec_measured *m)
{
    size_t       count = hs_instance_rows(job->plan.in);
    row_times   *rows = calloc(count ? count : 1, sizeof *rows);
    hs_instance *in = NULL;
    hs_status    status = HS_ENOMEM;

    if (rows) {
        add_attempts(job, m, rows);
        status = build(job, rows, &in);
    }
    if (status == HS_OK)
        status = hs_instance_write(fd, in);
    hs_instance_free(in);
    free(rows);
    return status;
}
