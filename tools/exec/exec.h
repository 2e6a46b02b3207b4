/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_EXEC_H
#define TOOLS_EXEC_EXEC_H

#include <stdio.h>
#include <time.h>

#include <hybridsched/exec.h>
#include <hybridsched/io.h>

#include "common/transfer_totals.h"
#include "common/output.h"
#include "common/plan.h"
#include "exec/share.h"

/* The data of hsched-exec: the request, the job with its run, the measurements, and its outputs. */

enum { EXEC_REPORT, EXEC_TRACE, EXEC_GANTT, EXEC_MEASURED, EXEC_FACTORS, EXEC_FILES };

/* When the output of commands is passed on: never, at the end of a task, or line by line. */
typedef enum exec_show { EXEC_SHOW_NOTHING, EXEC_SHOW_TASKS, EXEC_SHOW_LINES } exec_show;

typedef struct exec_joblog exec_joblog;
typedef struct exec_profile exec_profile;
typedef struct exec_gathered exec_gathered; /* of gather.c */
typedef struct exec_earlier    exec_earlier; /* declared in earlier_run.h */

typedef struct exec_request {
    hs_exec_settings settings; /* settings of the run; the policy is never NULL */
    const char      *policy;   /* argument of --policy: NAME or NAME:RANK */
    const char      *commands; /* path of a list of commands, read instead of a plan; NULL: none */
    int              dry_run, quiet;
    int              live;             /* whether to show a view of the workers during the run */
    /* by hs_type: whether the number of workers was taken from this machine */
    int              counted[2];
    bool             lacks_gpus;       /* whether this machine has no GPU and one is assumed */
    int              show;             /* when to show the output of commands: an exec_show */
    int              tag;              /* whether the task's name precedes each line of output */
    bool             html;             /* whether the report is HTML, not JSON */
    output          *file[EXEC_FILES]; /* output files; NULL: not requested */
    const char      *report;           /* path of the report; NULL: none */
    const char      *measured;         /* path of the table with measured times; NULL: none */
    const exec_earlier  *earlier;              /* earlier run to compare with; NULL: none */
    const char      *input;            /* path of the matrix; NULL: generate it from the seed */
    const char      *factors;          /* path of the factors; NULL: not requested */
    const char      *joblog;           /* path of the table of attempts; NULL: none */
    exec_joblog     *log;              /* the open table of attempts */
    const char      *profile;          /* path of the profile; NULL: none */
    exec_profile    *times;            /* the open profile; NULL: none */
    int              retime;           /* whether given times are predicted, too */
    exec_share       share;            /* share of the tasks to run */
    size_t           whole_tasks;      /* number of tasks of all shares */
    int                  on_nodes; /* with --batch: whether the job runs with --nodes=slurm */
    unsigned         batch_nodes;  /* with --batch: number of nodes; 0: that of the # node lines */
    char           **command;          /* command line of hsched-exec, NULL-terminated */
} exec_request;

typedef struct exec_measured exec_measured;

/** A plan and its run. */
typedef struct exec_job {
    const exec_request *request;
    plan                plan;
    bool                planned;   /* whether the file is a plan, not an instance */
    bool                has_unknown; /* whether times of the instance were unknown */
    size_t              guesses;     /* tasks with an unknown time that was guessed */
    /* schedule of the tasks to run, by the policy and the estimated times */
    hs_schedule        *predicted;
    double              unit;      /* wall-clock seconds per unit of the plan */
    hs_exec            *exec;
    exec_gathered      *gathered; /* results from journals instead of a run; NULL: a run */
    hs_exec_report      report;
    double             *matrix;      /* input matrix; NULL: none */
    time_t              began;       /* start of the run */
    hs_status           status;      /* outcome of the run */
    int                 signal;      /* signal that stopped the run; 0: none */
    /* whether to keep the folder with output, because the user named it */
    bool                keeps_logs;
    hs_error            error;
} exec_job;

/** Prepare the run of a plan. Return 0, or an exit code after a message. */
int exec_prepare(exec_job *job, exec_request *request);

/* Print why a run of a plan is refused or has failed. Settings of the library in the text are
 * replaced by options. */
void exec_print_reason(const char *path, const char *why);

/**
 * Return the number of workers of a type for an instance that does not specify it (workers.c).
 * hs_read_settings calls this function with the exec_request.
 */
unsigned exec_workers_here(void *request, hs_type type);

/** Write the name of a worker, after that of its node: "cpu3", or "n1/cpu3". */
enum { EXEC_WORKER = 288 };
void exec_worker_label(const exec_job *job, unsigned worker, char label[EXEC_WORKER]);

/** Fix the number of workers of the plan or instance. Return 0, or an exit code after a message. */
int exec_set_workers(plan *p, exec_request *request, const hs_read_settings *reading);

/** Refuse -m and -k that exec_set_workers() refuses for a plan. Return 0, or an exit code after a
 * message. */
int exec_check_workers(const plan *p, const exec_request *request, const hs_read_settings *reading);

/** Print options that fit this machine, after a run was refused for lack of cores or GPUs. */
void exec_suggest_workers(const exec_job *job);

/**
 * The profile (profile.c): measured times of earlier runs. open: read the times of this machine's
 * processors; begin: start to keep the times of this run; attempt: add an attempt; close: write the
 * rest. open, begin and close return 0, or an exit code after a message. A NULL profile is allowed.
 */
int      exec_profile_open(const char *path, const exec_request *request, exec_profile **out);
hs_cost *exec_profile_known(exec_profile *profile);
int      exec_profile_begin(exec_profile *profile, const exec_job *job);
void     exec_profile_attempt(exec_profile *profile, const exec_job *job,
                              const hs_exec_attempt *attempt);
int      exec_profile_close(exec_profile *profile);

/**
 * Replace unknown times of an instance, with --retime given ones too, by predictions of the profile
 * or guesses, and the policy by `explore` if a time is a guess and the user named no policy. Return
 * 0, or an exit code after a message.
 */
int exec_fill_unknown_times(exec_job *job, exec_request *request, bool has_policy);

/** Replace the instance by a plan made by `best`. Return 0, or an exit code after a message. */
int exec_plan_instance(plan *p, int quiet);

/**
 * The batch script (batch.c). shares: return the number of jobs, one for each share. write: print a
 * script that runs the plan or instance as a job on several nodes, or its shares as a job array;
 * return 0, or an exit code after a message.
 */
unsigned exec_batch_shares(const plan *p, const exec_request *request);
int exec_write_batch(const plan *p, const exec_request *request, const hs_read_settings *reading);

/**
 * The results of all shares from the journals in `list` at `journal`, as those of a run (gather.c):
 * set job->gathered, the workers, the report and the status. The list outlives the job. Return 0,
 * or an exit code after a message. head, summary: print the first line of the summary, and what is
 * missing (gather_summary.c).
 */
int  exec_gather(exec_job *job, exec_request *request, const char *journal,
                 const exec_journal_list *list);
void exec_gather_head(FILE *out, const exec_job *job, const exec_measured *m);
void exec_gather_summary(FILE *out, const exec_job *job);
void exec_gathered_free(exec_gathered *gathered);

/** Return the number of workers of a type for --measured: those of the file, not of all shares. */
unsigned exec_workers_in_file(const exec_job *job, hs_type type);

/** Return attempts and failures of the run or the journals, as hs_exec_records() and
 * hs_exec_failure_at() do. */
const hs_exec_record *exec_records(const exec_job *job, unsigned worker, size_t *count);
int exec_failure_at(const exec_job *job, size_t index, hs_exec_failure *out);

/** Compute the bound shown in charts for an instance without a plan. Return 0, or an exit code. */
int exec_bound_instance(plan *p);

/** Write the files and print the summary. Return the exit code. */
int exec_conclude(exec_job *job, exec_request *request);

/** Update the progress line; a callback for the run's settings, whose data is an exec_job **. */
void exec_progress(void *job, const hs_exec_progress *p);

/**
 * Install the handler of SIGUSR1, which requests a status message instead of ending the program.
 */
void exec_status_begin(void);

/**
 * The view of --live, for progress_show_view(): workers with their tasks, throughput and the last
 * failure. Call exec_live_begin() with the job before the view is drawn.
 */
void exec_live_begin(const exec_job *job);
int  exec_live_view(char *text, int rows, int columns);

/** Run the job and store its outcome in it. */
void exec_run(exec_job *job);

/**
 * The table of attempts (joblog.c), with a row per finished attempt in the order of their ends.
 * look: check whether the table can be written; open: begin it, or continue it if the run resumes;
 * both return 0, or an exit code after a message. attempt: add a row; a NULL log is allowed. close:
 * return an exit code, after a message if rows are missing.
 */
int  exec_joblog_look(const char *path);
int  exec_joblog_open(const char *path, const exec_job *job, exec_joblog **out);
void exec_joblog_attempt(exec_joblog *log, const hs_exec_attempt *attempt);
int  exec_joblog_close(exec_joblog *log);

/**
 * Show the output of tasks (task_output.c); callbacks for the run's settings. `job` is the address
 * of a pointer to the exec_job.
 */
void exec_show_line(void *job, const hs_exec_line *line);
void exec_show_end(const exec_job *job); /* complete unfinished tagged lines after the run */
/* show the output of an attempt and add its row to the table */
void exec_attempt_ended(void *job, const hs_exec_attempt *attempt);

/**
 * Open the file with the output of an attempt and set `path`; NULL: the output is not in a file.
 */
enum { EXEC_PATH = 8192 };
FILE *exec_log_open(const exec_job *job, const hs_exec_failure *attempt, int error,
                    char path[EXEC_PATH]);

/*
 * Messages during the run: failures with their output, and stop requests. A thread prints the
 * messages, so that a stalled terminal stalls nothing else. exec_messages_end() returns after all
 * messages are printed.
 */
void exec_messages_begin(const exec_job *job);
void exec_messages_failure(void *unused, const hs_exec_failure *failure);
void exec_messages_stop(void); /* note a stop request; async-signal-safe */
void exec_messages_status(const hs_exec_progress *now); /* print the state of the run */
void exec_messages_end(void);

/* The measurements of a run (measurements.c). All times are in the plan's unit. */

/** An attempt at a task. */
typedef struct exec_attempt {
    unsigned               worker;
    hs_type                type; /* type of the worker */
    uint32_t               task, number;
    double                 start, end, time;
    /* whether the attempt finished; otherwise it was aborted or failed */
    bool                   done;
    const hs_exec_failure *failure; /* NULL: no failure */
} exec_attempt;

typedef struct exec_worker {
    char   name[16];
    const char *node;                   /* name of the worker's node; NULL in a run without nodes */
    size_t tasks, aborted, failed; /* number of attempts by outcome */
    double busy;                   /* time in finished attempts */
    double lost;                   /* time in aborted or failed attempts */
    double idle;                   /* idle time: the sum of the next four members */
    double no_task;                /* idle time without a ready task that the worker can run */
    double victims;                /* idle time until a victim aborted its task */
    double data;                   /* idle time until the inputs of a task arrived */
    /* idle time with a ready task, which another worker took or which was about to start */
    double other;
} exec_worker;

/** Statistics of the finished tasks of a kernel on a type. A guess is no estimate. */
typedef struct exec_kernel {
    const char    *name;
    hs_type        type;
    hs_cost_source source; /* source of the estimates, in exec_measured.sources */
    size_t         count;
    double         mean, deviation;     /* mean and deviation of the measured times */
    size_t         estimates;           /* number of tasks with an estimate */
    double         estimated;           /* mean of the estimates; NaN: none */
    double         error, error_spread; /* mean and deviation of measured / estimated; NaN: none */
    const double  *errors;              /* measured / estimated of tasks with an estimate */
    double         scale; /* mean of measured / estimated or guessed, of all tasks */
} exec_kernel;

typedef struct exec_kernels {
    exec_kernel        *of; /* longest total time first */
    size_t              count;
    double             *errors;  /* owner of the kernels' `errors` */
    const exec_kernel **by_name; /* sorted by name and type; NULL: not sorted */
} exec_kernels;

/**
 * Shares of the total time of all workers of a type, each in [0, 1], and number of finished tasks.
 */
typedef struct exec_total {
    unsigned workers;
    size_t   tasks;
    /* shares of the times in exec_worker */
    double   busy, lost, idle, no_task, victims, data, other;
} exec_total;

struct exec_measured {
    double              predicted, achieved; /* predicted and achieved makespan */
    double              bound;               /* area bound of the measured times; NaN: none */
    double              known_makespan; /* makespan that known times would have given; NaN: none */
    size_t              known_guesses;  /* tasks with a guess in it */
    unsigned            cpus, gpus;
    exec_attempt       *attempts; /* attempts, ordered by worker, then time */
    size_t              attempt_count;
    exec_worker        *workers;
    exec_kernels        kernels; /* by kernel and type */
    exec_kernels        sources; /* by kernel, type and source of the estimate */
    char               *keys;    /* keys of commands, each ended by a NUL */
    size_t             *names;   /* by row and type: position in `keys` */
    hs_schedule        *happened; /* the run as a schedule; failed attempts are aborted entries */
    hs_picture_failure *failures;
    size_t              failure_count;
    hs_transfer        *transfers; /* copies of data during the run */
    size_t              transfer_count;
    transfer_totals copied, predicted_copies;
    hs_wait            *waits; /* waits for victims, ordered by worker, then time */
    size_t              wait_count;
    hs_exec_failure    *known; /* failures by task and number of the attempt */
    size_t              known_count;
};

/** Compute the measurements of a run. HS_ENOMEM. Free `m` also after a failure. */
hs_status exec_measure(const exec_job *job, exec_measured *m);
void      exec_measured_free(exec_measured *m);

/**
 * Compute the area bound of the measured times; NaN if no task finished, or if a time on the other
 * type is only a guess.
 */
hs_status exec_measured_bound(const exec_job *job, const exec_measured *m, double *bound);

/**
 * Simulate heteroprio on the measured times if times of the instance were unknown and all tasks are
 * done (known_times.c). HS_ENOMEM.
 */
hs_status exec_measure_known(const exec_job *job, exec_measured *m);

/**
 * Return the name under which times of `task` on `type` are grouped: its kernel, else the program
 * of its command, else the backend.
 */
const char *exec_kernel_name(const exec_job *job, const exec_measured *m, uint32_t task,
                             hs_type type);

/** Return the name without sizes: the kernel up to its colon, else as exec_kernel_name(). */
const char *exec_key_name(const exec_job *job, const exec_measured *m, uint32_t task, hs_type type);

/** Compute names, kernels and sources from the attempts (kernel_statistics.c). HS_ENOMEM. */
hs_status exec_measure_kernels(const exec_job *job, exec_measured *m);
void      exec_kernels_free(exec_kernels *kernels);

/** Return the totals of a type (measurements.c). */
exec_total exec_total_of(const exec_measured *m, hs_type type);

/** Return "done", "failed" or "aborted". */
const char *exec_outcome(const exec_attempt *attempt);

/** Return the command of a task on a type; empty: none. */
const char *exec_command(const exec_job *job, uint32_t task, hs_type type);

/** Return the statistics of a kernel on a type, or NULL. O(log kernels). */
const exec_kernel *exec_kernel_find(const exec_measured *m, const char *name, hs_type type);

/**
 * Return the kernels of the tables: by source if times were unknown, else only by type.
 */
static inline const exec_kernels *exec_kernels_shown(const exec_job *job, const exec_measured *m)
{
    return job->has_unknown ? &m->sources : &m->kernels;
}

/** Return the name of a source in tables; all guesses have one name. */
static inline const char *exec_source_name(hs_cost_source source)
{
    return hs_cost_is_guess(source) ? "guess" : hs_cost_source_name(source);
}

static inline const char *exec_type_name(hs_type type)
{
    return type == HS_CPU ? "CPU" : "GPU";
}

const char *exec_unit_name(const exec_job *job);

/** Print the assignment of tasks to workers without a run (dry_run.c). Return the exit code. */
int exec_dry_run(const exec_job *job);

/**
 * Return whether the shell command starts with a program, copied to `word`, for which no file
 * exists. Return false if the file exists or only the shell could tell.
 */
enum { EXEC_PROGRAM = 256 };
bool exec_program_is_missing(const char *command, char word[EXEC_PROGRAM]);

/** Print the GPUs of this machine, or the devices of a list of modules, on standard output. Return the
 * exit code. */
int exec_devices(const char *modules);

/**
 * Return true for the next task that was not run because a predecessor failed (measurements.c):
 * number *next - 1 after the call. *next starts at 0; *failed is the failed task. Return false past
 * the last.
 */
bool exec_blocked_next(const exec_job *job, uint32_t *next, uint32_t *failed);

/**
 * The matrix factorised by the tasks (matrix_files.c). read: from a file of doubles by column, or a
 * .npy file; return 0, or an exit code after a message. write: the factors, as .npy if `path` ends in
 * .npy.
 */
int       exec_matrix_read(const char *path, const hs_instance *of, double **matrix, size_t *order);
hs_status exec_matrix_write(FILE *out, const exec_job *job, const char *path);

/** A key figure of a run, such as "achieved makespan", "12.5", "ms", "   1.02 x predicted". */
typedef struct exec_figure {
    const char *label;
    char        text[512]; /* the number, then the unit and the remark, each ended by a NUL */
    const char *unit, *remark; /* pointers into `text`; may be empty strings */
    char        duration[32];  /* a long time in words, such as "8 h 38 min"; empty: none */
    bool        is_bad;        /* whether the figure reports a failure */
} exec_figure;

/** List the key figures (key_figures.c) and return their number. */
enum { EXEC_FIGURES = 16 };
size_t exec_figures(const exec_job *job, const exec_measured *m, exec_figure list[EXEC_FIGURES]);

/**
 * Return whether all predicted tasks are done. Otherwise predicted and achieved makespan are not
 * comparable.
 */
bool exec_is_comparable(const exec_job *job);

/** Print the summary (summary.c). */
void exec_summary(FILE *out, const exec_job *job, const exec_measured *m);

/**
 * Compute a digest of the task names, independent of their order: equal digests mean the same tasks
 * in two reports (json_report.c).
 */
enum { EXEC_NAMES = 17 };
void exec_digest_names(const hs_instance *in, char text[EXEC_NAMES]);

/** Write the report (json_report.c, html/). */
void      exec_write_json(FILE *out, const exec_job *job, const exec_measured *m);
hs_status exec_write_html(FILE *out, const exec_job *job, const exec_measured *m);

/** Return whether an emulated worker made the attempt; its time is only the estimate. */
bool exec_is_emulated(const exec_job *job, const exec_attempt *attempt);

/**
 * Create the instance with the measured times (measured_instance.c), HS_UNKNOWN where neither a
 * measurement nor an estimate exists; or write it.
 */
hs_status exec_measured_instance(const exec_job *job, const exec_measured *m, hs_instance **out);
hs_status exec_write_measured(int fd, const exec_job *job, const exec_measured *m);

/**
 * Write a picture of the run beside the prediction (pictures.c), by hs_gantt_write() or
 * hs_trace_write(). `width` is the width in hs_picture.
 */
typedef hs_status exec_picture_writer(int fd, const hs_instance *in, const hs_schedule *s,
                                      const hs_picture *picture, hs_error *error);
hs_status exec_write_picture(exec_picture_writer *write, int fd, const exec_job *job,
                             const exec_measured *m, double width);

#endif
