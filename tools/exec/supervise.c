/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the run, its progress line, and signals during the run. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <time.h>

#include "common/progress.h"
#include "exec/exec.h"

/*
 * Signals during the run. The first SIGINT, SIGTERM or SIGHUP lets running tasks finish, the second
 * aborts them, and the third ends the program even if it hangs: in a plugin that never polls, in a
 * library that retries forever, or on a stalled terminal. SIGPIPE must not end the program while
 * commands run. Its handler does nothing; commands do not inherit a handler, unlike an ignored
 * signal.
 */
static hs_exec *volatile running;
/* whether the run has ended and only messages are left to print */
static volatile sig_atomic_t over;
static volatile sig_atomic_t received;
static volatile sig_atomic_t received_count;

enum { STOPS = 3 };
static const int stops[STOPS] = {SIGINT, SIGTERM, SIGHUP};

static void on_pipe(int number)
{
    (void)number;
}

typedef struct handlers {
    struct sigaction stop[STOPS], pipe;
} handlers;

static handlers before;

/* Install a handler, except for a signal that the caller ignored. */
static void replace(int number, void (*handler)(int), struct sigaction *old)
{
    struct sigaction action;

    sigaction(number, NULL, old);
    if (old->sa_handler == SIG_IGN)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void handlers_restore(const handlers *old)
{
    for (int i = 0; i < STOPS; i++)
        sigaction(stops[i], &old->stop[i], NULL);
    sigaction(SIGPIPE, &old->pipe, NULL);
    running = NULL;
}

static void on_stop(int number)
{
    int error = errno;

    if (!running)
        return;
    /* end the program: commands have got the signal already */
    if (received_count >= (over ? 1 : 2)) {
        handlers_restore(&before);
        raise(number);
        return;
    }
    received = number;
    hs_exec_stop(running, received_count++ ? HS_STOP_NOW : HS_STOP_DRAIN);
    exec_messages_stop();
    errno = error;
}

static void handlers_set(handlers *old, hs_exec *exec)
{
    running = exec;
    for (int i = 0; i < STOPS; i++)
        replace(stops[i], on_stop, &old->stop[i]);
    replace(SIGPIPE, on_pipe, &old->pipe);
}

enum { STATUS_SECONDS = 60 }; /* seconds between status messages if standard error is no terminal */

static volatile sig_atomic_t status_requested;
/* time of the next status message in seconds since the start; INFINITY: only on request */
static double status_due;

static void on_status_signal(int number)
{
    (void)number;
    status_requested = 1;
}

void exec_status_begin(void)
{
    struct sigaction old;

    replace(SIGUSR1, on_status_signal, &old);
}

static void report_status(const hs_exec_progress *p)
{
    if (!status_requested && p->seconds < status_due)
        return;
    status_requested = 0;
    while (status_due <= p->seconds)
        status_due += STATUS_SECONDS;
    exec_messages_status(p);
}

static uint64_t done_before; /* tasks that earlier runs did */

/* Return the seconds left at the pace of the finished tasks; INFINITY: none is finished. */
static double left_at_this_pace(const hs_exec_progress *p)
{
    uint64_t done = p->done - done_before;

    return done > 0 ? p->seconds * (double)(p->total - p->done) / (double)done : INFINITY;
}

static uint64_t count_done_before(const exec_job *job)
{
    hs_exec_journal_summary past;

    hs_exec_journal_summary_init(&past);
    hs_exec_summarise_journal(job->exec, &past);
    return past.done;
}

void exec_progress(void *data, const hs_exec_progress *given)
{
    const exec_job  *job = *(exec_job *const *)data;
    hs_exec_progress now = *given, *p = &now;

    if (job->guesses > 0) /* the library's estimate is based on the guesses */
        p->remaining = left_at_this_pace(p);
    report_status(p);
    progress_set_done(p->done, "tasks done, %llu running, %llu failed",
                      (unsigned long long)p->running, (unsigned long long)p->failed);
    if (isfinite(p->remaining))
        progress_set_seconds_left(p->remaining);
}

void exec_run(exec_job *job)
{
    hs_exec_report_init(&job->report);
    done_before = count_done_before(job);
    progress_begin(hs_instance_tasks(job->plan.in));
    if (job->request->live) {
        exec_live_begin(job);
        progress_show_view(exec_live_view);
    }
    exec_messages_begin(job);
    job->began = time(NULL);
    status_due = isatty(STDERR_FILENO) || job->request->quiet ? INFINITY : STATUS_SECONDS;
    handlers_set(&before, job->exec);
    job->status = hs_exec_run(job->exec, &job->report, &job->error);
    over = 1;
    exec_messages_end();
    progress_end();
    handlers_restore(&before);
    job->signal = received;
}
