/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: measurements from the records of a run, in the plan's unit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"

static int by_task_and_number(const void *a, const void *b)
{
    const hs_exec_failure *x = a, *y = b;

    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Collect all failures, sorted for failure_of(). */
static hs_status collect_failures(const exec_job *job, exec_measured *m)
{
    hs_exec_failure one;
    size_t          count = 0;

    hs_exec_failure_init(&one);
    while (exec_failure_at(job, count, &one))
        count++;
    m->known = calloc(count ? count : 1, sizeof *m->known);
    if (!m->known)
        return HS_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        hs_exec_failure *next = &m->known[m->known_count];

        hs_exec_failure_init(next);
        exec_failure_at(job, i, next);
        m->known_count += !next->done;
    }
    qsort(m->known, m->known_count, sizeof *m->known, by_task_and_number);
    return HS_OK;
}

/* Return the failure of an attempt, or NULL. An attempt aborted by a timeout has failed too. */
static const hs_exec_failure *failure_of(const exec_measured *m, const hs_exec_record *r)
{
    hs_exec_failure key = {.task = r->task, .number = r->number};

    if (r->outcome == HS_OUTCOME_DONE)
        return NULL;
    return bsearch(&key, m->known, m->known_count, sizeof *m->known, by_task_and_number);
}

static size_t count_records(const exec_job *job, const exec_measured *m)
{
    size_t all = 0, count;

    for (unsigned w = 0; w < m->cpus + m->gpus; w++) {
        exec_records(job, w, &count);
        all += count;
    }
    return all;
}

static hs_status collect_attempts(const exec_job *job, exec_measured *m)
{
    size_t room = count_records(job, m);

    m->attempts = calloc(room ? room : 1, sizeof *m->attempts);
    if (!m->attempts)
        return HS_ENOMEM;
    for (unsigned w = 0; w < m->cpus + m->gpus; w++) {
        size_t                count;
        const hs_exec_record *records = exec_records(job, w, &count);

        for (size_t i = 0; i < count; i++)
            m->attempts[m->attempt_count++] =
                (exec_attempt){.worker = w,
                               .type = w < m->cpus ? HS_CPU : HS_GPU,
                               .task = records[i].task,
                               .number = records[i].number,
                               .start = records[i].start / job->unit,
                               .end = records[i].end / job->unit,
                               .time = (records[i].end - records[i].start) / job->unit,
                               .done = records[i].outcome == HS_OUTCOME_DONE,
                               .failure = failure_of(m, &records[i])};
    }
    return HS_OK;
}

/* Return the name of the worker's node; NULL: there are no nodes. */
static const char *node_of(const exec_job *job, unsigned worker)
{
    hs_exec_worker_info info;

    hs_exec_worker_info_init(&info);
    hs_exec_describe_worker(job->exec, worker, &info);
    return info.node;
}

static hs_status measure_workers(const exec_job *job, exec_measured *m)
{
    unsigned workers = m->cpus + m->gpus;

    m->workers = calloc(workers, sizeof *m->workers);
    if (!m->workers)
        return HS_ENOMEM;
    for (size_t i = 0; i < m->attempt_count; i++) {
        const exec_attempt *a = &m->attempts[i];
        exec_worker        *worker = &m->workers[a->worker];

        if (a->done) {
            worker->tasks++;
            worker->busy += a->time;
        } else {
            worker->failed += a->failure != NULL;
            worker->aborted += a->failure == NULL;
            worker->lost += a->time;
        }
        m->achieved = fmax(m->achieved, a->end);
    }
    for (unsigned w = 0; w < workers; w++) {
        hs_worker_name(m->cpus, w, m->workers[w].name);
        m->workers[w].node = node_of(job, w);
        m->workers[w].idle = fmax(0, m->achieved - m->workers[w].busy - m->workers[w].lost);
    }
    return HS_OK;
}

const char *exec_outcome(const exec_attempt *attempt)
{
    return attempt->failure ? "failed" : attempt->done ? "done" : "aborted";
}

const char *exec_command(const exec_job *job, uint32_t task, hs_type type)
{
    const char *command;
    hs_task     row;

    hs_instance_row(job->plan.in, hs_instance_row_of(job->plan.in, task), &row);
    command = type == HS_CPU ? row.cpu_command : row.gpu_command;
    return command ? command : "";
}

/* Build the schedule of the run; failed attempts are aborted entries. */
static hs_status measure_schedule(exec_measured *m)
{
    size_t        room = m->attempt_count ? m->attempt_count : 1;
    hs_placement *placements = calloc(room, sizeof *placements);
    hs_status     status = HS_ENOMEM;

    m->failures = calloc(room, sizeof *m->failures);
    for (size_t i = 0; placements && m->failures && i < m->attempt_count; i++) {
        const exec_attempt *a = &m->attempts[i];

        placements[i] = (hs_placement){.start = a->start,
                                       .end = a->end,
                                       .task = a->task,
                                       .worker = a->worker,
                                       .state = a->done ? HS_RUN : HS_ABORTED};
        if (a->failure)
            m->failures[m->failure_count++] = (hs_picture_failure){
                .worker = a->worker, .task = a->task, .end = a->end, .why = a->failure->why};
    }
    if (placements && m->failures)
        status = hs_schedule_build(m->cpus, m->gpus, m->attempt_count, placements, &m->happened);
    free(placements);
    return status;
}

static hs_status measure_transfers(const exec_job *job, exec_measured *m)
{
    size_t             count;
    const hs_transfer *made = hs_schedule_transfers(job->predicted, &count);

    m->predicted_copies = transfer_totals_of(job->plan.in, made, count);
    made = hs_exec_transfers(job->exec, &count);
    m->copied = transfer_totals_of(job->plan.in, made, count);
    m->transfers = calloc(count ? count : 1, sizeof *m->transfers);
    if (!m->transfers)
        return HS_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        m->transfers[i] = made[i];
        m->transfers[i].start /= job->unit;
        m->transfers[i].end /= job->unit;
    }
    m->transfer_count = count;
    return HS_OK;
}

static hs_status measure_waits(const exec_job *job, exec_measured *m)
{
    size_t         count, all = 0;
    const hs_wait *waits;

    for (unsigned w = 0; w < m->cpus + m->gpus; w++, all += count)
        hs_exec_waits(job->exec, w, &count);
    m->waits = calloc(all ? all : 1, sizeof *m->waits);
    if (!m->waits)
        return HS_ENOMEM;
    for (unsigned w = 0; w < m->cpus + m->gpus; w++)
        for (waits = hs_exec_waits(job->exec, w, &count); count > 0; count--, waits++) {
            hs_wait *wait = &m->waits[m->wait_count];

            if (waits->victim == w) {
                m->workers[w].data += (waits->end - waits->start) / job->unit;
                continue;
            }
            *wait = *waits;
            wait->start /= job->unit;
            wait->end /= job->unit;
            m->workers[w].victims += wait->end - wait->start;
            m->wait_count++;
        }
    return HS_OK;
}

/*
 * Split the idle time of each worker. A worker that waits for a victim usually had no ready task; a
 * worker that waits for data has one.
 */
static hs_status measure_idleness(const exec_job *job, exec_measured *m)
{
    hs_idle  *idle = calloc(m->cpus + m->gpus, sizeof *idle);
    hs_status status = idle ? hs_schedule_compute_idle(job->plan.in, m->happened, idle) : HS_ENOMEM;

    for (unsigned w = 0; status == HS_OK && w < m->cpus + m->gpus; w++) {
        exec_worker *worker = &m->workers[w];
        double       all = idle[w].no_task + idle[w].other;

        worker->victims = fmin(all, worker->victims);
        worker->data = fmax(0, fmin(worker->data, all - worker->victims));
        all -= worker->victims + worker->data;
        worker->no_task = fmax(0, fmin(idle[w].no_task, all));
        worker->other = fmax(0, all - worker->no_task);
    }
    free(idle);
    return status;
}

hs_status exec_measure(const exec_job *job, exec_measured *m)
{
    hs_status status;

    *m = (exec_measured){.predicted = hs_schedule_makespan(job->predicted),
                         .bound = NAN,
                         .cpus = hs_instance_cpus(job->plan.in),
                         .gpus = hs_instance_gpus(job->plan.in)};
    status = collect_failures(job, m);
    if (status == HS_OK)
        status = collect_attempts(job, m);
    if (status == HS_OK)
        status = measure_workers(job, m);
    if (status == HS_OK)
        status = exec_measure_kernels(job, m);
    if (status == HS_OK)
        status = measure_schedule(m);
    if (status == HS_OK)
        status = measure_waits(job, m);
    if (status == HS_OK)
        status = measure_idleness(job, m);
    if (status == HS_OK)
        status = measure_transfers(job, m);
    if (status == HS_OK)
        status = exec_measured_bound(job, m, &m->bound);
    if (status == HS_OK)
        status = exec_measure_known(job, m);
    return status;
}

void exec_measured_free(exec_measured *m)
{
    hs_schedule_free(m->happened);
    free(m->attempts);
    free(m->workers);
    exec_kernels_free(&m->kernels);
    exec_kernels_free(&m->sources);
    free(m->names);
    free(m->keys);
    free(m->failures);
    free(m->transfers);
    free(m->waits);
    free(m->known);
    *m = (exec_measured){.bound = NAN};
}

exec_total exec_total_of(const exec_measured *m, hs_type type)
{
    unsigned   from = type == HS_CPU ? 0 : m->cpus;
    exec_total t = {.workers = type == HS_CPU ? m->cpus : m->gpus};
    double     all = m->achieved * t.workers;

    if (!(all > 0))
        all = 1;
    for (unsigned w = from; w < from + t.workers; w++) {
        const exec_worker *worker = &m->workers[w];

        t.tasks += worker->tasks;
        t.busy += worker->busy / all;
        t.lost += worker->lost / all;
        t.no_task += worker->no_task / all;
        t.victims += worker->victims / all;
        t.data += worker->data / all;
        t.other += worker->other / all;
    }
    t.idle = fmax(0, m->achieved * t.workers / all - t.busy - t.lost);
    return t;
}

bool exec_blocked_next(const exec_job *job, uint32_t *next, uint32_t *failed)
{
    if (job->report.blocked == 0)
        return false;
    while (*next < hs_instance_tasks(job->plan.in))
        if (hs_exec_is_blocked(job->exec, (*next)++, failed))
            return true;
    return false;
}
