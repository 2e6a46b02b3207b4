/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_EXEC_H
#define HYBRIDSCHED_EXEC_H

#include <hybridsched/backend.h>
#include <hybridsched/plugin.h>
#include <hybridsched/policy.h>

HS_BEGIN_DECLS

/*
 * libhybridsched-exec runs a policy on the wall clock. One thread per worker runs tasks on real
 * cores and GPUs. The library reads no environment variable and sets no signal handler.
 */

/** Reaction to the final failure of a task. */
typedef enum hs_halt {
    HS_HALT_SOON, /* start no further task, let running tasks end */
    HS_HALT_NOW,  /* also abort running tasks */
    HS_HALT_NEVER /* go on with the remaining tasks */
} hs_halt;

/** Progress of a run. */
typedef struct hs_exec_progress {
    size_t   struct_size;
    double   seconds;                      /* seconds since the start */
    uint64_t total, done, running, failed; /* numbers of tasks */
    double   remaining;                    /* estimated seconds until the end */
} hs_exec_progress;

/** A failed attempt, or a finished attempt with a note. */
typedef struct hs_exec_failure {
    size_t      struct_size;
    uint32_t    task;
    uint32_t    number; /* number of the attempt, from 1 */
    unsigned    worker;
    int         final; /* whether the attempt was the last: the task is not tried again */
    int         done;  /* whether the attempt succeeded, so that `why` is a note */
    const char *why;
    const char *log;     /* file with the attempt's output; NULL: none was kept */
    unsigned    retired; /* 0: the worker remains in service; 1: the worker was lost; above 1:
                            the worker was retired after this number of consecutive failures */
} hs_exec_failure;

#define hs_exec_failure_init(f) ((f)->struct_size = sizeof *(f))

/** A finished attempt. */
typedef struct hs_exec_attempt {
    size_t     struct_size;
    uint32_t   task;
    uint32_t   number; /* number of the attempt, from 1, earlier runs of the journal included */
    unsigned   worker;
    hs_outcome outcome;
    bool       timed_out; /* whether the attempt exceeded its timeout and failed */
    int        status;    /* exit status of the process; negative: no process, or a signal ended
                             it */
    int        signal;    /* terminating signal of the process; 0: none */
    double     start, end; /* seconds from the start of the run */
    double     date;       /* start of the attempt, seconds since 1970 */
} hs_exec_attempt;

/** A line of output of a command. */
typedef struct hs_exec_line {
    size_t      struct_size;
    uint32_t    task;
    uint32_t    number; /* number of the attempt, from 1 */
    unsigned    worker;
    int         error; /* whether the line was written to standard error */
    const char *text;  /* `length` bytes; the last byte is the newline, unless the line is longer
                          than 8 KiB and continues, or the output ends without a newline */
    size_t length;
} hs_exec_line;

/** Tasks to run when a journal is given. */
typedef enum hs_resume {
    HS_RESUME_NOT,   /* run every task; the journal must not exist yet */
    HS_RESUME_REST,  /* run unfinished tasks, and tasks changed since they finished */
    HS_RESUME_FAILED /* run tasks whose last attempt failed, and tasks blocked by such failures */
} hs_resume;

/**
 * A function of the program that executes a task: as an hs_plugin_function, with an argument of its
 * own. task->id is NULL. Returns an hs_plugin_result. Several workers may call it at once, and it
 * may be called again for the same task after a failure or a spoliation.
 */
typedef int hs_exec_function(void *argument, const hs_plugin_task *task);

/** The functions of a task. */
typedef struct hs_exec_call {
    hs_exec_function *function[2]; /* by hs_type; NULL: the task does not run on this type. Both
                                      NULL: the command or kernel of the task runs */
    void *argument;                /* first argument of the functions */
} hs_exec_call;

/** A node: a machine that executes commands of a run. The layout is final. */
typedef struct hs_exec_node {
    const char *name;   /* HSCHED_NODE in the environment of commands */
    const char *launch; /* shell command that calls hs_exec_serve() there, e.g.
                           "ssh n1 hsched-exec --node", with the node's messages on its standard
                           input and output */
} hs_exec_node;

/** The ranks of a run over MPI, with this process as one of them. */
typedef struct hs_mpi hs_mpi;

/**
 * Open the module for MPI, and initialise MPI unless the application has done so: with
 * MPI_THREAD_FUNNELED, and the calling thread talks. Collective, as all calls below: each rank of
 * MPI_COMM_WORLD makes them in the same order. All calls with a handle, and hs_exec_run(), are made
 * by this thread. On HS_OK the caller owns *out. HS_ERESOURCE: no module, or MPI cannot be
 * initialised; HS_EIO; HS_ENOMEM.
 */
HS_API hs_status hs_mpi_open(hs_mpi **out, hs_error *error);

/** Close the handle after all runs, and finalise MPI if hs_mpi_open() has initialised it. NULL is
 * allowed. */
HS_API void hs_mpi_close(hs_mpi *mpi);

HS_API unsigned hs_mpi_rank(const hs_mpi *mpi);  /* number of this rank, from 0; not collective */
HS_API unsigned hs_mpi_ranks(const hs_mpi *mpi); /* number of ranks; not collective */

/** Number of ranks on this machine that may use the same processors as this rank, with it. */
HS_API unsigned hs_mpi_neighbours(const hs_mpi *mpi);

/** Set *most to the largest `mine` of all ranks, for instance of their exit codes. HS_EIO. */
HS_API hs_status hs_mpi_most(const hs_mpi *mpi, int mine, int *most, hs_error *error);

/** End all ranks at once, with an exit code, not collective: for a rank that cannot go on. */
HS_API void hs_mpi_abort(hs_mpi *mpi, int code);

/**
 * Settings of a run. Start from hs_exec_settings_init(), which sets `run.verify` to 1 and the rest
 * to 0. Each group ends with `reserved` places: a later version puts its new fields there, so the
 * groups keep their sizes. hs_exec_create() refuses other values than 0 in them.
 */
typedef struct hs_exec_settings {
    size_t struct_size;

    /** The policy. */
    struct {
        const hs_policy_kind *policy;    /* policy that decides; NULL: the policy "plan" */
        hs_rank               rank;      /* rank of `policy` */
        double                tolerance; /* hs_policy_settings.tolerance; 0: 0.02; negative: no
                                            tolerance */
        hs_parameters  parameters;       /* parameters of `policy` */
        const hs_cost *cost;             /* explore: executions of earlier runs; NULL: none */
        uint64_t       reserved[7];
    } decide;

    /** Execution of tasks. */
    struct {
        double time_scale; /* factor from the plan's times to real durations; 0: 1 */
        int    emulate[2]; /* by hs_type: emulate tasks by timers of their planned time (a
                              gpu_command still runs) */
        bool                     allow_commands;
        bool                     allow_plugins;
        int                      verify;   /* verify results of built-in kernels; default 1 */
        const hs_backend *const *backends; /* tried before the built-in backends */
        size_t                   backend_count;
        uint64_t      matrix_seed; /* seed of the random input matrix of a factorisation */
        const double *matrix;      /* input matrix instead of a random matrix: matrix_order x
                                      matrix_order by column, for Cholesky only the lower
                                      triangle; must outlive the handle */
        size_t              matrix_order;
        const hs_exec_call *calls; /* functions that execute the tasks, one element per task; must
                                      outlive the handle; NULL: none. Used before the built-in
                                      backends, but not for a type that is emulated. GPU workers get
                                      a device and a stream if gpu.module is the file of a GPU
                                      module, or if a task on GPUs has no function */
        const hs_exec_node *nodes; /* nodes that execute the tasks, which are commands or emulated;
                                      the workers are divided among them as the instance's nodes,
                                      or else evenly; must outlive the handle; NULL: this process
                                      executes the tasks */
        size_t   node_count;
        double   node_timeout; /* seconds of silence after which a node is lost; 0: 30 */
        bool     fewer_nodes;  /* run also if some nodes cannot be started: their workers are lost */
        bool     collect_factors; /* with `mpi`: rank 0 gets all factors at the end of a run, for
                                     hs_exec_copy_factors() */
        const hs_mpi *mpi; /* the ranks that factorise one matrix together; must outlive the handle;
                              NULL: this process alone. Each rank has the whole instance, workers as
                              the instance says, and its own part of the tiles. A task runs on the
                              rank of the last tile that it writes. Every task must be a step of the
                              factorisation, on CPUs or emulated GPUs. hs_exec_run() is collective;
                              after its failure on one rank the others wait: call hs_mpi_abort().
                              HS_HALT_NEVER is HS_HALT_SOON */
        uint64_t reserved[2];
    } run;

    /** Placement of workers on cores. */
    struct {
        unsigned   cores[2];        /* cores per worker, by hs_type; 0: 1 */
        int        oversubscribe;   /* allow more CPU workers than cores */
        int        share_gpu_cores; /* let CPU workers use the cores of GPU worker threads */
        bool       unbound;         /* bind no worker to a core */
        const int *os_cpus;         /* processor by worker, -1: not bound (not combined with several
                                       cores per worker); copied; NULL: choose processors and check
                                       that there are enough */
        double process_memory;      /* RLIMIT_AS of each process of a command, in bytes; 0: no
                                       limit */
        uint64_t reserved[8];
    } place;

    /** GPUs. */
    struct {
        const char *module;            /* file of the GPU module; NULL: the first of cuda and opencl
                                          that has a device: installed, or on the library search path.
                                          Or a list of modules for devices, as for
                                          hs_exec_device_at(): its devices run kernels of a
                                          factorisation that all of them have, or plugins on data */
        int    mode;                 /* an hs_gpu_mode: launch mode of planned tasks */
        int    resident;             /* upload inputs before the start, leave results on the GPUs */
        int    keep_visible_devices; /* leave CUDA_VISIBLE_DEVICES of commands unchanged */
        double tile_memory; /* limit in bytes for tiles on each GPU; 0: tile_share decides */
        double tile_share;  /* limit for tiles as a share of each GPU's total memory, at most 1;
                               0: 0.8; memory used by other processes does not change it */
        uint64_t reserved[8];
    } gpu;

    /** Failures and timeouts. */
    struct {
        unsigned retries;      /* further attempts after a failure; 0: none. A retry prefers
                                  another worker, and after two failures on one type a worker of
                                  the other type; a retried task is not spoliated */
        unsigned retire_after; /* consecutive failures after which a worker is retired, if other
                                  workers run these tasks successfully; four times as many if no
                                  other worker tried them; 0: 5 */
        double retry_delay;    /* seconds before the second attempt, doubled before each later
                                  attempt up to a minute or up to this value if larger; 0: 0.1;
                                  negative: no delay */
        double timeout;        /* default timeout of an attempt in seconds, for tasks without a
                                  timeout; 0: none */
        double timeout_factor; /* default timeout as a multiple of the estimate, unless that is a
                                  guess of hs_instance_fill(); 0: none */
        double grace;          /* seconds from SIGTERM to SIGKILL, and seconds granted before
                                  SIGTERM to background processes left by a command's shell;
                                  0: 2 */
        hs_halt  halt;         /* reaction to the final failure of a task */
        uint64_t reserved[8];
    } fail;

    /** Files and records kept of the run. */
    struct {
        const char *log_folder;       /* folder for the output of commands; NULL: discard output */
        int         failed_logs_only; /* keep only logs of failed attempts */
        bool        separate_errors;  /* write standard error of commands to a separate file, see
                                         hs_exec_log_path(); implied by report.line */
        const char *journal;          /* journal file; NULL: no journal */
        hs_resume   resume;           /* tasks to run again with this journal */
        int         dry_run;          /* read the journal without changing it; hs_exec_run() is
                                         refused */
        int      transfers;           /* record transfers, see hs_exec_transfers() */
        const char *const *other_journals; /* journals that `resume` reads besides, of runs of other
                                              parts of the tasks; never written; a file that does
                                              not exist counts as empty */
        size_t   other_journal_count;
        size_t idle_journal_count; /* the first of other_journals that may be of runs of the same
                                      tasks: HS_EINVAL if another process is writing one */
        uint64_t reserved[5];
    } keep;

    /**
     * Callbacks; NULL: none. hs_exec_run() calls progress() and failure() in its own thread and
     * enforces no deadline meanwhile, so return soon; strings given to failure() live as long as
     * the handle. attempt() and line() are called in worker threads, one call at a time; the worker
     * waits.
     */
    struct {
        void *data; /* first argument of each callback */
        void (*progress)(void *data, const hs_exec_progress *progress);
        void (*failure)(void *data, const hs_exec_failure *failure); /* soon after each failure */
        void (*attempt)(void *data, const hs_exec_attempt *attempt); /* for each finished attempt,
                                                                        in order of end */
        void (*line)(void *data, const hs_exec_line *line);          /* for each line of output of a
                                                                        command */
        double   progress_interval; /* seconds between calls of progress(); 0: 0.2 */
        uint64_t reserved[8];
    } report;
} hs_exec_settings;

HS_API void hs_exec_settings_init_sized(hs_exec_settings *settings, size_t size);
#define hs_exec_settings_init(s) hs_exec_settings_init_sized((s), sizeof *(s))

/**
 * Number of cores available to this process: the largest number of CPU workers without
 * `oversubscribe`.
 */
HS_API unsigned hs_exec_core_count(void);

/** A GPU available to this process. */
typedef struct hs_exec_device {
    size_t   struct_size;
    char     name[128];  /* product name, e.g. NVIDIA H200 */
    char     uuid[48];   /* GPU-... or MIG-... */
    char     pci[32];    /* PCI address, e.g. 0000:3b:00.0 */
    uint64_t memory;     /* device memory in bytes */
    char     cores[256]; /* nearest processors, e.g. 0-7,16-23; empty: unknown */
} hs_exec_device;

#define hs_exec_device_init(d) ((d)->struct_size = sizeof *(d))

/**
 * Describe the index-th GPU in the order of assignment to workers: the order of
 * CUDA_VISIBLE_DEVICES, as the CUDA runtime applies it. `module` is settings.gpu.module, or a list of
 * modules for devices, like "opencl:all,emulated:devices=2": names or files, each with a selection of
 * devices; the path of a file is one module, also if it has commas or colons. A device that two modules
 * list is described once. With `out` NULL only *count is set, the number of GPUs. HS_ERESOURCE: no GPU;
 * HS_EINVAL: no such index, or a malformed list.
 */
HS_API hs_status hs_exec_device_at(const char *module, unsigned index, hs_exec_device *out,
                                   unsigned *count, hs_error *error);

/**
 * Measure copies from one memory to another: the memory of a GPU, by its index as above, or pinned
 * memory of the host (HS_NONE). Each sample has its `bytes`, at least 1, and gets `seconds`, the
 * median of several copies. HS_ERESOURCE: no GPU, or a copy failed; HS_EINVAL: no such GPU, or both
 * memories are the same; HS_EUNSUPPORTED: the module cannot measure.
 */
HS_API hs_status hs_exec_time_copies(const char *module, unsigned from, unsigned to,
                                     hs_copy_sample *samples, size_t count, hs_error *error);

typedef struct hs_exec hs_exec;

/**
 * Prepare a run of the tasks of `in`. `in` and `plan` must outlive the handle; `plan` is NULL for a
 * policy without plan. Every check that can refuse the run is done here, before any task starts. On
 * HS_OK the caller owns *out. HS_EREFUSED: commands or plugins were not
 * allowed; HS_ERESOURCE: no GPU, or too few cores; HS_EUNSUPPORTED: a kernel needs
 * OpenBLAS or LAPACKE, and the build is without; HS_EINVAL: unknown kernel, journal of another
 * plan, or bad settings; HS_EDEPENDENT: the policy supports independent tasks only, or a kernel
 * cannot share data between tasks. Built-in kernels share data in a factorisation (see
 * hs_exec_describe_factorisation()); other built-in kernels have private data. Plugins share data,
 * too (see hs_exec_data()).
 */
HS_API hs_status hs_exec_create(const hs_instance *in, const hs_schedule *plan,
                                const hs_exec_settings *settings, hs_exec **out, hs_error *error);
HS_API void      hs_exec_free(hs_exec *exec);

/**
 * Execute tasks for the hs_exec_create() of another process, the coordinator, as one of its
 * settings.run.nodes: read its messages from the descriptor `in` and write to `out`, until the end of
 * the run. Call it in a process with one thread that has no other work: it forks, and the calling
 * process only watches over its child, in which the call returns. When the child exits, the process
 * ends all commands and exits with the same status. HS_OK: the coordinator ended the run; HS_ECANCELED:
 * the coordinator was lost, and all commands are ended; HS_EINVAL: `in` has no such messages;
 * HS_ERESOURCE: this node refused the run, and the coordinator has the reason. Changes the working
 * folder, the environment (HSCHED_NODE) and SIGPIPE of the process.
 */
HS_API hs_status hs_exec_serve(int in, int out, hs_error *error);

/**
 * Set the memory of the data `name`, which tasks with a plugin use: `bytes` at `at`, which must
 * outlive the handle and overlap no other data; NULL: zeroed memory of the library, aligned to 64
 * bytes. Not during a run. Tasks work in this memory, so leave it alone until hs_exec_run()
 * returns. Then it has the newest version; data that a failed or aborted task writes is undefined
 * unless this task may be retried, time out or be spoliated: then it has no effect. After a run that
 * was stopped or failed, data may also have the effects of tasks that a device executed ahead of the
 * dispatcher and that count as not run: set all data anew. Without this call the library allocates data whose size the instance has, at the start of the first run.
 * HS_EINVAL: no task with a plugin uses this data on CPUs, the instance has another size for it, or
 * the library allocated `at`; HS_ENOMEM. O(log data), or O(data) once the library has allocated
 * data.
 */
HS_API hs_status hs_exec_data(hs_exec *exec, const char *name, void *at, size_t bytes);

/**
 * Return the memory of data, and set *bytes to its size; not during a run. Valid until
 * hs_exec_data() with this name, or hs_exec_free(). NULL: there is no such data, or no memory yet.
 * `bytes` may be NULL. O(log data).
 */
HS_API void *hs_exec_data_at(const hs_exec *exec, const char *name, size_t *bytes);

/** Placement of a worker, for --dry-run. */
typedef struct hs_exec_worker_info {
    size_t      struct_size;
    char        name[16];  /* name, e.g. cpu3 */
    int         os_cpu;    /* first core of the binding; -1: not bound */
    const char *device;    /* UUIDs of GPUs; NULL: emulated or unused */
    char        cores[64]; /* cores of the binding, e.g. 4,5 */
    int         unused;    /* whether no task can run on this worker, so that it occupies no core
                              and no device */
    const char *node;      /* name of the node of settings.run.nodes; NULL: none */
} hs_exec_worker_info;

#define hs_exec_worker_info_init(i) ((i)->struct_size = sizeof *(i))
HS_API void hs_exec_describe_worker(const hs_exec *exec, unsigned worker,
                                    hs_exec_worker_info *info);

/**
 * Return the name of the backend for a task on a type; NULL if the task cannot run on this type.
 */
HS_API const char *hs_exec_backend_name(const hs_exec *exec, uint32_t task, hs_type type);

/**
 * Number of tasks by their state in the resumed journal. Each task of the instance has exactly one
 * of the states done, failed, changed, fresh.
 */
typedef struct hs_exec_journal_summary {
    size_t   struct_size;
    uint64_t done;     /* tasks that have finished and will not run again */
    uint64_t failed;   /* tasks whose last attempt failed */
    uint64_t changed;  /* tasks that finished, but are outdated: the command or kernel changed, a
                          predecessor ran again or will run again, or a later attempt began and
                          did not end */
    uint64_t    fresh; /* not recorded */
    uint64_t    gone;  /* tasks of the journal that are no longer in the instance */
    const char *note;  /* repair of the journal to report, e.g. an unfinished end that was cut off;
                          NULL: none */
} hs_exec_journal_summary;

#define hs_exec_journal_summary_init(p) ((p)->struct_size = sizeof *(p))
HS_API void hs_exec_summarise_journal(const hs_exec *exec, hs_exec_journal_summary *past);

/** An attempt that a journal records. */
typedef struct hs_journal_attempt {
    size_t      struct_size;
    size_t      journal; /* index of the journal in the list of paths */
    double      began;   /* start of the run, seconds since 1970 */
    uint32_t    task;    /* HS_NONE: no task of the instance has the name on record */
    uint32_t    number;  /* number of the attempt, from 1 */
    hs_type     type;    /* type of the worker */
    unsigned    worker; /* number of the worker among the workers of `type`, from 0 */
    bool        done;
    const char *why;        /* reason of a failure as in the journal, e.g. "exit:1"; valid during the
                               call */
    double      start, end; /* seconds from the start of the run */
    bool        unchanged;  /* the task would be executed as in this attempt: by the same command,
                               kernel or function, or by emulation if `emulated` is set */
} hs_journal_attempt;

/** The state of a task in journals. */
typedef enum hs_journal_state {
    HS_JOURNAL_NONE,    /* not on record */
    HS_JOURNAL_DONE,    /* done, and a resumed run would not repeat it */
    HS_JOURNAL_CHANGED, /* done, but outdated, see hs_exec_journal_summary.changed */
    HS_JOURNAL_FAILED   /* the last attempt failed */
} hs_journal_state;

/**
 * Read journals, for example those of shares, without a handle: call attempt() for each attempt, in
 * the order in which the runs began, and set state[], an array of the caller, by task. Runs may be
 * writing the journals; a file that does not exist counts as empty. With `emulated` tasks that
 * emulated workers did not compute count as done. HS_EINVAL: a journal is damaged, or a file is no
 * journal; HS_EIO; HS_ENOMEM.
 */
HS_API hs_status hs_journal_read(const hs_instance *in, const char *const *path, size_t count,
                                 bool emulated, hs_journal_state *state,
                                 void (*attempt)(void *data, const hs_journal_attempt *attempt),
                                 void *data, hs_error *error);

/**
 * Simulate the policy with the estimates of the tasks still to run, without tasks finished in the
 * journal or left out by HS_RESUME_FAILED. Works as hs_policy_simulate() with the policy of the
 * settings, except that the tolerance is 0 and transfers are recorded. On HS_OK the caller owns
 * *out.
 */
HS_API hs_status hs_exec_predict(const hs_exec *exec, hs_schedule **out);

typedef enum hs_exec_stop_mode { HS_STOP_DRAIN = 1, HS_STOP_NOW = 2 } hs_exec_stop_mode;

/**
 * Stop the run: start no further task (HS_STOP_DRAIN), or abort running tasks as well
 * (HS_STOP_NOW). Async-signal-safe. Between runs it stops the next run.
 */
HS_API void hs_exec_stop(hs_exec *exec, hs_exec_stop_mode how);

typedef struct hs_exec_report {
    size_t   struct_size;
    uint64_t tasks, done, resumed, failed, not_run; /* numbers of tasks, with run.mpi of this rank;
                                                       `done` includes `resumed`; the rest is in
                                                       left_out or unrecorded */
    uint64_t aborted;                               /* attempts aborted by spoliation */
    uint64_t retried;
    unsigned lost_workers; /* lost and retired workers */
    double   seconds;      /* seconds from the start to the end of the last task, after a completed
                              run with run.mpi the most of all ranks */
    double   overhead;     /* seconds per task finished or failed in this run: (workers x
                              seconds - busy) / tasks */
    bool     stopped;      /* whether hs_exec_stop() ended the run */
    double busy;           /* seconds in task bodies, summed over workers */
    double idle;           /* seconds during which the policy had no task for a worker, or
                              the worker was out of service */
    double   dispatch;     /* overhead without `idle` */
    uint64_t unrecorded;   /* tasks that succeeded, but whose success could not be written to the
                              journal */
    uint64_t left_out;     /* tasks outside the selection of HS_RESUME_FAILED */
    uint64_t blocked;      /* tasks after a failed task, a part of not_run */
    double   gpu_joules;   /* energy used by all GPUs, by NVML; 0: unknown */
    unsigned gpu_clock, gpu_clock_max; /* MHz of the slowest GPU at the end, and its maximum
                                           clock; 0: unknown */
    double core_seconds;               /* processor time of worker threads and commands */
    double core_wait;    /* seconds during which these threads and processes were runnable
                            but another process had the core; excludes sleep and I/O. For a
                            command only its shell, or the program that replaced the shell,
                            counts. NaN: unknown */
    uint64_t verifiable; /* tasks of built-in kernels with private data, finished in this
                           run */
    uint64_t verified;   /* tasks with verified results, a part of verifiable; on CPUs every
                            task, on a GPU the first of each kernel and size and then every 16th */
} hs_exec_report;

#define hs_exec_report_init(r) ((r)->struct_size = sizeof *(r))

/**
 * Run the tasks. HS_OK: every selected task is done. HS_EFAILED: some are not (see the report);
 * HS_ECANCELED: stopped; HS_ESCHEDULE: the policy made an impossible decision; HS_EIO, HS_ENOMEM,
 * HS_ERESOURCE: the run was broken off; HS_EINVAL: data has no size. May be called repeatedly, but
 * only once with a journal: each run executes every task and discards the records and failures of
 * the previous run when it begins.
 */
HS_API hs_status hs_exec_run(hs_exec *exec, hs_exec_report *report, hs_error *error);

/** An attempt; times in seconds from the start. */
typedef struct hs_exec_record {
    double   start, end;
    uint32_t task;
    uint16_t number;  /* number of the attempt, from 1 */
    uint16_t outcome; /* an hs_outcome */
} hs_exec_record;

/** After the run: return the attempts of one worker in order of time; owned by the handle. */
HS_API const hs_exec_record *hs_exec_records(const hs_exec *exec, unsigned worker, size_t *count);

/**
 * After the run: return the intervals during which the worker waited for a victim to abort, or, if
 * emulated, for a task's inputs. In order of time, in seconds from the start; owned by the handle.
 */
HS_API const hs_wait *hs_exec_waits(const hs_exec *exec, unsigned worker, size_t *count);

/**
 * After a run with settings.keep.transfers: return the transfers, sorted by destination, then
 * start, in seconds from the start; owned by the handle. For a factorisation these are the copies
 * of the matrix between memories; some end after the last task, when the result returns to the
 * host, and copies of a broken GPU are missing. For emulated workers these are the transfers
 * started by the policy.
 */
HS_API const hs_transfer *hs_exec_transfers(const hs_exec *exec, size_t *count);

/**
 * Write to `path` the path of an attempt's log file, in a folder below settings.keep.log_folder:
 * ID.NUMBER.log; with logs_apart ID.NUMBER.out, or ID.NUMBER.err if `error`. Returns the length and
 * truncates to `size`, as snprintf() does; 0: no log exists.
 */
HS_API size_t hs_exec_log_path(const hs_exec *exec, uint32_t task, uint32_t number, int error,
                               char *path, size_t size);

/**
 * After the run: return 1 if `task` was not run because a direct or indirect predecessor failed,
 * and set *failed (may be NULL) to the failed predecessor of smallest number; else 0. O(1).
 */
HS_API int hs_exec_is_blocked(const hs_exec *exec, uint32_t task, uint32_t *failed);

/** A rank of a run over MPI. */
typedef struct hs_exec_rank {
    size_t   struct_size;
    char     host[64];         /* name of its machine */
    uint64_t tasks;            /* tasks that it has done */
    uint64_t sent, sent_bytes; /* tiles sent to other ranks, each counted once per receiving rank */
    double   seconds;          /* seconds from its start to the end of its last task */
    double   busy;             /* seconds in tasks, summed over its workers */
} hs_exec_rank;

#define hs_exec_rank_init(r) ((r)->struct_size = sizeof *(r))

/**
 * After a run with run.mpi: describe a rank, on every rank; returns 1, or 0 if there is no such
 * rank, or the run has not been completed. Not collective.
 */
HS_API int hs_exec_rank_at(const hs_exec *exec, unsigned rank, hs_exec_rank *out);

/** The matrix of a factorisation and the quality of its factors. */
typedef struct hs_exec_factorisation {
    size_t      struct_size;
    const char *name;        /* Cholesky, LU or QR */
    size_t      order, tile; /* orders of the matrix and of each tile */
    uint64_t    seed;
    double      operations;        /* floating-point operations: order^3 times 1/3, 2/3 or 4/3 */
    bool        input_given;       /* whether the input matrix is settings.run.matrix */
    bool        single_precision;  /* whether the kernels have single instead of double precision */
    bool        verified;          /* whether the last run completed and its result was verified */
    bool        wrong;             /* whether the result exceeds one of the limits */
    double      relative_residual; /* Frobenius norm of (input - product of the factors), relative
                                      to the input's norm; limit 1e-8, in single precision
                                      1e-6 sqrt(order) */
    double      orthogonality;     /* QR: Frobenius norm of (Q'Q - I), with the limit of
                                      relative_residual; else 0 */
    double largest_residual;       /* largest absolute element of (input - product of the
                                      factors) */
    double largest_residual_limit; /* limit of largest_residual: 1e-6, times the largest element of
                                      a given matrix; in single precision 1e-6 sqrt(order) times
                                      the largest element */
} hs_exec_factorisation;

#define hs_exec_factorisation_init(f) ((f)->struct_size = sizeof *(f))

/**
 * Describe the factorisation, also before a run: returns 1 if built-in kernels work on the data
 * named by the rows, which are the tiles of one matrix in memory, else 0. With settings.run.verify
 * a run with a wrong result ends with HS_EFAILED.
 */
HS_API int hs_exec_describe_factorisation(const hs_exec *exec, hs_exec_factorisation *out);

/**
 * After a complete run: copy the factors to `out`, order x order by column. Cholesky gives L and QR
 * gives R, with zeros in the other triangle; LU gives L, without its unit diagonal, and U.
 * HS_EINVAL: no factors exist, or with run.mpi this is not rank 0 with run.collect_factors.
 */
HS_API hs_status hs_exec_copy_factors(const hs_exec *exec, double *out);

/** A worker at one moment of a run. */
typedef struct hs_exec_activity {
    size_t   struct_size;
    bool     running; /* whether the worker runs `task`; else the worker is idle */
    uint32_t task;    /* on a GPU with several tasks in flight, the task launched last */
    double   seconds; /* seconds since the start of the task */
    uint64_t done;    /* tasks finished by the worker in this run */
} hs_exec_activity;

#define hs_exec_activity_init(a) ((a)->struct_size = sizeof *(a))

/**
 * Fill *out with the present activity of a worker. May be called from any thread during
 * hs_exec_run(); takes no lock. The fields are read one after another, so they may belong to
 * different moments.
 */
HS_API void hs_exec_describe_activity(const hs_exec *exec, unsigned worker, hs_exec_activity *out);

/**
 * Get a failure by index, in order of time: returns 1, or 0 past the last. May be called from any
 * thread, also during the run.
 */
HS_API int hs_exec_failure_at(const hs_exec *exec, size_t index, hs_exec_failure *out);

HS_END_DECLS

#endif
