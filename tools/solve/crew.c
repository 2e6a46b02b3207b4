/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-solve: several instances at a time. Threads take them in order and a little
 * ahead of what has been reported; results, and messages, come out in that order.
 */
#include "solve/crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/message.h"

struct solve_crew {
    solve_request   request; /* with the threads that one instance may have */
    size_t          count, begun, finished, reported;
    size_t          ahead; /* so many may be begun and not reported */
    solve_job      *jobs;
    pthread_t      *threads;
    size_t          thread_count; /* 0: the caller does the work */
    pthread_mutex_t lock;
    pthread_cond_t  changed;
};

static void do_job(const solve_crew *crew, solve_job *job, size_t finished)
{
    job->code = solve_instance(&crew->request, job->path, finished * solve_steps(&crew->request),
                               &job->result, &job->in, &job->best);
}

/* Messages wait for those of earlier instances, unless there is no memory to keep them. */
static void do_job_quietly(const solve_crew *crew, solve_job *job, size_t finished)
{
    FILE *text = open_memstream(&job->messages, &job->length);

    message_hold(text);
    do_job(crew, job, finished);
    message_hold(NULL);
    if (text && fclose(text)) {
        free(job->messages);
        job->messages = NULL;
    }
}

static void *work(void *data)
{
    solve_crew *crew = data;

    pthread_mutex_lock(&crew->lock);
    while (crew->begun < crew->count) {
        solve_job *job;
        size_t     finished = crew->finished;

        if (crew->begun == crew->reported + crew->ahead) {
            pthread_cond_wait(&crew->changed, &crew->lock);
            continue;
        }
        job = &crew->jobs[crew->begun++];
        pthread_mutex_unlock(&crew->lock);
        do_job_quietly(crew, job, finished);
        pthread_mutex_lock(&crew->lock);
        job->done = 1;
        crew->finished++;
        pthread_cond_broadcast(&crew->changed);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Signals are the main thread's. */
static void start_threads(solve_crew *crew, size_t wanted)
{
    sigset_t all, before;

    crew->threads = checked_calloc(wanted, sizeof *crew->threads);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (crew->thread_count < wanted &&
           pthread_create(&crew->threads[crew->thread_count], NULL, work, crew) == 0)
        crew->thread_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

solve_crew *solve_crew_start(const solve_request *request, char *const *paths, size_t count)
{
    solve_crew *crew = checked_calloc(1, sizeof *crew);
    size_t      threads = request->settings.threads > 1 ? request->settings.threads : 1;
    size_t      at_once = threads < count ? threads : count;

    crew->request = *request;
    crew->count = count;
    crew->jobs = checked_calloc(count, sizeof *crew->jobs);
    for (size_t i = 0; i < count; i++)
        crew->jobs[i].path = paths[i];
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->changed, NULL);
    if (at_once > 1) {
        crew->request.settings.threads = (unsigned)(threads / at_once);
        crew->ahead = 2 * at_once;
        start_threads(crew, at_once);
    }
    return crew;
}

static void wait_for(solve_crew *crew, const solve_job *job)
{
    pthread_mutex_lock(&crew->lock);
    while (!job->done)
        pthread_cond_wait(&crew->changed, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
    if (job->messages)
        message_text(job->messages, job->length);
}

solve_job *solve_crew_next(solve_crew *crew)
{
    solve_job *job = &crew->jobs[crew->reported];

    if (crew->thread_count > 0)
        wait_for(crew, job);
    else
        do_job(crew, job, crew->reported);
    return job;
}

void solve_crew_release(solve_crew *crew, solve_job *job)
{
    solve_result_free(&job->result);
    hs_schedule_free(job->best);
    hs_instance_free(job->in);
    free(job->messages);
    pthread_mutex_lock(&crew->lock);
    crew->reported++;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

void solve_crew_end(solve_crew *crew)
{
    for (size_t i = 0; i < crew->thread_count; i++)
        pthread_join(crew->threads[i], NULL);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
    free(crew->threads);
    free(crew->jobs);
    free(crew);
}
