/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_TRIAL_H
#define FAKECUDA_TRIAL_H

/* The module on the fake, without a dispatcher: one worker, some tasks. */

#include "exec/machine/module.h"
#include "fake.h"
#include "suite.h"

#define MODULE "tests/fakecuda/.libs/hybridsched-cuda.so"

enum { TRIAL_MOST = 320 };

typedef struct trial {
    const hs_backend      *module;
    hs_backend_options     options;
    hs_backend_worker_info info;
    hs_instance           *in;
    hs_backend_worker     *worker;
    unsigned               count;
    hs_backend_item        items[TRIAL_MOST];
    hs_body               *bodies[TRIAL_MOST];
    hs_attempt             attempts[TRIAL_MOST];
    int                    cancel[TRIAL_MOST];
    char                   why[TRIAL_MOST][HS_WHY];
    hs_completion          ends[TRIAL_MOST]; /* of each task */
    unsigned               submitted, collected;
    int64_t                last;   /* end of what was collected last */
    hs_status              status; /* of the first step that went wrong, in `said` */
    char                   said[HS_WHY];
} trial;

/* Tasks of these kernels, `times` after each other; NULL ends the list. */
trial *trial_create(const char *const *kernels, unsigned times);
void   trial_free(trial *t);

/* Bodies, worker, preparation. 1 if all went well; else see status. */
int  trial_open(trial *t, int ordered);
void trial_close(trial *t);

/* Submit what there is room for; collect one that is over; and so on until all are. */
void trial_submit(trial *t);
void trial_collect(trial *t);
void trial_pipeline(trial *t);

hs_outcome trial_run(trial *t, unsigned which);

/* Does a message name the call that failed? One that gives something back is not asked how it
 * went; when it leaves the GPU broken, the next call tells. */
int trial_names(const char *said, const char *call, int sticky);

/*
 * How many calls on the next is that is to fail: 1, so that each does; more where a round is slow,
 * under the thread sanitizer or where HS_TEST_ROUNDS asks for that many per cent of the rounds.
 */
unsigned trial_stride(void);

/* Nothing of the fake was left or misused. */
void trial_is_clean(void);

#endif
