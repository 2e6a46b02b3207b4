/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct member {
    void (*work)(void *data, unsigned number);
    void     *data;
    unsigned  number;
    int       is_running;
    pthread_t thread;
};

static void *begin(void *data)
{
    struct member *m = data;

    m->work(m->data, m->number);
    return NULL;
}

static void start(struct member *others, unsigned count)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (unsigned i = 0; i < count; i++)
        others[i].is_running = pthread_create(&others[i].thread, NULL, begin, &others[i]) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void hsi_team_run(unsigned count, void (*work)(void *data, unsigned number), void *data)
{
    unsigned       more = count > 1 ? count - 1 : 0;
    struct member *others = more ? malloc(more * sizeof *others) : NULL;

    if (!others)
        more = 0;
    for (unsigned i = 0; i < more; i++)
        others[i] = (struct member){.work = work, .data = data, .number = i + 1};
    start(others, more);
    work(data, 0);
    for (unsigned i = 0; i < more; i++)
        if (others[i].is_running)
            pthread_join(others[i].thread, NULL);
    free(others);
}
