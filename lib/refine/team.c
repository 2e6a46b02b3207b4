/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/team.h"

#include <pthread.h>
#include <stdlib.h>

/* A thread and its streams: every `step`-th from `first` on. */
typedef struct member {
    unsigned      first, step, streams;
    hsi_interrupt interrupt;
    void (*run)(void *data, unsigned stream, const hsi_interrupt *interrupt);
    void     *data;
    bool      running;
    pthread_t thread;
} member;

static void run_member(member *c)
{
    for (unsigned i = c->first; i < c->streams; i += c->step)
        c->run(c->data, i, &c->interrupt);
}

static void *member_thread(void *data)
{
    run_member(data);
    return NULL;
}

hs_status hsi_team_run(const hs_settings *settings, unsigned streams,
                       const hsi_interrupt *interrupt,
                       void (*run)(void *data, unsigned stream, const hsi_interrupt *interrupt),
                       void *data)
{
    unsigned threads = settings->threads < 1 ? 1 : settings->threads;
    unsigned count = threads < streams ? threads : streams;
    member  *team = calloc(count, sizeof *team);

    if (!team)
        return HS_ENOMEM;
    for (unsigned i = 0; i < count; i++) {
        team[i] = (member){.first = i,
                           .step = count,
                           .streams = streams,
                           .interrupt = *interrupt,
                           .run = run,
                           .data = data};
        team[i].interrupt.leads = interrupt->leads && i == 0;
        team[i].interrupt.token = i == 0 ? interrupt->token : NULL;
        team[i].running =
            i > 0 && pthread_create(&team[i].thread, NULL, member_thread, &team[i]) == 0;
    }
    run_member(&team[0]);
    for (unsigned i = 1; i < count; i++) {
        if (team[i].running)
            pthread_join(team[i].thread, NULL);
        else
            run_member(&team[i]);
    }
    free(team);
    return HS_OK;
}
