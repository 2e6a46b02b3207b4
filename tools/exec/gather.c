/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --gather: read the journals of all shares, and report the results as one run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/checked_memory.h"
#include "common/message.h"
#include "exec/gather.h"

typedef gathered_entry entry;

/* Add an attempt. Leave out tasks that the file lacks, and times of commands that have changed
 * since: they say nothing about the tasks of the file. */
static void add_attempt(void *data, const hs_journal_attempt *attempt)
{
    exec_gathered *g = data;

    if (attempt->task == HS_NONE) {
        g->strange[attempt->journal]++;
        return;
    }
    if (attempt->done && !attempt->unchanged)
        return;
    if (g->count == g->room) {
        size_t room = g->room ? 2 * g->room : 64;
        entry *more = checked_calloc(room, sizeof *more);

        if (g->count > 0)
            memcpy(more, g->entries, g->count * sizeof *more);
        free(g->entries);
        g->entries = more;
        g->room = room;
    }
    g->entries[g->count].attempt = *attempt;
    snprintf(g->entries[g->count].why, sizeof g->entries->why, "%s", attempt->why);
    g->count++;
}

/*
 * Set the number of shares: of --share=all/N, of the nodes of a plan, or of the names of the journals
 * if they agree.
 */
static void count_shares(exec_gathered *g, const plan *p, const exec_request *request)
{
    unsigned   count = 0;
    exec_share share;

    for (size_t i = 0; i < g->list->count; i++)
        if (exec_share_of_journal(g->journal, g->list->path[i], &share)) {
            g->mixed |= count > 0 && count != share.count;
            count = share.count;
        }
    g->shares = request->share.count;
    if (g->shares == 0 && p->s && hs_instance_nodes(p->in) > 1)
        g->shares = (unsigned)hs_instance_nodes(p->in);
    if (g->shares == 0 && !g->mixed)
        g->shares = count;
}

static int count_journals(exec_gathered *g)
{
    for (size_t i = 0; i < g->list->count; i++)
        g->journals += access(g->list->path[i], F_OK) == 0;
    if (g->journals > 0)
        return EXIT_OK;
    message("there is no journal '%s' or '%s.IofN': give the --journal of the runs", g->journal,
            g->journal);
    return EXIT_USAGE;
}

/* Find the share of each task. A file without such shares is refused only if the user has given the
 * number of shares: results of its tasks may come from other shares. */
static int find_owners(exec_gathered *g, const plan *p, const exec_request *request)
{
    bool given = request->share.count > 0;
    int  code = g->shares > 0 ? exec_share_owners(p, g->shares, !given, &g->owner) : EXIT_OK;

    return given ? code : EXIT_OK;
}

static int by_lane(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    double       s = x->attempt.began + x->attempt.start, t = y->attempt.began + y->attempt.start;

    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return s < t ? -1 : s > t;
}

/* Give the workers of each journal lanes of their own: first the CPUs of all journals, then the GPUs.
 * Set the numbers of both. */
static void assign_lanes(exec_gathered *g, unsigned number[2])
{
    unsigned(*most)[2] = checked_calloc(g->list->count, sizeof *most);
    unsigned(*first)[2] = checked_calloc(g->list->count, sizeof *first);

    for (size_t i = 0; i < g->count; i++) {
        const hs_journal_attempt *a = &g->entries[i].attempt;

        if (a->worker >= most[a->journal][a->type])
            most[a->journal][a->type] = a->worker + 1;
    }
    for (int type = HS_CPU; type <= HS_GPU; type++)
        for (size_t j = 0; j < g->list->count; j++) {
            first[j][type] = number[type];
            number[type] += most[j][type];
        }
    for (size_t i = 0; i < g->count; i++) {
        const hs_journal_attempt *a = &g->entries[i].attempt;

        g->entries[i].lane =
            first[a->journal][a->type] + a->worker + (a->type == HS_GPU ? number[HS_CPU] : 0);
    }
    free(most);
    free(first);
    if (g->count > 0)
        qsort(g->entries, g->count, sizeof *g->entries, by_lane);
}

/* Make the records and failures, in seconds from the start of the first run, which is returned. */
static double make_records(exec_gathered *g, size_t tasks)
{
    double    first = HUGE_VAL;
    uint32_t *last = checked_calloc(tasks, sizeof *last); /* number of each task's last attempt */

    g->records = checked_calloc(g->count, sizeof *g->records);
    g->failures = checked_calloc(g->count, sizeof *g->failures);
    for (size_t i = 0; i < g->count; i++) {
        const hs_journal_attempt *a = &g->entries[i].attempt;

        first = fmin(first, a->began);
        last[a->task] = a->number > last[a->task] ? a->number : last[a->task];
    }
    for (size_t i = 0; i < g->count; i++) {
        const hs_journal_attempt *a = &g->entries[i].attempt;
        double                    from = a->began - first;

        g->records[i] = (hs_exec_record){.start = from + a->start,
                                         .end = from + a->end,
                                         .task = a->task,
                                         .number = (uint16_t)a->number,
                                         .outcome = a->done ? HS_OUTCOME_DONE : HS_OUTCOME_FAILED};
        if (!a->done)
            g->failures[g->failure_count++] = (hs_exec_failure){
                .struct_size = sizeof(hs_exec_failure),
                .task = a->task,
                .number = a->number,
                .worker = g->entries[i].lane,
                .final = g->state[a->task] == HS_JOURNAL_FAILED && a->number == last[a->task],
                .why = g->entries[i].why};
    }
    free(last);
    return g->count > 0 ? first : 0;
}

/* Put the tasks on the workers of the journals, without a plan. */
static int replace_workers(exec_job *job, unsigned number[2])
{
    plan        *p = &job->plan;
    hs_instance *in = NULL;
    hs_status    status;

    if (number[HS_CPU] == 0 && hs_instance_cpus(p->in) > 0)
        number[HS_CPU] = 1;
    if (number[HS_GPU] == 0 && hs_instance_gpus(p->in) > 0)
        number[HS_GPU] = 1;
    status = hs_instance_with_workers(p->in, number[HS_CPU], number[HS_GPU], &in);
    if (status == HS_OK)
        status = hs_schedule_build(number[HS_CPU], number[HS_GPU], 0, NULL, &job->predicted);
    if (status != HS_OK) {
        hs_instance_free(in);
        return message_status(status, p->path);
    }
    job->gathered->workers[HS_CPU] = hs_instance_cpus(p->in);
    job->gathered->workers[HS_GPU] = hs_instance_gpus(p->in);
    hs_instance_free(p->in);
    p->in = in;
    return EXIT_OK;
}

static void add_missing(exec_gathered *g, uint64_t count, const char *reason)
{
    size_t used = strlen(g->missing);

    if (count > 0)
        snprintf(g->missing + used, sizeof g->missing - used, "%s%llu %s", used > 0 ? ", " : "",
                 (unsigned long long)count, reason);
}

static void set_report(exec_job *job, exec_gathered *g)
{
    hs_exec_report *r = &job->report;
    uint64_t        changed = 0;

    hs_exec_report_init(r);
    r->core_wait = NAN;
    r->tasks = hs_instance_tasks(job->plan.in);
    for (size_t i = 0; i < r->tasks; i++) {
        r->done += g->state[i] == HS_JOURNAL_DONE;
        r->failed += g->state[i] == HS_JOURNAL_FAILED;
        changed += g->state[i] == HS_JOURNAL_CHANGED;
    }
    r->not_run = r->tasks - r->done - r->failed;
    for (size_t i = 0; i < g->count; i++) {
        r->busy += g->records[i].end - g->records[i].start;
        r->seconds = fmax(r->seconds, g->records[i].end);
    }
    job->status = r->done == r->tasks ? HS_OK : HS_EFAILED;
    add_missing(g, r->failed, "failed");
    add_missing(g, changed, "changed since");
    add_missing(g, r->not_run - changed, "not on record");
    snprintf(job->error.why, sizeof job->error.why, "%llu of %llu tasks not done: %s",
             (unsigned long long)(r->tasks - r->done), (unsigned long long)r->tasks, g->missing);
}

int exec_gather(exec_job *job, exec_request *request, const char *journal,
                const exec_journal_list *list)
{
    exec_gathered *g = job->gathered = checked_calloc(1, sizeof *g);
    plan          *p = &job->plan;
    const int     *emulate = request->settings.run.emulate;
    unsigned       number[2] = {0, 0};
    hs_error       error = {0};
    hs_status      status;
    int            code;

    g->journal = journal;
    g->list = list;
    code = count_journals(g);
    count_shares(g, p, request);
    if (!code)
        code = find_owners(g, p, request);
    if (code)
        return code;
    g->strange = checked_calloc(list->count, sizeof *g->strange);
    g->state = checked_calloc(hs_instance_tasks(p->in), sizeof *g->state);
    status = hs_journal_read(p->in, (const char *const *)list->path, g->list->count,
                             emulate[HS_CPU] || emulate[HS_GPU], g->state, add_attempt, g, &error);
    if (status != HS_OK) {
        message("%s: %s", p->path, error.why[0] ? error.why : hs_status_text(status));
        return exit_code(status);
    }
    assign_lanes(g, number);
    job->began = (time_t)make_records(g, hs_instance_tasks(p->in));
    job->unit = hs_unit_seconds(hs_instance_unit(p->in)) *
                (request->settings.run.time_scale > 0 ? request->settings.run.time_scale : 1);
    request->policy = "shares";
    code = replace_workers(job, number);
    if (!code)
        set_report(job, g);
    return code;
}

unsigned exec_workers_in_file(const exec_job *job, hs_type type)
{
    if (job->gathered)
        return job->gathered->workers[type];
    return type == HS_CPU ? hs_instance_cpus(job->plan.in) : hs_instance_gpus(job->plan.in);
}

const hs_exec_record *exec_records(const exec_job *job, unsigned worker, size_t *count)
{
    const exec_gathered *g = job->gathered;
    size_t               from = 0, to;

    if (!g)
        return hs_exec_records(job->exec, worker, count);
    for (size_t end = g->count; from < end;) { /* find the first entry of the lane */
        size_t middle = from + (end - from) / 2;

        if (g->entries[middle].lane < worker)
            from = middle + 1;
        else
            end = middle;
    }
    for (to = from; to < g->count && g->entries[to].lane == worker; to++)
        continue;
    *count = to - from;
    return g->records + from;
}

int exec_failure_at(const exec_job *job, size_t index, hs_exec_failure *out)
{
    if (!job->gathered)
        return hs_exec_failure_at(job->exec, index, out);
    if (index >= job->gathered->failure_count)
        return 0;
    *out = job->gathered->failures[index];
    return 1;
}

void exec_gathered_free(exec_gathered *g)
{
    if (!g)
        return;
    free(g->owner);
    free(g->state);
    free(g->strange);
    free(g->entries);
    free(g->records);
    free(g->failures);
    free(g);
}
