/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: what is said while the run lasts. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/escape.h"
#include "common/message.h"
#include "common/progress.h"
#include "exec/exec.h"

/* The whole file on standard error, ended by a newline. */
static void print_log(const char *path)
{
    FILE  *log = fopen(path, "re");
    char   block[4096];
    size_t got;
    int    last = '\n';

    if (!log) {
        message("cannot read '%s': %s", path, strerror(errno));
        return;
    }
    while ((got = fread(block, 1, sizeof block, log)) > 0) {
        fwrite(block, 1, got, stderr);
        last = block[got - 1];
    }
    if (last != '\n')
        fputc('\n', stderr);
    fclose(log);
}

static int is_empty(const char *path)
{
    FILE *log = fopen(path, "re");
    int   empty = log && getc(log) == EOF && !ferror(log);

    if (log)
        fclose(log);
    return empty;
}

static void report_failure(const exec_job *job, const hs_exec_failure *f)
{
    char task[HS_MAX_ID + 16], worker[16], why[HS_WHY];
    int  print = f->log && !is_empty(f->log);

    hs_instance_name(job->plan.in, f->task, task, sizeof task);
    printable(task);
    snprintf(why, sizeof why, "%s", f->why ? f->why : "it is not said why");
    printable(why);
    hs_worker_name(hs_instance_cpus(job->plan.in), f->worker, worker);
    progress_hold();
    message("task %s failed on %s, attempt %u: %s%s%s", task, worker, (unsigned)f->number, why,
            f->final ? "" : "; it is to be tried again", print ? "; its output:" : "");
    if (print)
        print_log(f->log);
    if (f->log && !job->keeps_logs)
        unlink(f->log); /* however many fail, the folder stays small */
    progress_release();
}

static struct {
    const exec_job *job;
    sem_t           any; /* posted for each piece of news */
    pthread_t       thread;
    int             threaded;
    int             stops, over; /* shared */
    int             stops_told;
    size_t          failures_told;
} news;

static void tell_stops(void)
{
    static const char *const words[] = {
        "stopping when what runs has ended; once more to stop it now", "stopping now"};
    int stops = __atomic_load_n(&news.stops, __ATOMIC_RELAXED);

    for (; news.stops_told < stops && news.stops_told < 2; news.stops_told++)
        message("%s", words[news.stops_told]);
}

static void tell_all(void)
{
    hs_exec_failure f;

    hs_exec_failure_init(&f);
    for (; hs_exec_failure_at(news.job->exec, news.failures_told, &f); news.failures_told++) {
        tell_stops();
        report_failure(news.job, &f);
    }
    tell_stops();
}

static void *tell(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&news.over, __ATOMIC_ACQUIRE)) {
        while (sem_wait(&news.any) != 0 && errno == EINTR)
            continue;
        tell_all();
    }
    return NULL;
}

void exec_news_begin(const exec_job *job)
{
    sigset_t all, before;

    news.job = job;
    if (sem_init(&news.any, 0, 0) != 0)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the main thread's */
    news.threaded = pthread_create(&news.thread, NULL, tell, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void exec_news_failure(void *unused, const hs_exec_failure *failure)
{
    (void)unused;
    (void)failure; /* the thread looks it up */
    sem_post(&news.any);
}

void exec_news_stop(void)
{
    __atomic_fetch_add(&news.stops, 1, __ATOMIC_RELAXED);
    sem_post(&news.any);
}

/* Without a thread, all is said here. */
void exec_news_end(void)
{
    __atomic_store_n(&news.over, 1, __ATOMIC_RELEASE);
    sem_post(&news.any);
    if (news.threaded)
        pthread_join(news.thread, NULL);
    tell_all();
    sem_destroy(&news.any);
}
