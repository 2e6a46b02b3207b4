/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_EXEC_H
#define TOOLS_EXEC_EXEC_H

#include <stdio.h>
#include <time.h>

#include <hybridsched/exec.h>
#include <hybridsched/io.h>

#include "common/copies.h"
#include "common/output.h"
#include "common/plan.h"

/* What hsched-exec is asked to do, what came of it, and how it says so. */

enum { EXEC_REPORT, EXEC_TRACE, EXEC_GANTT, EXEC_MEASURED, EXEC_FACTORS, EXEC_FILES };

/* What commands print: is it passed on, and when? */
typedef enum exec_show { EXEC_SHOW_NOTHING, EXEC_SHOW_TASKS, EXEC_SHOW_LINES } exec_show;

typedef struct exec_joblog exec_joblog;
typedef struct exec_old    exec_old; /* old.h */

typedef struct exec_request {
    hs_exec_settings settings; /* its policy is never NULL */
    const char      *policy;   /* as asked for: NAME or NAME:RANK */
    int              dry_run, quiet;
    int              live;             /* show a view of the workers while the run lasts */
    int              counted[2];       /* by hs_type: this machine has so many workers */
    int              lacks_gpus;       /* it has no GPU: the one that was counted is assumed */
    int              show;             /* an exec_show */
    int              tag;              /* with the task's name before each line */
    int              html;             /* the report is to be HTML, not JSON */
    output          *file[EXEC_FILES]; /* NULL: not wanted */
    const char      *report;           /* the path of the report; NULL: not wanted */
    const char      *measured;         /* likewise, of the table with measured times */
    const exec_old  *old;              /* an earlier run for the page; NULL: none */
    const char      *input;            /* of the matrix; NULL: it is made by the seed */
    const char      *factors;          /* the path for what becomes of it; NULL: not wanted */
    const char      *joblog;           /* a path; NULL: not wanted */
    exec_joblog     *log;              /* that, while it is open */
    char           **command;          /* the words that hsched-exec was called with, and NULL */
} exec_request;

/** A plan about to be run, and its run. */
typedef struct exec_job {
    const exec_request *request;
    plan                plan;
    int                 planned;   /* the file is a plan, not an instance */
    hs_schedule        *predicted; /* what the policy makes of the estimates of what is to be run */
    double              unit;      /* seconds on the wall that one unit of the plan lasts */
    hs_exec            *exec;
    hs_exec_report      report;
    double             *matrix;      /* that was read; NULL: none */
    time_t              began;       /* the run */
    hs_status           status;      /* of it */
    int                 signal;      /* that stopped it; 0: none */
    int                 keeps_logs;  /* the folder for output is the user's, and stays */
    char                why[HS_WHY]; /* of a status that is not HS_OK */
} exec_job;

/** Make ready for the run of a plan that was read. 0, or an exit code after a message. */
int exec_prepare(exec_job *job, exec_request *request);

/**
 * How many workers of a type an instance gets that does not say (workers.c): hs_read_options calls
 * it with the exec_request.
 */
unsigned exec_workers_here(void *request, hs_type type);

/** Settle the workers of what was read. 0, or an exit code after a message. */
int exec_set_workers(plan *p, exec_request *request, const hs_read_options *reading);

/** After a run was refused for want of cores or GPUs: say what to type on this machine instead. */
void exec_suggest_workers(const exec_job *job);

/** Has `best` make a plan of the instance that was read in its place. 0, or an exit code. */
int exec_plan_instance(plan *p, int quiet);

/** The bound that charts show of an instance that gets no plan. 0, or an exit code. */
int exec_bound_instance(plan *p);

/** Write the files, print the summary. Returns the exit code. */
int exec_conclude(exec_job *job, exec_request *request);

/** What a run's settings need so that there is a progress line. */
void exec_progress(void *unused, const hs_exec_progress *p);

/** From now on SIGUSR1 asks where the run stands, and ends nothing. */
void exec_status_begin(void);

/**
 * The view of --live (live.c), for progress_show_view(): workers, what they run, throughput and the
 * last failure. exec_live_begin() names the job, before the view is drawn.
 */
void exec_live_begin(const exec_job *job);
int  exec_live_view(char *text, int rows, int columns);

/** Run the job; its outcome is in it. */
void exec_run(exec_job *job);

/**
 * The table of attempts (joblog.c), a row as each ends, in that order. To look whether it can be
 * written, to begin it, or to go on with it if the run resumes: 0, or an exit code after a message.
 * A row of an attempt that has ended; no `log`, no row. At its end: an exit code, after a message
 * if rows are missing.
 */
int  exec_joblog_look(const char *path);
int  exec_joblog_open(const char *path, const exec_job *job, exec_joblog **out);
void exec_joblog_attempt(exec_joblog *log, const hs_exec_attempt *attempt);
int  exec_joblog_close(exec_joblog *log);

/** What tasks print (show.c), for what the run's settings call, with the address of a job's. */
void exec_show_line(void *job, const hs_exec_line *line);
void exec_show_end(const exec_job *job); /* after the run: end tagged lines that have no newline */
void exec_attempt_ended(void *job, const hs_exec_attempt *attempt); /* its row, too */

/** What an attempt printed, where that is in a file, and that file's path; NULL: it is not. */
enum { EXEC_PATH = 8192 };
FILE *exec_log_open(const exec_job *job, const hs_exec_failure *attempt, int error,
                    char path[EXEC_PATH]);

/*
 * What is said while the run lasts (news.c): what failed, with what it had printed,
 * and that the run is to stop. A thread prints, so that a terminal that is held up holds
 * up nothing else. At the end all has been said.
 */
void exec_news_begin(const exec_job *job);
void exec_news_failure(void *unused, const hs_exec_failure *failure);
void exec_news_stop(void); /* for a signal handler, each time */
void exec_news_status(const hs_exec_progress *now); /* where the run stands */
void exec_news_end(void);

/* What was measured (measure.c). All times are in the plan's unit. */

/** One attempt at a task. */
typedef struct exec_attempt {
    unsigned               worker;
    hs_type                type; /* of the worker */
    uint32_t               task, number;
    double                 start, end, time;
    int                    done;    /* to its end; else aborted, or failed */
    const hs_exec_failure *failure; /* NULL: it did not fail */
} exec_attempt;

typedef struct exec_worker {
    char   name[16];
    size_t tasks, aborted, failed; /* attempts by how they ended */
    double busy;                   /* in tasks that it did */
    double lost;                   /* in attempts that were aborted or failed */
    double idle;                   /* of that: */
    double no_task;                /* nothing that it could run was ready */
    double victims;                /* it waited for another one to abort */
    double data;                   /* it waited for its task's inputs */
    double other;                  /* something was ready: for others, or to be dispatched */
} exec_worker;

/** The tasks of one kernel that ran on one type. */
typedef struct exec_kernel {
    const char *name;
    hs_type     type;
    size_t      count;
    double      estimated;           /* means of times */
    double      mean, deviation;     /* of the times measured */
    double      error, error_spread; /* mean and deviation of measured / estimated */
    const double *errors;            /* measured / estimated of each task */
} exec_kernel;

/** Shares of the time that all workers of a type had, each in [0, 1], and tasks that were done. */
typedef struct exec_total {
    unsigned workers;
    size_t   tasks;
    double   busy, lost, idle, no_task, victims, data, other; /* as of exec_worker */
} exec_total;

typedef struct exec_measured {
    double              predicted, achieved; /* makespans */
    double              bound;               /* area bound of the measured times; NaN: none */
    unsigned            cpus, gpus;
    exec_attempt       *attempts; /* by worker, and by time */
    size_t              attempt_count;
    exec_worker        *workers;
    exec_kernel        *kernels; /* what took most time first */
    size_t              kernel_count;
    double             *errors; /* of all kernels */
    hs_schedule        *happened; /* failed attempts are aborted entries */
    hs_picture_failure *failures;
    size_t              failure_count;
    hs_transfer        *transfers; /* copies of data */
    size_t              transfer_count;
    copies              copied, predicted_copies;
    hs_wait            *waits; /* for others to abort; by worker, and by time */
    size_t              wait_count;
    hs_exec_failure    *known; /* by task and number of the attempt */
    size_t              known_count;
} exec_measured;

/** HS_ENOMEM. Free it in any case. */
hs_status exec_measure(const exec_job *job, exec_measured *m);
void      exec_measured_free(exec_measured *m);

/** Area bound of the measured times (bound.c); NaN if nothing was done. */
hs_status exec_measured_bound(const exec_job *job, const exec_measured *m, double *bound);

/** The name under which times of `task` on `type` are put together. */
const char *exec_kernel_name(const exec_job *job, uint32_t task, hs_type type);

/** The sums of a type (total.c). */
exec_total exec_total_of(const exec_measured *m, hs_type type);

/** "done", "failed" or "aborted". */
const char *exec_outcome(const exec_attempt *attempt);

/** The command of a task on a type; empty: it has none there. */
const char *exec_command(const exec_job *job, uint32_t task, hs_type type);

/** The kernel of that name on that type, or NULL. */
const exec_kernel *exec_kernel_find(const exec_measured *m, const char *name, hs_type type);

static inline const char *exec_type_name(hs_type type)
{
    return type == HS_CPU ? "CPU" : "GPU";
}

const char *exec_unit_name(const exec_job *job);

/** What would run where (dry.c). Returns the exit code. */
int exec_dry_run(const exec_job *job);

/** Every task in the order of their starts, with what it runs, and what of that is not there. */
void exec_print_order(const exec_job *job);

/**
 * Does the shell command start with a program, put in `word`, that is in no file? 0 also where
 * that cannot be told without running it.
 */
enum { EXEC_PROGRAM = 256 };
int exec_program_is_missing(const char *command, char word[EXEC_PROGRAM]);

/** Which GPUs there are, on standard output (devices.c). Returns the exit code. */
int exec_devices(void);

/**
 * What was not run since something before it failed (blocked.c): 1 and the next such task, behind
 * which *next is then (0 at first), and what failed (may be NULL); 0: that was all. A line each for
 * a person, 16 at most; and the report's array.
 */
int  exec_blocked_next(const exec_job *job, uint32_t *next, uint32_t *failed);
void exec_blocked_print(FILE *out, const exec_job *job);
void exec_blocked_json(FILE *out, const exec_job *job);

/**
 * The matrix that the tasks factorise (matrix.c), from a file of doubles by column, or numpy's: 0,
 * or an exit code after a message. And what has become of it, numpy's if `path` ends in .npy.
 */
int       exec_matrix_read(const char *path, const hs_instance *of, double **matrix, size_t *order);
hs_status exec_matrix_write(FILE *out, const exec_job *job, const char *path);

/**
 * Was all done that was predicted, so that the two makespans compare? And what was predicted,
 * where that is not the whole of a plan that ran: " of what was left" (summary.c).
 */
int         exec_is_comparable(const exec_job *job);
const char *exec_predicted_of(const exec_job *job);

/** A summary (summary.c). */
void exec_summary(FILE *out, const exec_job *job, const exec_measured *m);

/** A digest of the tasks' names in any order, by which two reports have the same tasks (json.c). */
enum { EXEC_NAMES = 17 };
void exec_task_names(const hs_instance *in, char text[EXEC_NAMES]);

/** The report (json.c, html/). */
void      exec_write_json(FILE *out, const exec_job *job, const exec_measured *m);
hs_status exec_write_html(FILE *out, const exec_job *job, const exec_measured *m);

/** The instance with the times that were measured (measured.c). */
hs_status exec_write_measured(int fd, const exec_job *job, const exec_measured *m);

/** What happened beside what was predicted (pictures.c): hs_gantt_write(), or hs_trace_write();
 * a chart as wide as hs_picture has it. */
typedef hs_status exec_picture_writer(int fd, const hs_instance *in, const hs_schedule *s,
                                      const hs_picture *picture);
hs_status exec_write_picture(exec_picture_writer *write, int fd, const exec_job *job,
                             const exec_measured *m, double width);

#endif
