/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-solve: several instances at a time. Threads take instances in order, at most `ahead`
 * beyond the last reported; results and messages are printed in the same order.
 */
#include "solve/jobs.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "common/checked_memory.h"
#include "common/message.h"
#include "common/stop.h"

struct solve_jobs {
    /* the request; settings.threads is the number of threads per instance */
    solve_request   request;
    size_t          count, begun, finished, reported;
    size_t          ahead; /* largest number of begun and not yet reported jobs */
    bool            over;  /* whether to begin no further jobs */
    solve_job      *job;
    pthread_t      *threads;
    size_t          thread_count; /* number of threads; 0: the caller solves the instances */
    pthread_mutex_t lock;
    pthread_cond_t  changed;
};

static void do_job(const solve_jobs *all, solve_job *job, size_t finished)
{
    job->code = solve_instance(&all->request, job->path, finished * solve_steps(&all->request),
                               &job->result);
}

/*
 * Solve an instance and hold its messages until earlier instances are reported; without memory,
 * messages are printed at once.
 */
static void do_job_quietly(const solve_jobs *all, solve_job *job, size_t finished)
{
    FILE *text = open_memstream(&job->messages, &job->length);

    message_redirect(text);
    do_job(all, job, finished);
    message_redirect(NULL);
    if (text && fclose(text)) {
        free(job->messages);
        job->messages = NULL;
    }
}

static void *work(void *data)
{
    solve_jobs *all = data;

    pthread_mutex_lock(&all->lock);
    while (all->begun < all->count && !stop_requested(NULL)) {
        solve_job *job;
        size_t     finished = all->finished;

        if (all->begun == all->reported + all->ahead) {
            pthread_cond_wait(&all->changed, &all->lock);
            continue;
        }
        job = &all->job[all->begun++];
        pthread_mutex_unlock(&all->lock);
        do_job_quietly(all, job, finished);
        pthread_mutex_lock(&all->lock);
        job->done = true;
        all->finished++;
        pthread_cond_broadcast(&all->changed);
    }
    all->over = true;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* Start the threads with all signals blocked, so that signals go to the main thread. */
static void start_threads(solve_jobs *all, size_t wanted)
{
    sigset_t signals, before;

    all->threads = checked_calloc(wanted, sizeof *all->threads);
    sigfillset(&signals);
    pthread_sigmask(SIG_SETMASK, &signals, &before);
    while (all->thread_count < wanted &&
           pthread_create(&all->threads[all->thread_count], NULL, work, all) == 0)
        all->thread_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

solve_jobs *solve_jobs_start(const solve_request *request, char *const *paths, size_t count)
{
    solve_jobs *all = checked_calloc(1, sizeof *all);
    size_t      threads = request->settings.threads > 1 ? request->settings.threads : 1;
    size_t      at_once = threads < count ? threads : count;

    all->request = *request;
    all->count = count;
    all->job = checked_calloc(count, sizeof *all->job);
    for (size_t i = 0; i < count; i++)
        all->job[i].path = paths[i];
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->changed, NULL);
    if (at_once > 1) {
        all->request.settings.threads = (unsigned)(threads / at_once);
        all->ahead = 2 * at_once;
        start_threads(all, at_once);
    }
    return all;
}

/*
 * Wait until the job is done and return true. Return false if a stop request came before the job
 * began.
 */
static bool wait_for(solve_jobs *all, const solve_job *job)
{
    bool begun;

    pthread_mutex_lock(&all->lock);
    while (!job->done && !(all->over && all->begun == all->reported))
        pthread_cond_wait(&all->changed, &all->lock);
    begun = all->begun > all->reported;
    pthread_mutex_unlock(&all->lock);
    if (begun && job->messages)
        message_print_held(job->messages, job->length);
    return begun;
}

solve_job *solve_jobs_next(solve_jobs *all)
{
    solve_job *job = &all->job[all->reported];

    if (all->thread_count > 0)
        return wait_for(all, job) ? job : NULL;
    if (stop_requested(NULL))
        return NULL;
    do_job(all, job, all->reported);
    return job;
}

void solve_jobs_release(solve_jobs *all, solve_job *job)
{
    solve_result_free(&job->result);
    free(job->messages);
    pthread_mutex_lock(&all->lock);
    all->reported++;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
}

void solve_jobs_end(solve_jobs *all)
{
    for (size_t i = 0; i < all->thread_count; i++)
        pthread_join(all->threads[i], NULL);
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->lock);
    free(all->threads);
    free(all->job);
    free(all);
}
