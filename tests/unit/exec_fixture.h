/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_EXEC_FIXTURE_H
#define TESTS_EXEC_FIXTURE_H

#include <hybridsched/exec.h>

#include "suite.h"

/*
 * A backend with scripted bodies: the kernel column says what a task does, on either type.
 *
 *   done        succeed at once
 *   busy:US     compute for US microseconds, polling the cancel flag
 *   fail:N      fail at the first N attempts, then succeed
 *   fail:N:US   fail at the first N attempts, then succeed after US microseconds
 *   hang        sleep until cancelled; hang-cpu: on CPUs, succeed on GPUs
 *   spin        compute until cancelled; spin-cpu: on CPUs, succeed on GPUs
 *   sulk        sleep until cancelled, then fail; sulk-cpu: on CPUs, succeed on GPUs
 *   late:US     compute for US microseconds without polling the cancel flag
 *   lose        lose the worker; lose-cpu, lose-gpu: on this type only
 *   break-gpu   always fail on GPUs, though only after CPUs have completed some failed tasks;
 *               break-cpu: the same with the types exchanged
 *   calm        fail if cancelled at the start
 *   quit        end as aborted without a cancel request
 *   call:US     call scripted.hook, then sleep until cancelled, at most US microseconds
 *   curse:TEXT  fail with the reason TEXT
 *   refuse:TEXT refuse the body with the reason TEXT
 *   none-cpu    make no body for CPUs; none-gpu: for GPUs
 */
extern const hs_backend scripted_backend;

/* Return scripted_backend with prepare(), depth(), submit() and collect() added, so that it takes a
 * worker's own list. submit() runs the task to its end. */
hs_backend scripted_backend_with_lists(void);

typedef struct scripted_state {
    int begun, ended;   /* number of attempts at all tasks */
    int overlaps;       /* number of attempts that began while another attempt at the task ran */
    int  wrong_states;   /* number of attempts run with the state of another worker */
    int early;          /* number of attempts that began before a predecessor was done */
    int opened, closed; /* numbers of workers opened and closed */
    int refuse_worker;  /* worker_open() fails for the worker of this number; -1: never */
    int calls;          /* number of calls of the hook */
    int broken, mended; /* for tasks "break-gpu": failed attempts, and completed retries */
    bool cpus_first;    /* whether attempts on GPUs wait until one on a CPU has begun */
    int begun_on_cpus;  /* number of attempts on CPUs */
    void (*hook)(void *context);
    void *context;
    void (*at_start)(const hs_attempt *attempt); /* hook, called at the begin of an attempt */
} scripted_state;

extern scripted_state scripted;

enum { SCRIPTED_TASKS = 20000 };

void scripted_reset(void);

/* Check the order of this instance's tasks from now on: scripted.early counts violations. */
void scripted_check_order_of(const hs_instance *in);

#define END_ROW                                                                                    \
    {                                                                                              \
        0, 0, NULL, 0, HS_RESTART_DEFAULT                                                          \
    } /* sentinel after the last row */

/* A row of an instance. */
typedef struct script_row {
    double         cpu, gpu;
    const char    *kernel;
    uint32_t       count;
    hs_restartable restartable;
} script_row;

hs_instance *instance_of(const script_row *rows, unsigned cpus, unsigned gpus, hs_unit unit);

/* Return a plan with worker[i] for task i. In order of their numbers, tasks start as soon as the
 * worker is free and all predecessors have ended. */
hs_schedule *lists(const hs_instance *in, const unsigned *worker);

/* Return the plan of an algorithm. */
hs_schedule *solved(const hs_instance *in, const char *algorithm);

/* The policies of loop tests; the loop index _i selects one. */
enum { POLICIES = 3 };
extern const char *const all_policies[POLICIES];

/* Return settings with this policy, the scripted backend as the only one, any number of workers, and
 * retry_delay -1. */
hs_exec_settings scripted_settings(const char *policy);

typedef struct finished_run {
    hs_status      status;
    hs_exec_report report;
    hs_error       error;
    hs_exec       *exec;
    hs_instance   *in;
    hs_schedule   *plan;
} finished_run;

/* Create a dispatcher, run it and check the report against the records. end_run() frees the
 * instance and the plan (or NULL). */
finished_run run_plan(hs_instance *in, hs_schedule *plan, const hs_exec_settings *s);
void         end_run(finished_run *p);

/* Return the number of attempts at a task with this outcome, over all workers; *worker (or NULL) is
 * the worker of the last attempt found. */
unsigned count_attempts(const finished_run *p, uint32_t task, hs_outcome outcome, unsigned *worker);

/* Check the recorded waits of thieves for the end of their victims' attempts. Return the number of
 * waits. */
size_t count_waits(const finished_run *p);

/* Check that the run succeeded and each task was done exactly once. */
void assert_all_done_once(const finished_run *p);

/* Return an array by task of a graph, for the caller to free: 1 if a direct or indirect predecessor
 * failed. */
char *blocked_tasks(const finished_run *p);

/* Return the number of open descriptors of this process. */
int open_files(void);

/* Return the number of threads of this process without threads that are about to end. */
int live_threads(void);

#endif
