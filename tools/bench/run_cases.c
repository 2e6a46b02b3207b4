/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: run cases in threads; the order of the rows does not depend on the threads. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/progress.h"

typedef struct job {
    const bench_case *one;
    bench_row        *rows;   /* rows of the case in bench_rows */
    char             *wanted; /* per algorithm: whether to run it */
    int               done, code;
    char             *messages; /* messages held until the job is collected; NULL: none */
    size_t            length;
} job;

typedef struct team {
    const bench_campaign *c;
    job                  *of;
    size_t                count, next;
    bool                  stop;
    pthread_mutex_t       lock;
    pthread_cond_t        changed;
} team;

/*
 * Run a case and hold its messages: collect() prints them in the jobs' order, until the first job
 * fails.
 */
static int do_job(const team *all, job *mine)
{
    FILE *messages = open_memstream(&mine->messages, &mine->length);
    int   code;

    message_redirect(messages);
    code = bench_measure_case(all->c, mine->one, mine->wanted, mine->rows);
    message_redirect(NULL);
    if (messages)
        fclose(messages);
    return code;
}

static void *work(void *data)
{
    team *all = data;

    pthread_mutex_lock(&all->lock);
    while (!all->stop && all->next < all->count) {
        job *mine = &all->of[all->next++];
        int  code;

        pthread_mutex_unlock(&all->lock);
        code = do_job(all, mine);
        pthread_mutex_lock(&all->lock);
        mine->code = code;
        mine->done = 1;
        pthread_cond_broadcast(&all->changed);
    }
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* Append the rows of each job in order, as soon as the job is done. */
static int collect(team *all, int fd, const char *path)
{
    int code = EXIT_OK;

    for (size_t i = 0; i < all->count && !code; i++) {
        job *next = &all->of[i];

        progress_set_done(i, "%s, %s", all->c->name, next->one->recipe);
        pthread_mutex_lock(&all->lock);
        while (!next->done)
            pthread_cond_wait(&all->changed, &all->lock);
        pthread_mutex_unlock(&all->lock);
        code = next->code;
        if (next->length > 0)
            message_print_held(next->messages, next->length);
        if (!code)
            code = bench_rows_append(fd, path, all->c, next->one->family, next->rows,
                                     next->wanted);
    }
    return code;
}

/* Start the threads with all signals blocked, so that signals go to the main thread. */
static size_t start(team *all, pthread_t *threads, size_t wanted)
{
    sigset_t signals, before;
    size_t   count = 0;

    sigfillset(&signals);
    pthread_sigmask(SIG_SETMASK, &signals, &before);
    while (count < wanted && pthread_create(&threads[count], NULL, work, all) == 0)
        count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return count;
}

static int run_all(team *all, unsigned threads, int fd, const char *path)
{
    size_t     wanted = threads < all->count ? threads : all->count, count;
    pthread_t *thread = checked_calloc(wanted + 1, sizeof *thread);
    int        code = EXIT_OK;

    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->changed, NULL);
    progress_begin(all->count);
    count = start(all, thread, wanted);
    if (count == 0 && wanted > 0) {
        message("no thread can be started");
        code = EXIT_RESOURCE;
    }
    if (!code)
        code = collect(all, fd, path);
    pthread_mutex_lock(&all->lock);
    all->stop = true;
    pthread_mutex_unlock(&all->lock);
    for (size_t i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    progress_end();
    pthread_mutex_destroy(&all->lock);
    pthread_cond_destroy(&all->changed);
    free(thread);
    return code;
}

int bench_run(const bench_campaign *c, const bench_case *cases, bench_rows *rows, unsigned threads,
              const char *path)
{
    team        all = {.c = c};
    struct stat about;
    char       *wanted = checked_calloc(rows->cases * rows->algorithms + 1, 1);
    size_t      algorithms = rows->algorithms;
    int         fd, code;

    all.of = checked_calloc(rows->cases + 1, sizeof *all.of);
    for (size_t i = 0; i < rows->cases; i++) {
        job *next = &all.of[all.count];

        *next =
            (job){&cases[i], &rows->row[i * algorithms], &wanted[i * algorithms], 0, 0, NULL, 0};
        for (size_t a = 0; a < algorithms; a++)
            next->wanted[a] = !next->rows[a].recipe;
        all.count += memchr(next->wanted, 1, algorithms) != NULL;
    }
    code = bench_rows_open(path, &fd);
    if (!code)
        code = run_all(&all, threads, fd, path);
    if (!code && fstat(fd, &about) == 0 && about.st_nlink == 0) {
        message("'%s' was removed while it was written: the rows are lost", path);
        code = EXIT_RESOURCE;
    }
    if (fd >= 0 && close(fd) != 0 && !code)
        code = message_status(HS_EIO, path);
    for (size_t i = 0; i < all.count; i++)
        free(all.of[i].messages);
    free(all.of);
    free(wanted);
    return code;
}
