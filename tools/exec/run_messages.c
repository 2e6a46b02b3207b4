/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: messages during the run. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "common/progress.h"
#include "exec/exec.h"

/*
 * Skip all but the end of a long log, if the terminal would be flooded or a file keeps the whole
 * log.
 */
static void skip_most(FILE *log, const char *path, int is_kept)
{
    enum { MOST = 16384 };
    off_t size;
    int   c;

    if ((!is_kept && !isatty(STDERR_FILENO)) || fseeko(log, 0, SEEK_END) != 0)
        return;
    size = ftello(log);
    if (size <= MOST || fseeko(log, -MOST, SEEK_END) != 0) {
        rewind(log);
        return;
    }
    while ((c = getc(log)) != EOF && c != '\n') /* continue at the begin of the next line, if any */
        continue;
    if (c == EOF)
        fseeko(log, -MOST, SEEK_END);
    fprintf(stderr, "[the first %lld bytes are %s%s]\n", (long long)ftello(log),
            is_kept ? "in " : "left out: --logs keeps them", is_kept ? path : "");
}

static int is_empty(FILE *log)
{
    int c = getc(log);

    rewind(log);
    return c == EOF;
}

/* Print the log, or its end, on standard error, ended by a newline. */
static void print_log(FILE *log, const char *path, int is_kept)
{
    char   block[4096];
    size_t got;
    int    last = '\n';

    skip_most(log, path, is_kept);
    while ((got = fread(block, 1, sizeof block, log)) > 0) {
        fwrite(block, 1, got, stderr);
        last = block[got - 1];
    }
    if (last != '\n')
        fputc('\n', stderr);
}

/* Output of an attempt not shown yet: files of the two streams, or one file for both. */
typedef struct printed {
    FILE *log[2]; /* files with output; NULL: no output */
    char  path[2][EXEC_PATH];
} printed;

static void find_printed(const exec_job *job, const hs_exec_failure *f, printed *p)
{
    hs_type type = f->worker < hs_instance_cpus(job->plan.in) ? HS_CPU : HS_GPU;
    int     seen = job->request->show == EXEC_SHOW_LINES &&
               strcmp(hs_exec_backend_name(job->exec, f->task, type), "command") == 0;

    for (int i = 0; i < 2; i++) {
        p->log[i] = f->log ? exec_log_open(job, f, i, p->path[i]) : NULL;
        if (p->log[i] && (seen || is_empty(p->log[i]))) {
            fclose(p->log[i]);
            p->log[i] = NULL;
        }
    }
}

static void print_and_close(const exec_job *job, printed *p)
{
    for (int i = 0; i < 2; i++) {
        if (p->log[i]) {
            print_log(p->log[i], p->path[i], job->keeps_logs);
            fclose(p->log[i]);
        }
        if (p->path[i][0] && !job->keeps_logs)
            unlink(p->path[i]); /* remove the file, so that many failures do not fill the disk */
    }
}

static void report_failure(const exec_job *job, const hs_exec_failure *f)
{
    char        task[HS_MAX_ID + 16], worker[EXEC_WORKER];
    printed     p = {.path = {"", ""}};
    const char *rest = f->final ? "" : "; it will be tried again";

    hs_instance_name(job->plan.in, f->task, task, sizeof task);
    exec_worker_label(job, f->worker, worker);
    find_printed(job, f, &p);
    progress_pause();
    message("task %s %s on %s, attempt %u: %s%s%s", task, f->done ? "is done" : "failed", worker,
            (unsigned)f->number, f->why, rest, p.log[0] || p.log[1] ? "; its output:" : "");
    print_and_close(job, &p);
    if (f->retired > 1)
        message("%s is retired: %u attempts in a row failed there, and other workers can do the tasks",
                worker, f->retired);
    else if (f->retired)
        message("%s is retired", worker);
    progress_resume();
}

static struct {
    const exec_job  *job;
    sem_t            any; /* posted once for each message */
    pthread_t        thread;
    int              threaded;
    int              stops, over; /* atomic: shared by handler and threads */
    int              stops_printed;
    size_t           failures_printed;
    pthread_mutex_t  lock; /* guards `now` and `has_status` */
    hs_exec_progress status;
    int              has_status; /* whether `now` has not been printed yet */
} news = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void print_stops(void)
{
    static const char *const words[] = {
        "stopping after the running tasks; signal again to abort them",
        "aborting the running tasks; signal again to exit at once"};
    int stops = __atomic_load_n(&news.stops, __ATOMIC_RELAXED);

    for (; news.stops_printed < stops && news.stops_printed < 2; news.stops_printed++)
        message("%s", words[news.stops_printed]);
}

/* Print the latest state of the run, if it is new. */
static void print_status(void)
{
    hs_exec_progress now;
    int              is_new;
    char             left[48] = "";

    pthread_mutex_lock(&news.lock);
    now = news.status;
    is_new = news.has_status;
    news.has_status = 0;
    pthread_mutex_unlock(&news.lock);
    if (isfinite(now.remaining))
        snprintf(left, sizeof left, ", about %.4g s left", now.remaining);
    if (is_new)
        message("%.4g s%s: %llu of %llu tasks done, %llu running, %llu failed", now.seconds, left,
                (unsigned long long)now.done, (unsigned long long)now.total,
                (unsigned long long)now.running, (unsigned long long)now.failed);
}

static void print_all(void)
{
    hs_exec_failure f;

    print_status();
    hs_exec_failure_init(&f);
    for (; hs_exec_failure_at(news.job->exec, news.failures_printed, &f); news.failures_printed++) {
        print_stops();
        report_failure(news.job, &f);
    }
    print_stops();
}

static void *print_messages(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&news.over, __ATOMIC_ACQUIRE)) {
        while (sem_wait(&news.any) != 0 && errno == EINTR)
            continue;
        print_all();
    }
    return NULL;
}

void exec_messages_begin(const exec_job *job)
{
    sigset_t all, before;

    news.job = job;
    if (sem_init(&news.any, 0, 0) != 0)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the new thread keeps all signals blocked */
    news.threaded = pthread_create(&news.thread, NULL, print_messages, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void exec_messages_failure(void *unused, const hs_exec_failure *failure)
{
    (void)unused;
    (void)failure; /* the thread reads it from hs_exec_failure_at() */
    sem_post(&news.any);
}

void exec_messages_status(const hs_exec_progress *now)
{
    pthread_mutex_lock(&news.lock);
    news.status = *now;
    news.has_status = 1;
    pthread_mutex_unlock(&news.lock);
    sem_post(&news.any);
}

void exec_messages_stop(void)
{
    __atomic_fetch_add(&news.stops, 1, __ATOMIC_RELAXED);
    sem_post(&news.any);
}

/* End the thread and print the remaining messages; without a thread, print all of them here. */
void exec_messages_end(void)
{
    __atomic_store_n(&news.over, 1, __ATOMIC_RELEASE);
    sem_post(&news.any);
    if (news.threaded)
        pthread_join(news.thread, NULL);
    print_all();
    sem_destroy(&news.any);
}
