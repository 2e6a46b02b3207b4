/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the report as JSON. */
#include <inttypes.h>
#include <math.h>
#include <sys/utsname.h>
#include <time.h>

#include <hybridsched/version.h>

#include "common/granted_core_share.h"
#include "common/escape.h"
#include "exec/ranks.h"

/* largest number of attempts in a report; longer lists are omitted */
enum { ATTEMPTS_MOST = 100000 };

/* Hash a name: FNV-1a, then mixed, because the hashes are added up. */
static uint64_t hash_name(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

void exec_digest_names(const hs_instance *in, char text[EXEC_NAMES])
{
    char     name[HS_MAX_ID + 16];
    uint64_t sum = 0;

    for (size_t i = 0; i < hs_instance_tasks(in); i++) {
        hs_instance_name(in, (uint32_t)i, name, sizeof name);
        sum += hash_name(name);
    }
    snprintf(text, EXEC_NAMES, "%016" PRIx64, sum);
}

static void put_head(FILE *out, const exec_job *job, const exec_measured *m)
{
    const hs_exec_report *r = &job->report;
    char                  names[EXEC_NAMES];

    exec_digest_names(job->plan.in, names);
    json_format(out, "{\n  \"plan\": %s,\n  \"policy\": %s,\n  \"unit\": %s", job->plan.path,
                job->request->policy, exec_unit_name(job));
    json_format(out, ",\n  \"seconds_per_unit\": %g,\n  \"cpus\": %u,\n  \"gpus\": %u", job->unit,
                m->cpus, m->gpus);
    json_format(out, ",\n  \"tasks\": %zu,\n  \"done\": %zu,\n  \"resumed\": %zu", (size_t)r->tasks,
                (size_t)r->done, (size_t)r->resumed);
    if (job->request->share.index > 0)
        json_format(out, ",\n  \"share\": %u,\n  \"shares\": %u", job->request->share.index,
                    job->request->share.count);
    json_format(out, ",\n  \"task_names\": %s", names);
    json_format(out, ",\n  \"left_out\": %zu", (size_t)r->left_out);
    json_format(out, ",\n  \"failed\": %zu,\n  \"unrecorded\": %zu,\n  \"not_run\": %zu",
                (size_t)r->failed, (size_t)r->unrecorded, (size_t)r->not_run);
    json_format(out, ",\n  \"blocked\": %zu", (size_t)r->blocked);
    json_format(out, ",\n  \"aborted\": %zu,\n  \"retried\": %zu,\n  \"lost_workers\": %u",
                (size_t)r->aborted, (size_t)r->retried, r->lost_workers);
    json_format(out, ",\n  \"checkable\": %zu,\n  \"checked\": %zu", (size_t)r->verifiable,
                (size_t)r->verified);
    fprintf(out, ",\n  \"stopped\": %s", r->stopped ? "true" : "false");
    json_format(out,
                ",\n  \"predicted_makespan\": %g,\n  \"achieved_makespan\": %g,\n"
                "  \"area_bound_measured\": %g,\n  \"seconds\": %g",
                job->guesses > 0 || job->request->settings.run.mpi ? NAN : m->predicted,
                job->request->settings.run.mpi ? r->seconds / job->unit : m->achieved, m->bound,
                r->seconds);
    if (job->has_unknown)
        json_format(out, ",\n  \"makespan_with_known_times\": %g,\n  \"still_guessed\": %zu",
                    m->known_makespan, m->known_guesses);
    json_format(out, ",\n  \"overhead_us_per_task\": %g,\n  \"dispatch_us_per_task\": %g",
                1e6 * r->overhead, 1e6 * r->dispatch);
    json_format(out, ",\n  \"core_seconds\": %g,\n  \"core_wait_seconds\": %g", r->core_seconds,
                r->core_wait);
    json_format(out, ",\n  \"core_share\": %g", granted_core_share(r));
    fprintf(out, ",\n  \"machine_was_busy\": %s", core_share_is_low(r, NULL) ? "true" : "false");
    if (r->gpu_joules > 0)
        json_format(out, ",\n  \"gpu_joules\": %g", r->gpu_joules);
    if (r->gpu_clock > 0)
        json_format(out, ",\n  \"gpu_clock_mhz\": %u,\n  \"gpu_clock_most_mhz\": %u", r->gpu_clock,
                    r->gpu_clock_max);
}

/* Write the factorisation, if kernels worked on one matrix. */
static void put_factorisation(FILE *out, const exec_job *job)
{
    const double          seconds = job->report.seconds;
    hs_exec_factorisation f;

    hs_exec_factorisation_init(&f);
    if (!hs_exec_describe_factorisation(job->exec, &f))
        return;
    json_format(out,
                ",\n  \"factorisation\": {\"name\": %s, \"order\": %zu, \"tile\": %zu, "
                "\"precision\": %s, \"seed\": %zu, \"operations\": %g",
                f.name, f.order, f.tile, f.single_precision ? "single" : "double", (size_t)f.seed,
                f.operations);
    if (f.input_given)
        json_format(out, ", \"input\": %s", job->request->input);
    if (job->report.done == job->report.tasks && seconds > 0)
        json_format(out, ", \"gflops\": %g", 1e-9 * f.operations / seconds);
    if (f.verified) {
        fprintf(out, ", \"verified\": %s", f.wrong ? "false" : "true");
        json_format(out,
                    ", \"relative_residual\": %g, \"largest_residual\": %g, "
                    "\"orthogonality\": %g",
                    f.relative_residual, f.largest_residual, f.orthogonality);
    }
    putc('}', out);
}

static void put_copies(FILE *out, const char *name, const transfer_totals *c)
{
    if (!transfer_totals_exist(c))
        return;
    json_format(out, ",\n  %s: ", name);
    json_format(out,
                "{\"to_gpus\": %zu, \"to_gpus_bytes\": %g, \"to_host\": %zu, "
                "\"to_host_bytes\": %g}",
                c->count[HS_GPU], c->bytes[HS_GPU], c->count[HS_CPU], c->bytes[HS_CPU]);
}

/* Write the date, e.g. "2026-11-22T10:25:11+0000", the host and the command line. */
static void put_origin(FILE *out, const exec_job *job)
{
    char           date[64] = "";
    struct tm      local;
    struct utsname host = {.nodename = ""};

    uname(&host);
    if (localtime_r(&job->began, &local))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S%z", &local);
    json_format(out, ",\n  \"started\": %s,\n  \"host\": %s,\n  \"version\": %s", date,
                host.nodename, hs_library_version_string());
    fputs(",\n  \"command\": [", out);
    for (char **word = job->request->command; *word; word++)
        json_format(out, word == job->request->command ? "%s" : ", %s", *word);
    putc(']', out);
}

static void put_workers(FILE *out, const exec_measured *m)
{
    fputs(",\n  \"workers\": [", out);
    for (unsigned w = 0; w < m->cpus + m->gpus; w++) {
        const exec_worker *worker = &m->workers[w];

        fputs(w ? ",\n" : "\n", out);
        json_format(out,
                    "    {\"name\": %s, \"busy\": %g, \"idle\": %g, \"lost\": %g, \"tasks\": %zu, "
                    "\"aborted\": %zu, \"failed\": %zu, \"idle_without_task\": %g, "
                    "\"idle_for_victims\": %g, \"idle_for_data\": %g, \"idle_otherwise\": %g",
                    worker->name, worker->busy, worker->idle, worker->lost, worker->tasks,
                    worker->aborted, worker->failed, worker->no_task, worker->victims, worker->data,
                    worker->other);
        if (worker->node)
            json_format(out, ", \"node\": %s", worker->node);
        putc('}', out);
    }
    fputs("\n  ]", out);
}

static void put_kernels(FILE *out, const exec_kernels *kernels, const char *name, bool by_source)
{
    fprintf(out, ",\n  \"%s\": [", name);
    for (size_t i = 0; i < kernels->count; i++) {
        const exec_kernel *k = &kernels->of[i];

        fputs(i ? ",\n" : "\n", out);
        json_format(out, "    {\"name\": %s, \"type\": %s, ", k->name,
                    k->type == HS_CPU ? "cpu" : "gpu");
        if (by_source)
            json_format(out, "\"source\": %s, ", hs_cost_source_name(k->source));
        json_format(out,
                    "\"count\": %zu, \"estimates\": %zu, \"estimated\": %g, "
                    "\"measured\": {\"mean\": %g, \"deviation\": %g}, "
                    "\"error\": {\"mean\": %g, \"deviation\": %g}}",
                    k->count, k->estimates, k->estimated, k->mean, k->deviation, k->error,
                    k->error_spread);
    }
    fputs(kernels->count ? "\n  ]" : "]", out);
}

static void put_failure(FILE *out, const exec_job *job, const hs_exec_failure *f)
{
    char task[HS_MAX_ID + 16], worker[16], path[EXEC_PATH];

    hs_instance_name(job->plan.in, f->task, task, sizeof task);
    hs_worker_name(hs_instance_cpus(job->plan.in), f->worker, worker);
    json_format(out, "\n    {\"task\": %s, \"worker\": %s, \"attempt\": %u", task, worker,
                (unsigned)f->number);
    fprintf(out, ", \"final\": %s", f->final ? "true" : "false");
    json_format(out, ", \"why\": %s", f->why ? f->why : "");
    for (int error = 0; f->log && job->keeps_logs && error < 2; error++)
        if (hs_exec_log_path(job->exec, f->task, f->number, error, path, sizeof path) > 0)
            json_format(out, error ? ", \"errors\": %s" : ", \"log\": %s", path);
    putc('}', out);
}

/* Write the attempts, ordered by worker, then time. */
static void put_attempts(FILE *out, const exec_job *job, const exec_measured *m)
{
    char task[HS_MAX_ID + 16];

    if (m->attempt_count > ATTEMPTS_MOST)
        return;
    fputs(",\n  \"attempts\": [", out);
    for (size_t i = 0; i < m->attempt_count; i++) {
        const exec_attempt *a = &m->attempts[i];
        hs_cost_source      source = hs_instance_source(job->plan.in, a->task, a->type);

        hs_instance_name(job->plan.in, a->task, task, sizeof task);
        fputs(i ? ",\n" : "\n", out);
        json_format(out,
                    "    {\"task\": %s, \"worker\": %s, \"attempt\": %u, \"outcome\": %s, "
                    "\"start\": %g, \"end\": %g, \"estimated\": %g, \"source\": %s}",
                    task, m->workers[a->worker].name, (unsigned)a->number, exec_outcome(a),
                    a->start, a->end,
                    hs_cost_is_guess(source) ? NAN
                                             : hs_instance_time(job->plan.in, a->task, a->type),
                    hs_cost_source_name(source));
    }
    fputs(m->attempt_count ? "\n  ]" : "]", out);
}

static void put_blocked(FILE *out, const exec_job *job)
{
    char     name[HS_MAX_ID + 16];
    uint32_t next = 0, failed;
    int      any = 0;

    json_format(out, ",\n  \"blocked_tasks\": [");
    while (exec_blocked_next(job, &next, &failed)) {
        hs_instance_name(job->plan.in, next - 1, name, sizeof name);
        json_format(out, any++ ? ",\n    {\"task\": %s" : "\n    {\"task\": %s", name);
        hs_instance_name(job->plan.in, failed, name, sizeof name);
        json_format(out, ", \"failed\": %s}", name);
    }
    fputs(any ? "\n  ]" : "]", out);
}

void exec_write_json(FILE *out, const exec_job *job, const exec_measured *m)
{
    hs_exec_failure f;
    size_t          i, put = 0;

    put_head(out, job, m);
    put_factorisation(out, job);
    put_copies(out, "transfers", &m->copied);
    put_copies(out, "predicted_transfers", &m->predicted_copies);
    put_origin(out, job);
    put_workers(out, m);
    exec_ranks_json(out, job);
    put_kernels(out, &m->kernels, "kernels", false);
    put_kernels(out, &m->sources, "sources", true);
    put_attempts(out, job, m);
    put_blocked(out, job);
    hs_exec_failure_init(&f);
    fputs(",\n  \"failures\": [", out);
    for (i = 0; exec_failure_at(job, i, &f); i++) {
        if (f.done)
            continue;
        if (put++ > 0)
            putc(',', out);
        put_failure(out, job, &f);
    }
    fputs(put ? "\n  ]\n}\n" : "]\n}\n", out);
}
