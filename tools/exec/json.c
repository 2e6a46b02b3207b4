/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the report as JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "exec/exec.h"

static const char *const type_names[] = {"cpu", "gpu"};

static void put_number(FILE *out, const char *key, double value)
{
    fprintf(out, ",\n  \"%s\": ", key);
    json_number(out, value);
}

static void put_count(FILE *out, const char *key, uint64_t value)
{
    fprintf(out, ",\n  \"%s\": %llu", key, (unsigned long long)value);
}

/* A member of an object that stands on one line. */
static void put_inner(FILE *out, const char *key, double value)
{
    fprintf(out, ", \"%s\": ", key);
    json_number(out, value);
}

static void put_head(FILE *out, const exec_job *job)
{
    const hs_exec_report *r = &job->report;

    fputs("{\n  \"plan\": ", out);
    json_string(out, job->plan.path);
    fprintf(out, ",\n  \"policy\": \"%s\",\n  \"unit\": \"%s\"",
            hs_policy_name(job->request->settings.policy), exec_unit_name(job));
    put_number(out, "seconds_per_unit", job->unit);
    put_count(out, "cpus", hs_instance_cpus(job->plan.in));
    put_count(out, "gpus", hs_instance_gpus(job->plan.in));
    put_count(out, "tasks", r->tasks);
    put_count(out, "done", r->done);
    put_count(out, "resumed", r->resumed);
    put_count(out, "failed", r->failed);
    put_count(out, "unrecorded", r->unrecorded);
    put_count(out, "not_run", r->not_run);
    put_count(out, "aborted", r->aborted);
    put_count(out, "retried", r->retried);
    put_count(out, "lost_workers", r->lost_workers);
    fprintf(out, ",\n  \"stopped\": %s", r->stopped ? "true" : "false");
}

static void put_times(FILE *out, const exec_job *job, const exec_measured *m)
{
    put_number(out, "predicted_makespan", m->predicted);
    put_number(out, "achieved_makespan", m->achieved);
    put_number(out, "area_bound_measured", m->bound);
    put_number(out, "seconds", job->report.seconds);
    put_number(out, "overhead_us_per_task", 1e6 * job->report.overhead);
    put_number(out, "dispatch_us_per_task", 1e6 * job->report.dispatch);
}

static void put_workers(FILE *out, const exec_measured *m)
{
    fputs(",\n  \"workers\": [", out);
    for (unsigned w = 0; w < m->cpus + m->gpus; w++) {
        const exec_worker *worker = &m->workers[w];

        fprintf(out, "%s\n    {\"name\": \"%s\"", w ? "," : "", worker->name);
        put_inner(out, "busy", worker->busy);
        put_inner(out, "idle", worker->idle);
        put_inner(out, "lost", worker->lost);
        fprintf(out, ", \"tasks\": %llu, \"aborted\": %llu, \"failed\": %llu}",
                (unsigned long long)worker->tasks, (unsigned long long)worker->aborted,
                (unsigned long long)worker->failed);
    }
    fputs("\n  ]", out);
}

static hs_status put_kernels(FILE *out, const exec_measured *m)
{
    fputs(",\n  \"kernels\": [", out);
    for (size_t i = 0; i < m->kernel_count; i++) {
        const exec_kernel *k = &m->kernels[i];
        char              *name = strndup(k->name, k->length);

        if (!name)
            return HS_ENOMEM;
        fprintf(out, "%s\n    {\"name\": ", i ? "," : "");
        json_string(out, name);
        free(name);
        fprintf(out, ", \"type\": \"%s\", \"count\": %llu", type_names[k->type],
                (unsigned long long)k->count);
        put_inner(out, "estimated", k->estimated);
        fputs(", \"measured\": {\"mean\": ", out);
        json_number(out, k->mean);
        put_inner(out, "deviation", k->deviation);
        fputs("}, \"error\": {\"mean\": ", out);
        json_number(out, k->error);
        put_inner(out, "deviation", k->error_spread);
        fputs("}}", out);
    }
    fputs(m->kernel_count ? "\n  ]" : "]", out);
    return HS_OK;
}

static void put_failure(FILE *out, const exec_job *job, const hs_exec_failure *f)
{
    char task[HS_MAX_ID + 16], worker[16];

    hs_instance_name(job->plan.in, f->task, task, sizeof task);
    hs_worker_name(hs_instance_cpus(job->plan.in), f->worker, worker);
    fputs("\n    {\"task\": ", out);
    json_string(out, task);
    fprintf(out, ", \"worker\": \"%s\", \"attempt\": %u, \"final\": %s, \"why\": ", worker,
            (unsigned)f->number, f->final ? "true" : "false");
    json_string(out, f->why ? f->why : "");
    if (f->log && job->keeps_logs) {
        fputs(", \"log\": ", out);
        json_string(out, f->log);
    }
    putc('}', out);
}

static void put_failures(FILE *out, const exec_job *job)
{
    hs_exec_failure f;
    size_t          i = 0;

    hs_exec_failure_init(&f);
    fputs(",\n  \"failures\": [", out);
    for (; hs_exec_failure_at(job->exec, i, &f); i++) {
        if (i > 0)
            putc(',', out);
        put_failure(out, job, &f);
    }
    fputs(i ? "\n  ]\n}\n" : "]\n}\n", out);
}

hs_status exec_write_json(FILE *out, const exec_job *job, const exec_measured *m)
{
    hs_status status;

    put_head(out, job);
    put_times(out, job, m);
    put_workers(out, m);
    status = put_kernels(out, m);
    put_failures(out, job);
    if (status == HS_OK && (fflush(out) != 0 || ferror(out)))
        status = HS_EIO;
    return status;
}
