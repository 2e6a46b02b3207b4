/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_EXEC_FIXTURE_H
#define TESTS_EXEC_FIXTURE_H

#include <hybridsched/exec.h>

#include "suite.h"

/*
 * A backend whose bodies do as the kernel column says, on either type:
 *
 *   done        succeed at once
 *   busy:US     compute for so many microseconds, looking at the cancel flag
 *   fail:N      fail at the first N attempts, then succeed; fail:N:US after so many microseconds
 *   hang        wait to be cancelled, asleep; hang-cpu: on CPUs, succeed on GPUs
 *   spin        wait to be cancelled, busy; spin-cpu likewise
 *   sulk        fail once it is cancelled; sulk-cpu: on CPUs, succeed on GPUs
 *   late:US     busy:US, but never look at the cancel flag
 *   lose        the worker is lost; lose-cpu, lose-gpu: only there
 *   break-gpu   fail on GPUs, always, though not before CPUs have mended some; break-cpu likewise
 *   calm        fail if it is cancelled from the start
 *   quit        give up without having been told
 *   call:US     call theatre.hook, then hang for at most so long
 *   none-cpu    make no body for CPUs; none-gpu likewise
 */
extern const hs_backend theatre_backend;

/* The same, and it takes a worker's own list: a task that is submitted is over at once. */
hs_backend theatre_with_lists(void);

typedef struct hs_theatre {
    int begun, ended;   /* attempts, over all tasks */
    int overlaps;       /* a task that ran twice at a time */
    int strangers;      /* attempts with the state of another worker */
    int early;          /* attempts that began before something that they come after was done */
    int opened, closed; /* workers */
    int refuse_worker;  /* worker_open() fails for this one; -1: for none */
    int calls;          /* of the hook */
    int broken, mended; /* break-gpu: attempts that failed, and those that were done */
    void (*hook)(void *context);
    void *context;
    void (*entrance)(const hs_attempt *attempt); /* called as each attempt begins */
} hs_theatre;

extern hs_theatre theatre;

enum { THEATRE_TASKS = 20000 };

void theatre_reset(void);
void theatre_watch(const hs_instance *in); /* does each task begin after those that it has to? */

#define CURTAIN                                                                                    \
    {                                                                                              \
        0, 0, NULL, 0, HS_RESTART_DEFAULT                                                          \
    } /* after the last row */

/* An instance, row by row. */
typedef struct act {
    double         cpu, gpu;
    const char    *kernel;
    uint32_t       count;
    hs_restartable restartable;
} act;

hs_instance *acts(const act *rows, unsigned cpus, unsigned gpus, hs_unit unit);

/* A plan with the given worker for each task, in order of the tasks, each as soon as it can be. */
hs_schedule *lists(const hs_instance *in, const unsigned *worker);

/* A plan of that algorithm's. */
hs_schedule *solved(const hs_instance *in, const char *algorithm);

/* For tests of all of them, numbered by _i. */
enum { POLICIES = 3 };
extern const char *const all_policies[POLICIES];

/* Settings for the theatre alone, as many workers as one likes. */
hs_exec_settings theatre_settings(const char *policy);

typedef struct performance {
    hs_status      status;
    hs_exec_report report;
    char           why[HS_WHY];
    hs_exec       *exec;
    hs_instance   *in;
    hs_schedule   *plan;
} performance;

/* Makes ready and runs, and holds what came of it against the records. Instance and plan
 * (or NULL) are freed by the end. */
performance perform(hs_instance *in, hs_schedule *plan, const hs_exec_settings *s);
void        end_performance(performance *p);

/* Attempts at a task that ended so, over all workers; and the worker of the last of them. */
unsigned attempts_that(const performance *p, uint32_t task, hs_outcome outcome, unsigned *worker);

/* How often somebody waited for another one to abort, each as it must have been. */
size_t count_waits(const performance *p);

/* Each task done exactly once. */
void all_done_once(const performance *p);

/* By task of a graph, to be freed: has one before it, directly or over others, failed? */
char *blocked_tasks(const performance *p);

int open_files(void);
int live_threads(void);
int threads_left(int expected); /* live threads, given a moment to come down to that */

#endif
