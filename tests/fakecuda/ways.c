/* SPDX-License-Identifier: BSD-3-Clause */

#include "ways.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void choose(trial *t, int way)
{
    t->options.gpu_mode = way == GRAPH || way == GRAPH_RESIDENT ? HS_GPU_GRAPH : HS_GPU_STREAMS;
    t->options.resident = way >= STREAMS_RESIDENT;
}

void setup(void)
{
    fake_reset(&FAKE_SETTINGS);
}

void opened(trial *t, int way)
{
    choose(t, way);
    ck_assert_msg(trial_open_worker(t, 1), "%s", t->error.why);
}

void closed(trial *t)
{
    trial_close_worker(t);
    trial_free(t);
    trial_assert_clean();
}

void all_done(const trial *t)
{
    unsigned i;

    for (i = 0; i < t->count; i++)
        ck_assert_msg(t->ends[i].outcome == HS_OUTCOME_DONE, "task %u: %s; %u misuses: %s", i,
                      t->why[i], fake_misuse_count(), fake_first_misuse());
}

void wait_for(fake_kind kind, unsigned begun, unsigned ended)
{
    const struct timespec nap = {0, 200000};

    while (fake_begun_count(kind) < begun || fake_ended_count(kind) < ended)
        nanosleep(&nap, NULL);
}

unsigned count_kernels_named(const char *name, size_t from)
{
    unsigned found = 0;

    for (; from < fake_record_count(); from++)
        found += fake_record_at(from).kind == FAKE_KERNEL &&
                 strcmp(fake_record_at(from).name, name) == 0;
    return found;
}
