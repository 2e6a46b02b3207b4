/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/crews.h"

#include <pthread.h>
#include <stdlib.h>

/* A thread and the streams that it runs: every `step`-th from `first`. */
typedef struct crew {
    unsigned      first, step, streams;
    hsi_interrupt interrupt;
    void (*run)(void *data, unsigned stream, const hsi_interrupt *interrupt);
    void     *data;
    int       running;
    pthread_t thread;
} crew;

static void run_crew(crew *c)
{
    for (unsigned i = c->first; i < c->streams; i += c->step)
        c->run(c->data, i, &c->interrupt);
}

static void *crew_thread(void *data)
{
    run_crew(data);
    return NULL;
}

hs_status hsi_crews_run(const hs_settings *settings, unsigned streams,
                        const hsi_interrupt *interrupt,
                        void (*run)(void *data, unsigned stream, const hsi_interrupt *interrupt),
                        void *data)
{
    unsigned threads = settings->threads < 1 ? 1 : settings->threads;
    unsigned count = threads < streams ? threads : streams;
    crew    *crews = calloc(count, sizeof *crews);

    if (!crews)
        return HS_ENOMEM;
    for (unsigned i = 0; i < count; i++) {
        crews[i] = (crew){.first = i,
                          .step = count,
                          .streams = streams,
                          .interrupt = *interrupt,
                          .run = run,
                          .data = data};
        crews[i].interrupt.leads = interrupt->leads && i == 0;
        crews[i].interrupt.asker = i == 0 ? interrupt->asker : NULL;
        crews[i].running =
            i > 0 && pthread_create(&crews[i].thread, NULL, crew_thread, &crews[i]) == 0;
    }
    run_crew(&crews[0]);
    for (unsigned i = 1; i < count; i++) {
        if (crews[i].running)
            pthread_join(crews[i].thread, NULL);
        else
            run_crew(&crews[i]);
    }
    free(crews);
    return HS_OK;
}
