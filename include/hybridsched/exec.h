/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_EXEC_H
#define HYBRIDSCHED_EXEC_H

#include <hybridsched/backend.h>
#include <hybridsched/policy.h>

HS_BEGIN_DECLS

/*
 * libhybridsched-exec: a policy on the wall clock. One thread a worker runs tasks on
 * real cores and GPUs. No environment is read and no signal handler is set.
 */

/** What becomes of the rest when a task has failed for good. */
typedef enum hs_halt {
    HS_HALT_SOON,  /* start nothing more, let what runs end */
    HS_HALT_NOW,   /* abort what runs too */
    HS_HALT_NEVER  /* go on with the others */
} hs_halt;

typedef struct hs_exec_progress {
    double   seconds;   /* since the start */
    uint64_t total, done, running, failed;
    double   remaining; /* seconds that are left by the estimates */
} hs_exec_progress;

/** An attempt that failed, or that ended well and of which there is something to say. */
typedef struct hs_exec_failure {
    size_t      struct_size;
    uint32_t    task;
    uint32_t    number; /* of the attempt, from 1 */
    unsigned    worker;
    int         final;  /* it is not tried again */
    int         done;   /* it has not failed: `why` is a note */
    const char *why;
    const char *log;    /* NULL: none was kept */
    unsigned    retired; /* the worker is out of service: it was lost (1), or so many attempts in a
                            row have failed; 0: it goes on */
} hs_exec_failure;

#define hs_exec_failure_init(f) ((f)->struct_size = sizeof *(f))

/** An attempt that has ended. */
typedef struct hs_exec_attempt {
    size_t     struct_size;
    uint32_t   task;
    uint32_t   number;    /* from 1, runs that went before counted in */
    unsigned   worker;
    hs_outcome outcome;
    int        timed_out; /* then it has failed */
    int        status;    /* exit status of its process; negative: none, or a signal ended it */
    int        signal;    /* that ended its process; 0: none */
    double     start, end; /* seconds from the start of the run */
    double     date;      /* when it began, in seconds since 1970 */
} hs_exec_attempt;

/** A line that a command has printed. */
typedef struct hs_exec_line {
    size_t      struct_size;
    uint32_t    task;
    uint32_t    number; /* of the attempt, from 1 */
    unsigned    worker;
    int         error; /* on standard error */
    const char *text;  /* `length` bytes; the last is its newline, unless the line is longer than
                          8 KiB and goes on, or the output ends without one */
    size_t length;
} hs_exec_line;

/** What is run when a journal is there. */
typedef enum hs_resume {
    HS_RESUME_NOT,   /* all; there must not be one yet */
    HS_RESUME_REST,  /* what is not done, or no longer what it was when it was done */
    HS_RESUME_FAILED /* what has failed the last time that it was tried, and what was not run
                        because of that */
} hs_resume;

/** Always start from hs_exec_settings_init(). */
typedef struct hs_exec_settings {
    size_t struct_size;

    /* What decides. */
    const hs_policy_kind *policy;     /* NULL: plan */
    double                time_scale; /* a factor: how much longer tasks take here than the
                                             plan's times say; 0: 1 */
    double                tolerance;  /* see hs_policy_create(); 0: 0.02; negative: none */

    /* What runs the tasks. */
    int emulate[2]; /* by hs_type: tasks take their planned time (a GPU's gpu_command is run
                       all the same) */
    int allow_commands, allow_plugins;
    int verify;     /* check results of built-in kernels; 1 */
    const hs_backend *const *backends; /* asked before the built-in ones */
    size_t                   backend_count;

    /* Where they run. */
    unsigned    cores[2];             /* of a worker, by hs_type; 0: 1 */
    double      memory;               /* bytes that each process of a command may have, as
                                         RLIMIT_AS; 0: no limit */
    int         oversubscribe;        /* more CPU workers than cores are welcome */
    int         no_reserve;           /* CPU workers may have the cores of GPUs' threads */
    int         unbound;              /* no worker is bound to a core */
    const int  *os_cpus;              /* by worker: the processor that it is bound to, -1: none
                                         (not with several cores a worker); copied; NULL: they
                                         are found, and cores are counted */
    int         keep_visible_devices; /* of commands, CUDA_VISIBLE_DEVICES stays as it is */
    const char *module;               /* file of the module for GPUs; NULL: the installed one */
    int         gpu_mode;             /* an hs_gpu_mode: how the plan's tasks get to a GPU */
    int         resident;             /* inputs are on GPUs before the start, results stay */

    /* When they do not end well. */
    unsigned retries;        /* further attempts at a task that failed; 0: by another worker if one
                                can, after two on a type by one of the other; nobody takes it over */
    double   retry_delay;    /* seconds before the second, twice as many before each that follows,
                                up to a minute or to this; 0: 0.1; negative: none */
    unsigned retire_after;   /* attempts in a row that fail on a worker that others do: it gets no
                                more (four times as many if nobody tried these); 0: 5 */
    double   timeout;        /* seconds for an attempt of a task that has none of its own; 0: none */
    double   timeout_factor; /* likewise, times its estimate; 0: none */
    double   grace;          /* seconds from SIGTERM to SIGKILL, and that what a command's shell
                                leaves running has before; 0: 2 */
    hs_halt  halt;

    /* What is left of it. */
    const char *logs;             /* folder for output of commands; NULL: none kept */
    int         logs_of_failures; /* of `logs` only what failed attempts printed is kept */
    const char *journal;          /* file; NULL: none */
    hs_resume   resume;           /* go on from that journal */
    int         look_only;        /* the journal is read and stays as it is; no run */

    /* What is told meanwhile, in the thread of hs_exec_run(), in which deadlines wait. */
    void (*progress)(void *progress_data, const hs_exec_progress *progress); /* NULL */
    void *progress_data;
    double progress_interval; /* seconds; 0: 0.2 */
    void (*failure)(void *failure_data, const hs_exec_failure *failure); /* NULL; each, soon after;
                                              strings last as long as the handle */
    void *failure_data;

    /* Each attempt as it ends, in that order and one at a time: in threads of workers, which wait.
     */
    void (*attempt)(void *attempt_data, const hs_exec_attempt *attempt); /* NULL */
    void *attempt_data;

    /* Lines of commands as they are printed, one at a time, likewise; as if logs_apart. */
    void (*line)(void *line_data, const hs_exec_line *line); /* NULL */
    void *line_data;
    double ratio_tolerance; /* of the policy: hs_policy_settings.ratio_tolerance */
    int   logs_apart; /* commands' standard error has a file of its own: see hs_exec_log() */

    hs_rank  rank; /* of `policy`, as are the next three: see hs_policy_create() */
    double   band, leave;
    unsigned threshold;
    uint64_t matrix_seed; /* of the input that a graph of kernels factorises */
    const double *matrix; /* that input instead: matrix_order x matrix_order by column, of Cholesky
                             only what is on and below the diagonal; it must outlive the handle */
    size_t matrix_order;
    double   gpu_memory;  /* bytes of that matrix on each GPU, at most; 0: most of what there is */
    int      transfers;   /* copies are recorded: see hs_exec_transfers() */
} hs_exec_settings;

HS_API void hs_exec_settings_init_sized(hs_exec_settings *settings, size_t size);
#define hs_exec_settings_init(s) hs_exec_settings_init_sized((s), sizeof *(s))

/** Cores that this process may use: as many CPU workers can do without `oversubscribe`. */
HS_API unsigned hs_exec_cores(void);

/** A GPU that this process may use. */
typedef struct hs_exec_device {
    size_t   struct_size;
    char     name[128];  /* NVIDIA H200 */
    char     uuid[48];   /* GPU-... or MIG-... */
    char     pci[32];    /* 0000:3b:00.0 */
    uint64_t memory;     /* bytes */
    char     cores[256]; /* processors nearest to it, 0-7,16-23; empty: not known */
} hs_exec_device;

#define hs_exec_device_init(d) ((d)->struct_size = sizeof *(d))

/**
 * The index-th GPU, in the order in which workers get them: that of CUDA_VISIBLE_DEVICES, which
 * the CUDA runtime obeys. `module` as in the settings; `out` NULL: only how many there are.
 * HS_ERESOURCE: `why` (HS_WHY bytes, or NULL) says why there is none.
 */
HS_API hs_status hs_exec_device_at(const char *module, unsigned index, hs_exec_device *out,
                                   unsigned *count, char why[HS_WHY]);

typedef struct hs_exec hs_exec;

/**
 * Make ready to run the tasks of `in` (which must outlive the handle, as `plan`
 * must; NULL where the policy needs none): everything that can be refused is refused
 * here, before anything starts. On failure `why` (HS_WHY bytes, or NULL) says why:
 * HS_EREFUSED: commands or plugins were not allowed; HS_ERESOURCE: no GPU, too few
 * cores; HS_EINVAL: an unknown kernel, a journal of another plan, bad settings; HS_EDEPENDENT: a
 * policy that does not know tasks that depend on each other, or kernels that would work on data
 * that others made: built-in ones do in a factorisation (see hs_exec_factorised()), of QR on CPUs
 * and emulated GPUs alone; others and plugins have data of their own.
 */
HS_API hs_status hs_exec_create(const hs_instance *in, const hs_schedule *plan,
                                const hs_exec_settings *settings, hs_exec **out,
                                char why[HS_WHY]);
HS_API void      hs_exec_free(hs_exec *exec);

/** How a worker will work: for --dry-run. */
typedef struct hs_exec_worker_info {
    size_t      struct_size;
    char        name[16];    /* cpu3 */
    int         os_cpu;      /* the first of its cores; -1: not bound */
    const char *device;      /* UUIDs of GPUs; NULL: emulated, or unused */
    char        cores[64];   /* all that it is bound to, such as 4,5 */
    int         unused;      /* no task can run there: it needs no core and no device */
} hs_exec_worker_info;

#define hs_exec_worker_info_init(i) ((i)->struct_size = sizeof *(i))
HS_API void hs_exec_worker(const hs_exec *exec, unsigned worker, hs_exec_worker_info *info);

/** Name of the backend that runs a task on a type; NULL if it cannot run there. */
HS_API const char *hs_exec_backend(const hs_exec *exec, uint32_t task, hs_type type);

/** What the journal that is resumed has of the tasks: each is in one of the first five. */
typedef struct hs_exec_past {
    size_t   struct_size;
    uint64_t done;    /* not run again */
    uint64_t failed;  /* when it was tried last */
    uint64_t changed; /* done, but its command or kernel was another, or what it comes after was
                         done again since, or is to be; or an attempt has begun since that has
                         not ended */
    uint64_t fresh;   /* not on record */
    uint64_t gone;    /* on record, and there is no such task now */
} hs_exec_past;

#define hs_exec_past_init(p) ((p)->struct_size = sizeof *(p))
HS_API void hs_exec_recorded(const hs_exec *exec, hs_exec_past *past);

/**
 * What the policy makes of the estimates of what is to be run, under a virtual clock: without the
 * tasks that the journal has done, and those that HS_RESUME_FAILED leaves out. As
 * hs_policy_simulate() with the settings' policy, but for the tolerance, 0, and with transfers. On
 * HS_OK the caller owns *out.
 */
HS_API hs_status hs_exec_predict(const hs_exec *exec, hs_schedule **out);

typedef enum hs_exec_stop_how { HS_STOP_DRAIN = 1, HS_STOP_NOW = 2 } hs_exec_stop_how;

/**
 * Start nothing more, or abort what runs as well. May be called from a signal handler. Between
 * runs it is the next one that is stopped.
 */
HS_API void hs_exec_stop(hs_exec *exec, hs_exec_stop_how how);

typedef struct hs_exec_report {
    size_t   struct_size;
    uint64_t tasks, done, resumed, failed, not_run; /* tasks; done includes resumed; what is none
                                                       of these is left_out or unrecorded */
    uint64_t aborted;          /* attempts that were taken over by another worker */
    uint64_t retried;
    unsigned lost_workers;     /* and retired ones */
    double   seconds;          /* from the start to the last end */
    double   overhead;         /* seconds: (workers x seconds - busy) / tasks done or failed here */
    int      stopped;          /* by hs_exec_stop() */
    double   busy;             /* seconds in bodies, over all workers */
    double   idle;             /* seconds in which the policy had nothing for a worker, or it was
                                  out of service */
    double   dispatch;         /* overhead without `idle` */
    uint64_t unrecorded;       /* tasks that came to a good end, but not into the journal, which
                                  could no longer be written */
    uint64_t left_out;         /* tasks that HS_RESUME_FAILED does not ask for */
    uint64_t blocked;          /* of not_run, those that come after a task that failed */
    double   gpu_joules;       /* that all GPUs have used, by NVML; 0: not known */
    unsigned gpu_clock, gpu_clock_most; /* MHz of the slowest of them at the end, and the most that
                                           it can; 0: not known */
    double   core_seconds;     /* processor time of workers' threads and of commands */
    double   core_wait;        /* seconds in which these could run, but something else had their
                                  core: not sleep, and not waits for input or output; of a command
                                  its shell's, or what the shell became; NaN: not known */
    uint64_t checkable;        /* tasks of built-in kernels with data of their own, done in this
                                  run */
    uint64_t checked;          /* of checkable, those whose results were verified: all on CPUs; on a
                                  GPU, the first of each kernel and size and every 16th from there */
} hs_exec_report;

#define hs_exec_report_init(r) ((r)->struct_size = sizeof *(r))

/**
 * Run. HS_OK: every task that was asked for is done. HS_EFAILED: some are not (see the report);
 * HS_ECANCELED: stopped; HS_ESCHEDULE: the policy decides what cannot be done; HS_EIO,
 * HS_ENOMEM, HS_ERESOURCE: `why` says what. Again and again, but once with a journal: each run
 * does all tasks, and the records and failures of the one before are gone when it begins.
 */
HS_API hs_status hs_exec_run(hs_exec *exec, hs_exec_report *report, char why[HS_WHY]);

/** One attempt that was made, times in seconds from the start. */
typedef struct hs_exec_record {
    double   start, end;
    uint32_t task;
    uint16_t number;  /* of the attempt, from 1 */
    uint16_t outcome; /* an hs_outcome */
} hs_exec_record;

/** After the run: the attempts of one worker by time; owned by the handle. */
HS_API const hs_exec_record *hs_exec_records(const hs_exec *exec, unsigned worker, size_t *count);

/**
 * After the run: when the worker waited for others to abort what it was to take over, or as a
 * stand-in for a task's inputs, by time, in seconds from the start; owned by the handle.
 */
HS_API const hs_wait *hs_exec_waits(const hs_exec *exec, unsigned worker, size_t *count);

/**
 * After a run with settings.transfers: copies of the matrix that a graph of kernels factorises from
 * memory to memory, in seconds from the start; some may end after the last task, when the result
 * comes home. Those of a GPU that broke are not there. Where stand-ins wait for what their tasks
 * read, the transfers to their memories that the policy has started. Sorted by where to, then
 * start; owned by the handle.
 */
HS_API const hs_transfer *hs_exec_transfers(const hs_exec *exec, size_t *count);

/**
 * The file for what an attempt prints in a folder of `logs`: ID.NUMBER.log; or where standard error
 * is apart ID.NUMBER.out and, `error`, ID.NUMBER.err. Returns its length and puts as much of it
 * into `path` as has room, as snprintf() does; 0: there is none.
 */
HS_API size_t hs_exec_log(const hs_exec *exec, uint32_t task, uint32_t number, int error,
                          char *path, size_t size);

/**
 * After the run: 1 if `task` was not run since it comes, directly or over others, after one that
 * failed, and *failed (which may be NULL), the first of those by number; else 0. O(1).
 */
HS_API int hs_exec_blocked(const hs_exec *exec, uint32_t task, uint32_t *failed);

/** What a graph of kernels factorises. */
typedef struct hs_exec_factorisation {
    size_t      struct_size;
    const char *name;          /* Cholesky, LU, QR */
    size_t      order, tile;   /* of the matrix, and of each of its tiles */
    uint64_t    seed;
    double      operations;    /* of floating point: order^3 times 1/3, 2/3 or 4/3 */
    int         checked;       /* the last run came to its end, and its result was verified; */
    int         wrong;         /* it is not below the limits */
    double      relative;      /* Frobenius norm of input - product of the factors, over the
                                  input's; below 1e-8 */
    double      largest;       /* element of that difference, in absolute value; below `limit` */
    double      orthogonality; /* QR: of Q'Q and the unit matrix, as `relative`; else 0 */
    int         given;         /* the input is settings.matrix */
    double      limit;         /* of `largest`: 1e-6, times the largest element of what is given */
} hs_exec_factorisation;

#define hs_exec_factorisation_init(f) ((f)->struct_size = sizeof *(f))

/**
 * Where built-in kernels work on the data that rows name, these are the tiles of one matrix in
 * memory, and the run factorises it: 1 and what is known of that, before a run too; else 0. With
 * settings.verify a run whose result is wrong ends with HS_EFAILED.
 */
HS_API int hs_exec_factorised(const hs_exec *exec, hs_exec_factorisation *out);

/**
 * After a run that did all tasks: what it made of the matrix, order x order by column. Cholesky's L
 * and QR's R with zeros in the other triangle; LU's L, without its diagonal of ones, and U.
 * HS_EINVAL: there is none.
 */
HS_API hs_status hs_exec_factors(const hs_exec *exec, double *out);

/** A worker at one moment of a run. */
typedef struct hs_exec_activity {
    size_t   struct_size;
    int      running; /* 1: the worker runs `task`; 0: no task runs */
    uint32_t task;    /* on a GPU with several in flight, the one launched last */
    double   seconds; /* since the task began */
    uint64_t done;    /* tasks that the worker has done in this run */
} hs_exec_activity;

#define hs_exec_activity_init(a) ((a)->struct_size = sizeof *(a))

/**
 * Fill *out with what a worker does now. From any thread during hs_exec_run(); takes no lock. The
 * fields are read one after another, so the worker may have gone on meanwhile.
 */
HS_API void hs_exec_activity_now(const hs_exec *exec, unsigned worker, hs_exec_activity *out);

/** Failures so far, in order of time: 0 past the last. From any thread, during the run too. */
HS_API int hs_exec_failure_at(const hs_exec *exec, size_t index, hs_exec_failure *out);

HS_END_DECLS

#endif
