/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the run itself, its progress line, and signals meanwhile. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "common/progress.h"
#include "exec/exec.h"

/*
 * The first SIGINT, SIGTERM or SIGHUP lets what runs end, a second one stops it. A
 * reader of ours that goes away must not end us while commands run: SIGPIPE has a
 * handler that does nothing, which commands, unlike an ignored signal, do not inherit.
 */
static hs_exec *volatile running;
static volatile sig_atomic_t over; /* but for what is still to be said */
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

/* What the caller had us ignore stays ignored. */
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
    if (over && received_count) { /* not even that: as without us */
        handlers_restore(&before);
        raise(number);
        return;
    }
    received = number;
    hs_exec_stop(running, received_count++ ? HS_STOP_NOW : HS_STOP_DRAIN);
    exec_news_stop();
    errno = error;
}

static void handlers_set(handlers *old, hs_exec *exec)
{
    running = exec;
    for (int i = 0; i < STOPS; i++)
        replace(stops[i], on_stop, &old->stop[i]);
    replace(SIGPIPE, on_pipe, &old->pipe);
}

void exec_progress(void *unused, const hs_exec_progress *p)
{
    (void)unused;
    progress_step(p->done, "running %llu, failed %llu", (unsigned long long)p->running,
                  (unsigned long long)p->failed);
    progress_left(p->remaining);
}

void exec_run(exec_job *job)
{
    hs_exec_report_init(&job->report);
    progress_begin(hs_instance_tasks(job->plan.in));
    exec_news_begin(job);
    handlers_set(&before, job->exec);
    job->status = hs_exec_run(job->exec, &job->report, job->why);
    over = 1;
    exec_news_end();
    progress_end();
    handlers_restore(&before);
    job->signal = received;
}
