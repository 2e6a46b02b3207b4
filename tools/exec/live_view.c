/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --live: a view of the workers, drawn above the progress line. */
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/escape.h"
#include "common/message.h"
#include "common/progress.h"
#include "exec/exec.h"

enum { ROWS_MOST = 64, COLUMNS_MOST = 200, OTHER_ROWS = 4, WINDOW = 5 };

/* The number of finished tasks at a moment of the run. */
typedef struct mark {
    double   at; /* monotonic time in seconds */
    uint64_t done;
} mark;

static struct {
    const exec_job *job;
    /* the last two marks, WINDOW seconds apart: throughput counts from `before` */
    mark            last, before;
    size_t          failures;     /* number of failures seen so far */
} live;

/* The text of the view as it grows; each line is cut to the terminal's width. */
typedef struct view {
    char  *text;
    size_t used;
    int    lines, rows, columns;
} view;

static void add_line(view *v, const char *line)
{
    char shown[COLUMNS_MOST + 1];

    if (v->lines >= v->rows)
        return;
    hs_printable(line, shown, (size_t)v->columns + 1);
    v->used += (size_t)snprintf(v->text + v->used, PROGRESS_VIEW - v->used, "%s\n", shown);
    v->lines++;
}

/* Format a duration as "7.5 s", "1:07" or "1:02:03". */
static void format_span(char text[24], double seconds)
{
    if (seconds >= 60 && seconds < 1e9)
        clock_format(text, (unsigned long)seconds);
    else
        snprintf(text, 24, "%.1f s", seconds);
}

static hs_exec_activity activity_of(unsigned worker)
{
    hs_exec_activity now;

    hs_exec_activity_init(&now);
    hs_exec_describe_activity(live.job->exec, worker, &now);
    return now;
}

/* Return the finished tasks per second over the last WINDOW to 2 WINDOW seconds. */
static double throughput(uint64_t done)
{
    mark now = {clock_now(), done};

    if (now.at - live.last.at >= WINDOW) {
        live.before = live.last;
        live.last = now;
    }
    return now.at > live.before.at ? (double)(done - live.before.done) / (now.at - live.before.at)
                                   : 0;
}

static void add_head(view *v, unsigned workers, unsigned busy, uint64_t done)
{
    char line[HS_WHY];

    snprintf(line, sizeof line, "%u of %u worker%s busy, %.3g tasks/s, %s by %s", busy, workers,
             plural(workers), throughput(done), live.job->plan.path, live.job->request->policy);
    add_line(v, line);
}

/* Add the line of a worker, such as "cpu0 12 done 3.1 s of 5.0 s train", with ? for a guess. */
static void add_worker(view *v, unsigned worker, int name_width)
{
    const hs_instance *in = live.job->plan.in;
    hs_exec_activity   now = activity_of(worker);
    unsigned           cpus = hs_instance_cpus(in);
    char               line[HS_MAX_ID + 128], task[HS_MAX_ID + 16], name[16], span[24], whole[24];

    hs_worker_name(cpus, worker, name);
    if (now.running) {
        hs_type type = worker < cpus ? HS_CPU : HS_GPU;

        hs_instance_name(in, now.task, task, sizeof task);
        format_span(span, now.seconds);
        if (hs_cost_is_guess(hs_instance_source(in, now.task, type)))
            strcpy(whole, "?");
        else
            format_span(whole, hs_instance_time(in, now.task, type) * live.job->unit);
        snprintf(line, sizeof line, "  %-*s %7llu done  %8s of %-8s %s", name_width, name,
                 (unsigned long long)now.done, span, whole, task);
    } else {
        snprintf(line, sizeof line, "  %-*s %7llu done  %8s", name_width, name,
                 (unsigned long long)now.done, "idle");
    }
    add_line(v, line);
}

/* Insert a worker into `list`, the longest running first, of which `room` are kept. */
static void keep_longest(unsigned *list, double *seconds, int *count, int room, unsigned worker,
                         double since)
{
    int at = *count;

    while (at > 0 && seconds[at - 1] < since)
        at--;
    if (at >= room)
        return;
    if (*count < room)
        ++*count;
    memmove(list + at + 1, list + at, (size_t)(*count - 1 - at) * sizeof *list);
    memmove(seconds + at + 1, seconds + at, (size_t)(*count - 1 - at) * sizeof *seconds);
    list[at] = worker;
    seconds[at] = since;
}

/* Add a line for each worker; if the lines do not fit, only for the longest-running tasks. */
static void add_workers(view *v, unsigned workers)
{
    unsigned list[ROWS_MOST];
    double   seconds[ROWS_MOST];
    int      count = 0, room = v->rows - OTHER_ROWS;
    char     last[16], line[64];

    hs_worker_name(hs_instance_cpus(live.job->plan.in), workers - 1, last);
    if (room < 1)
        return;
    if (workers <= (unsigned)room) {
        for (unsigned w = 0; w < workers; w++)
            add_worker(v, w, (int)strlen(last) < 5 ? 5 : (int)strlen(last));
        return;
    }
    for (unsigned w = 0; w < workers; w++) {
        hs_exec_activity now = activity_of(w);

        keep_longest(list, seconds, &count, room, w, now.running ? now.seconds : -1);
    }
    for (int i = 0; i < count; i++)
        add_worker(v, list[i], 8);
    snprintf(line, sizeof line, "  and %u more, the longest running are shown",
             workers - (unsigned)count);
    add_line(v, line);
}

static void add_last_failure(view *v)
{
    hs_exec_failure f;
    char            line[HS_MAX_ID + HS_WHY + EXEC_WORKER + 64], task[HS_MAX_ID + 16],
        worker[EXEC_WORKER];

    hs_exec_failure_init(&f);
    while (hs_exec_failure_at(live.job->exec, live.failures, &f))
        live.failures++;
    if (live.failures == 0 || !hs_exec_failure_at(live.job->exec, live.failures - 1, &f))
        return;
    hs_instance_name(live.job->plan.in, f.task, task, sizeof task);
    exec_worker_label(live.job, f.worker, worker);
    snprintf(line, sizeof line, "last %s: %s on %s: %s", f.done ? "note" : "failure", task, worker,
             f.why);
    add_line(v, line);
}

void exec_live_begin(const exec_job *job)
{
    memset(&live, 0, sizeof live);
    live.job = job;
    live.last.at = live.before.at = clock_now();
}

int exec_live_view(char *text, int rows, int columns)
{
    const hs_instance *in = live.job->plan.in;
    unsigned           workers = hs_instance_cpus(in) + hs_instance_gpus(in), busy = 0;
    uint64_t           done = 0;
    view               v = {.text = text,
                            .rows = rows < ROWS_MOST ? rows : ROWS_MOST,
                            .columns = columns < COLUMNS_MOST ? columns : COLUMNS_MOST};

    for (unsigned w = 0; w < workers; w++) {
        hs_exec_activity now = activity_of(w);

        busy += (unsigned)now.running;
        done += now.done;
    }
    text[0] = '\0';
    add_head(&v, workers, busy, done);
    add_workers(&v, workers);
    add_last_failure(&v);
    return v.lines;
}
