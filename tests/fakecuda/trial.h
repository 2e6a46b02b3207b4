/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_TRIAL_H
#define FAKECUDA_TRIAL_H

/* A test of the module on the fake without a dispatcher: a worker and some tasks. */

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
    hs_completion          ends[TRIAL_MOST]; /* completion of each task */
    unsigned               submitted, collected;
    int64_t                last;   /* latest collected end */
    hs_status              status; /* first failing status, explained in `error` */
    hs_error               error;
} trial;

/* Create a trial of these kernels (NULL ends the list), repeated `times` times. */
trial *trial_create(const char *const *kernels, unsigned times);
void   trial_free(trial *t);

/* Create bodies and worker, and prepare the worker. Return 1 on success; else see status. */
int  trial_open_worker(trial *t, int ordered);
void trial_close_worker(trial *t);

/* Submit tasks while the worker has room; collect a completed task; submit and collect until every
 * task is collected. */
void trial_submit(trial *t);
void trial_collect(trial *t);
void trial_run_pipeline(trial *t);

hs_outcome trial_run(trial *t, unsigned which);

/* Tell whether a message names the failing call. The module ignores the results of release calls;
 * if such a call breaks the GPU, the next call reports it. */
int trial_message_names_call(const char *said, const char *call, int sticky);

/*
 * Return the stride between failing calls: 1 to cover each call, more if rounds are slow (thread
 * sanitizer) or reduced by the percentage HS_TEST_ROUNDS.
 */
unsigned trial_call_stride(void);

/* Check that no object of the fake is left and no misuse was counted. */
void trial_assert_clean(void);

#endif
