/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --measured: write the instance with the measured times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/notes.h"
#include "exec/similar_rows.h"
#include "exec/exec.h"

#define LEAST 1e-9 /* least time of a task in seconds, for tasks shorter than a tick of the clock */

bool exec_is_emulated(const exec_job *job, const exec_attempt *a)
{
    const char *backend = hs_exec_backend_name(job->exec, a->task, a->type);

    return backend && strcmp(backend, "emulated") == 0;
}

/*
 * Add the finished attempts to the rows' sums. Failed and aborted attempts do not show how long a
 * task takes.
 */
static void add_attempts(const exec_job *job, const exec_measured *m, row_times *rows)
{
    for (size_t i = 0; i < m->attempt_count; i++) {
        const exec_attempt *a = &m->attempts[i];
        row_times          *row = &rows[hs_instance_row_of(job->plan.in, a->task)];

        if (!a->done)
            continue;
        row->sum[a->type] += a->time;
        row->error[a->type] += fabs(a->time - hs_instance_time(job->plan.in, a->task, a->type));
        row->count[a->type]++;
        row->emulated[a->type] += exec_is_emulated(job, a);
    }
}

/*
 * Return the mean time of the row's attempts on a type, else of similar rows, else the estimate, or
 * HS_UNKNOWN if the estimate is a guess.
 */
static double time_of(const exec_job *job, const row_times *row, hs_type type, size_t task,
                      double estimate)
{
    bool is_guess = hs_cost_is_guess(hs_instance_source(job->plan.in, task, type));

    if (is_guess && row->emulated[type] > 0)
        return HS_UNKNOWN; /* the timer waited for the guess */
    if (row->count[type] > 0)
        return fmax(row->sum[type] / (double)row->count[type], LEAST / job->unit);
    if (row->alike[type] > 0 && isfinite(estimate))
        return fmax(row->alike[type], LEAST / job->unit);
    return is_guess ? HS_UNKNOWN : estimate;
}

static hs_status add_rows(const exec_job *job, const row_times *rows, hs_builder *b)
{
    const hs_instance *in = job->plan.in;
    hs_status          status = HS_OK;
    size_t             first = 0; /* first task of the row */

    for (size_t i = 0; status == HS_OK && i < hs_instance_rows(in); i++) {
        hs_task task;

        hs_task_init(&task);
        hs_instance_row(in, i, &task);
        task.cpu = time_of(job, &rows[i], HS_CPU, first, task.cpu);
        task.gpu = time_of(job, &rows[i], HS_GPU, first, task.gpu);
        task.guess = HS_GUESS_NONE;
        first += task.count;
        status = hs_builder_add_row(b, &task);
    }
    return status;
}

static hs_status build(const exec_job *job, const row_times *rows, hs_instance **out)
{
    const hs_instance *in = job->plan.in;
    hs_builder        *b = NULL;
    hs_status          status = hs_builder_create(&b);

    if (status == HS_OK)
        status = hs_builder_set_workers(b, exec_workers_in_file(job, HS_CPU),
                                        exec_workers_in_file(job, HS_GPU));
    if (status == HS_OK)
        status = hs_builder_set_unit(b, hs_instance_unit(in));
    if (status == HS_OK)
        status = notes_copy(in, b);
    if (status == HS_OK)
        status = add_rows(job, rows, b);
    if (status == HS_OK)
        status = hs_builder_copy_graph(b, in);
    if (status == HS_OK)
        status = hs_builder_finish(b, out, NULL);
    hs_builder_free(b);
    return status;
}

hs_status exec_measured_instance(const exec_job *job, const exec_measured *m, hs_instance **out)
{
    size_t     count = hs_instance_rows(job->plan.in);
    row_times *rows = calloc(count ? count : 1, sizeof *rows);
    hs_status  status = HS_ENOMEM;

    if (rows) {
        add_attempts(job, m, rows);
        status = rows_alike(job->plan.in, rows);
    }
    if (status == HS_OK)
        status = build(job, rows, out);
    free(rows);
    return status;
}

hs_status exec_write_measured(int fd, const exec_job *job, const exec_measured *m)
{
    hs_instance *in = NULL;
    hs_status    status = exec_measured_instance(job, m, &in);

    if (status == HS_OK)
        status = hs_instance_write(fd, in, NULL);
    hs_instance_free(in);
    return status;
}
